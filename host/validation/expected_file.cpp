#include "host/validation/expected_file.hpp"

#include <algorithm>
#include <functional>

#include "host/study/bundled_studies.hpp"
#include "host/text/names_of.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/validation/forms.hpp"
#include "kernels/system/status.hpp"

namespace myriad::validation {

namespace {

constexpr const char* coordinate_names[] = {"joint", "body"};

const std::vector<std::string> file_keys = {"title",  "source", "study", "forms", "coordinates",
                                            "papers", "let",    "runs",  "claims"};
const std::vector<std::string> common_keys = {"name", "source", "reason", "runs", "forms", "coordinates"};
const std::vector<std::string> time_keys = {"at_s", "every_s", "from_s"};
const std::vector<std::string> value_keys = {"equals",   "at_most", "tolerance",  "over",
                                             "instance", "steps_s", "error_power"};

std::vector<std::string> together(std::initializer_list<std::vector<std::string>> lists) {
    std::vector<std::string> all;
    for (const std::vector<std::string>& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

Formula formula_of(const JsonValue& value) {
    const std::string where = value.where();
    return {
        Expression::parse(value.is_number() ? value.json().dump() : value.string(), where, mechanism::TimeUse::allowed),
        where};
}

std::vector<JsonValue> one_or_more(const JsonValue& value) {
    if (!value.is_array()) return {value};
    std::vector<JsonValue> elements = value.elements();
    if (elements.empty()) value.refuse("the list is empty", "give one or more, or leave out the key");
    return elements;
}

std::vector<std::string> texts_of(const std::optional<JsonValue>& value) {
    std::vector<std::string> texts;
    if (value)
        for (const JsonValue& one : one_or_more(*value)) texts.push_back(one.string());
    return texts;
}

// The names in a list, each one of `known`.
std::vector<std::string> known_texts(const std::optional<JsonValue>& value, const std::vector<std::string>& known,
                                     const std::string& kind) {
    std::vector<std::string> texts;
    if (value)
        for (const JsonValue& one : one_or_more(*value)) texts.push_back(known[one.one_of(known, kind)]);
    return texts;
}

// "rk4 *" means all whose names begin so.
std::vector<std::string> chosen_runs(const std::optional<JsonValue>& value, const std::vector<std::string>& known) {
    std::vector<std::string> chosen;
    if (!value) return chosen;
    for (const JsonValue& one : one_or_more(*value)) {
        const std::string pattern = one.string();
        if (!pattern.ends_with('*')) {
            chosen.push_back(known[one.one_of(known, "run", "runs")]);
            continue;
        }
        const std::size_t before = chosen.size();
        for (const std::string& name : known)
            if (name.starts_with(pattern.substr(0, pattern.size() - 1))) chosen.push_back(name);
        if (chosen.size() == before) one.refuse("no run begins so", "the runs are: " + list_of(known));
    }
    return chosen;
}

std::vector<double> numbers_of(const JsonValue& value) {
    std::vector<double> numbers;
    for (const JsonValue& one : one_or_more(value)) numbers.push_back(one.number());
    return numbers;
}

struct MeasuredKey {
    const char* key;
    Measured::Kind kind;
};
constexpr MeasuredKey measured_keys[] = {{"channel", Measured::Kind::channels},
                                         {"quantity", Measured::Kind::quantity},
                                         {"certificate", Measured::Kind::certificate},
                                         {"formula", Measured::Kind::formula}};
const std::vector<std::string> subject_keys = {"channel", "quantity", "certificate", "formula"};

void read_measured(const JsonValue& value, Claim& claim) {
    const MeasuredKey* found = nullptr;
    for (const MeasuredKey& subject : measured_keys) {
        const auto named = value.find(subject.key);
        if (!named) continue;
        if (found) named->refuse("the claim measures two things", "keep one of: " + list_of(subject_keys));
        found = &subject;
        claim.measured.kind = subject.kind;
        claim.measured.where = named->where();
        if (subject.kind == Measured::Kind::formula)
            claim.measured.formula = formula_of(*named);
        else
            claim.measured.addresses = texts_of(*named);
        if (subject.kind != Measured::Kind::channels && claim.measured.addresses.size() > 1)
            named->refuse("it is " + named->found(), "give one name");
    }
    if (!found) value.refuse("the claim measures nothing", "give one of: " + list_of(subject_keys));
    if (found->kind == Measured::Kind::formula && claim.name.empty())
        value.refuse("the formula has no name", "add \"name\", for example \"energy at the bottom (J)\"");
}

void read_times(const JsonValue& value, Claim& claim) {
    if (const auto at = value.find("at_s")) {
        claim.times_s = numbers_of(*at), claim.times_where = at->where();
        for (const double time_s : claim.times_s)
            if (time_s < 0.0) at->refuse("the time is " + number_text(time_s) + " s", "give a time from 0 on");
    }
    if (const auto every = value.find("every_s")) {
        if (!claim.times_s.empty()) every->refuse("the claim has \"at_s\", too", "keep one of both");
        claim.every_s = every->positive_number(), claim.times_where = every->where();
    }
    if (const auto from = value.find("from_s")) {
        if (claim.every_s == 0.0) from->refuse("there is no \"every_s\"", "give both, or \"at_s\"");
        claim.from_s = from->number();
    }
    const bool is_of_times =
        claim.measured.kind == Measured::Kind::channels || claim.measured.kind == Measured::Kind::formula;
    if (!is_of_times && (!claim.times_s.empty() || claim.every_s > 0.0))
        value.refuse("a quantity and a certificate belong to the whole run", "remove \"at_s\" and \"every_s\"");
}

// [time][component]: a list holds the times where there are several, else the components.
std::vector<std::vector<Formula>> expectations_of(const JsonValue& value, std::size_t times) {
    std::vector<std::vector<Formula>> all;
    const auto add = [&](const JsonValue& of_time) {
        all.emplace_back();
        for (const JsonValue& one : one_or_more(of_time)) all.back().push_back(formula_of(one));
    };
    if (times > 1 && value.is_array()) {
        const std::vector<JsonValue> elements = value.elements();
        if (elements.size() != times && elements.size() != 1)
            value.refuse(
                "it holds " + std::to_string(elements.size()) + " values for " + std::to_string(times) + " times",
                "give one for each, one formula of t for all, or [[...]] with one for each component");
        for (const JsonValue& one : elements) add(one);
    } else {
        add(value);
    }
    return all;
}

void read_value(const JsonValue& value, Claim& claim) {
    const auto equals = value.find("equals"), most = value.find("at_most");
    if (equals && most) most->refuse("the claim has \"equals\", too", "keep one of both");
    if (equals) claim.equals = expectations_of(*equals, claim.times_s.size());
    if (const auto instance = value.find("instance")) claim.instance = instance->whole_number();
    if (const auto over = value.find("over")) claim.over = formula_of(*over);
    const auto tolerance = value.find("tolerance");
    if (most) {
        claim.is_bound = true;
        claim.tolerances = {formula_of(*most)};
        if (tolerance) tolerance->refuse("\"at_most\" is the tolerance", "remove this key");
    } else if (tolerance) {
        for (const JsonValue& one : one_or_more(*tolerance)) claim.tolerances.push_back(formula_of(one));
    }
    if (const auto steps = value.find("steps_s")) {
        claim.steps_s = numbers_of(*steps);
        if (claim.steps_s.size() < 2 || claim.steps_s.back() <= 0.0 ||
            std::ranges::adjacent_find(claim.steps_s, std::less_equal<>()) != claim.steps_s.end())
            steps->refuse("these are no falling steps", "give two or more, the largest first");
        if (claim.every_s > 0.0 && claim.kind != Claim::Kind::order)
            steps->refuse("a limit belongs to one time", "give \"at_s\" instead of \"every_s\"");
    }
    if (const auto power = value.find("error_power")) claim.error_power = static_cast<int>(power->whole_number());
    if (claim.kind == Claim::Kind::value && claim.steps_s.empty() != (claim.error_power == 0))
        value.refuse("a limit needs \"steps_s\" and \"error_power\"",
                     "give both: 1 for an error in h, h^2, ..., 2 for one in h^2, h^4, ...");
}

std::vector<std::string> statuses_of_the_end() {
    std::vector<std::string> names;
    for (int status = 0; status < status_count; ++status)
        if (const auto known = static_cast<Status>(status); known != Status::not_run && known != Status::running)
            names.emplace_back(name_of(known));
    return names;
}

void read_status(const JsonValue& value, Claim& claim) {
    value.require_keys(together({{"status", "instance"}, common_keys}));
    claim.kind = Claim::Kind::status;
    const std::vector<std::string> known = statuses_of_the_end();
    claim.status = known[value.find("status")->one_of(known, "status", "statuses")];
    if (const auto instance = value.find("instance")) claim.instance = instance->whole_number();
    if (claim.reason.empty()) claim.reason = "a count of instances";
}

void read_order(const JsonValue& value, Claim& claim) {
    value.require_keys(together({{"order", "of", "steps_s", "tolerance"}, common_keys}));
    const JsonValue of = value.member("of", "what is measured, with \"equals\"");
    of.require_keys(together({subject_keys, time_keys, {"equals", "instance"}}));
    claim.kind = Claim::Kind::order;
    claim.order = value.find("order")->number();
    read_measured(of, claim);
    read_times(of, claim);
    if (claim.times_s.size() > 1) of.refuse("an order belongs to one time", "give one \"at_s\", or \"every_s\"");
    claim.equals = expectations_of(of.member("equals", "the exact value, from which errors count"), 1);
    if (const auto instance = of.find("instance")) claim.instance = instance->whole_number();
    read_value(value, claim);
}

void read_twin(const JsonValue& value, Claim& claim) {
    value.require_keys(together({{"twin", "of", "every_s"}, common_keys}));
    claim.kind = Claim::Kind::twin;
    const JsonValue of = value.member("of", "the channels that are compared");
    claim.measured.addresses = texts_of(of);
    claim.measured.where = of.where();
    claim.tolerances = {formula_of(*value.find("twin"))};
    read_times(value, claim);
}

// Of a claim, from the file.
void require_in_file(const std::optional<JsonValue>& chosen, bool is_there, const std::string& key) {
    if (chosen && !is_there)
        chosen->refuse("the file has no \"" + key + "\" to choose from", "add them to the file, or remove this key");
}

Claim claim_of(const JsonValue& value, const ExpectedFile& file) {
    Claim claim;
    claim.where = value.where();
    for (const auto& [key, target] :
         {std::pair{"name", &claim.name}, {"source", &claim.source}, {"reason", &claim.reason}})
        if (const auto text = value.find(key)) *target = text->string();
    require_in_file(value.find("runs"), !file.runs.front().name.empty(), "runs");
    require_in_file(value.find("coordinates"), !file.coordinates.empty(), "coordinates");
    claim.runs = chosen_runs(value.find("runs"), names_of(file.runs));
    claim.forms = known_texts(value.find("forms"), names_of(forms), "form");
    claim.coordinates = known_texts(value.find("coordinates"), file.coordinates, "form of coordinates");
    if (value.find("status")) {
        read_status(value, claim);
    } else if (value.find("order")) {
        read_order(value, claim);
    } else if (value.find("twin")) {
        read_twin(value, claim);
    } else {
        value.require_keys(together({subject_keys, {"status", "order", "twin"}, time_keys, value_keys, common_keys}));
        read_measured(value, claim);
        read_times(value, claim);
        read_value(value, claim);
        if (claim.equals.empty() && !claim.is_bound)
            value.refuse("nothing is claimed", "add \"equals\" with \"tolerance\", or \"at_most\"");
    }
    if (claim.kind != Claim::Kind::status && claim.tolerances.empty())
        value.refuse("the claim has no tolerance", "add \"tolerance\" and its \"reason\"");
    if (claim.every_s > 0.0 && claim.tolerances.size() > 1)
        value.refuse("a distance has one tolerance", "give one, or \"at_s\" instead of \"every_s\"");
    if (claim.reason.empty()) value.refuse("the tolerance has no reason", "add \"reason\"");
    if (claim.source.empty()) claim.source = file.source;
    return claim;
}

// Each reads those before it, so that none needs itself.
void read_definitions(const std::vector<std::pair<std::string, JsonValue>>& members, std::vector<Definition>& read) {
    for (std::size_t k = 0; k < members.size(); ++k) {
        const auto& [name, formula] = members[k];
        if (!Expression::is_name(name))
            formula.refuse("\"" + name + "\" is no name", "take letters, digits and _, and no word of expressions");
        read.push_back({name, formula_of(formula)});
        for (const std::string& used : read.back().formula.names())
            for (std::size_t later = k; later < members.size(); ++later)
                if (members[later].first == used)
                    formula.refuse("it reads \"" + used + "\", which does not stand before it",
                                   "a formula reads definitions before it");
    }
}

std::vector<NamedRun> runs_of(const std::optional<JsonValue>& value) {
    if (!value) return {{}};
    std::vector<NamedRun> runs;
    if (value->members().empty()) value->refuse("it names no run", "leave it out for the run of the study alone");
    for (const auto& [name, assignments] : value->members()) {
        NamedRun run{name, {}, known_texts(assignments.find("forms"), names_of(forms), "form"), false};
        if (const auto papers = assignments.find("papers")) run.needs_papers = papers->boolean();
        for (const auto& [key, assigned] : assignments.members())
            if (key != "forms" && key != "papers") run.assignments.push_back(key + "=" + assigned.json().dump());
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace

ExpectedFile read_expected(const std::filesystem::path& path) {
    const JsonText text = JsonText::read(path);
    const JsonValue root = text.root();
    root.require_keys(file_keys);
    ExpectedFile file;
    file.name = path.stem().string(), file.where = path.string();
    file.folder = path.parent_path();
    file.title = root.member("title", "a line about its subject").string();
    file.source = root.member("source", "\"closed form\", or a citation with its equation or table").string();
    const JsonValue study = root.member("study", "the path of a study, relative to this file, or the study itself");
    file.study_where = study.where();
    if (study.is_object())
        file.study_text = study.json().dump();
    else
        file.study_file = (file.folder / study.string()).lexically_normal();
    if (!study.is_object() && !std::filesystem::exists(file.study_file))
        study.refuse("there is no file " + file.study_file.string(),
                     "give the path of a study, relative to this file, or the study itself");
    file.forms = known_texts(root.find("forms"), names_of(forms), "form");
    file.coordinates = known_texts(root.find("coordinates"), names_of(coordinate_names), "form of coordinates");
    if (const auto papers = root.find("papers")) file.needs_papers = papers->boolean();
    if (const auto let = root.find("let")) read_definitions(let->members(), file.definitions);
    file.runs = runs_of(root.find("runs"));
    const JsonValue claims = root.member("claims", "a list of claims");
    for (const JsonValue& claim : claims.elements()) file.claims.push_back(claim_of(claim, file));
    if (file.claims.empty()) claims.refuse("nothing is claimed", "add a claim, for example with \"channel\"");
    return file;
}

std::vector<std::filesystem::path> bundled_expected_files() {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(study::bundled_folder("expected"), error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace myriad::validation
