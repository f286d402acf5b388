#include "host/validation/expected_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/catalog/system_description.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/expected_formula.hpp"
#include "host/validation/expected_runs.hpp"
#include "host/validation/oracles.hpp"
#include "host/validation/runs/step_limit.hpp"
#include "kernels/system/status.hpp"

namespace myriad::validation {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool is_among(const std::string& name, const std::vector<std::string>& names) {
    return names.empty() || std::ranges::find(names, name) != names.end();
}

// The measured components of a claim in a run, beside the claimed ones.
struct Compared {
    std::vector<double> ours, expected, tolerances;

    double distance() const {
        double square = 0.0;
        for (std::size_t i = 0; i < ours.size(); ++i) square += (ours[i] - expected[i]) * (ours[i] - expected[i]);
        return std::sqrt(square);
    }
};

bool is_built(bool needs_papers) { return !needs_papers || study::is_built(study::papers_members().front()); }

bool holds_in(const Claim& claim, const NamedRun& run, const Form& form) {
    return is_among(form.name, claim.forms) && is_among(form.name, run.forms) && is_among(run.name, claim.runs) &&
           is_built(run.needs_papers);
}

class ExpectedCase {
  public:
    ExpectedCase(const ExpectedFile& file, const Form& form, backends::Backend& device, const ChooseStudy& chosen)
        : file_(file), form_(form), chosen_(chosen), runs_(file, device, form.backend) {}

    std::vector<Row> rows() {
        visit([&](const Claim& claim, const RunKey& key) {
            for (const double step_s : steps_of(claim, key)) runs_.need({key.run, key.coordinates, step_s}, claim);
        });
        visit([&](const Claim& claim, const RunKey& key) { add(claim, key); });
        return std::move(rows_);
    }

  private:
    template <class Visitor>
    void visit(const Visitor& visitor) {
        const std::vector<std::string> as_the_study = {""};
        for (const Claim& claim : file_.claims) {
            for (std::size_t run = 0; run < file_.runs.size(); ++run)
                for (const std::string& coordinates : file_.coordinates.empty() ? as_the_study : file_.coordinates)
                    if (const RunKey key{run, coordinates, 0.0}; holds_in(claim, file_.runs[run], form_) &&
                                                                 is_among(coordinates, claim.coordinates) &&
                                                                 (!chosen_ || chosen_(runs_.study(key))))
                        visitor(claim, key);
        }
    }

    // 0: that of the run.
    std::vector<double> steps_of(const Claim& claim, const RunKey& key) {
        if (!claim.steps_s.empty()) return claim.steps_s;
        if (claim.kind == Claim::Kind::order) return {2.0 * runs_.study(key).fixed.step_s, 0.0};
        return {0.0};
    }

    void add_row(const Claim& claim, const RunKey& key, const std::string& what, double ours, double expected,
                 double tolerance, const std::string& source) {
        const std::string& run = file_.runs[key.run].name;
        // Not a number: of an instance that failed, whose row does not pass.
        if (tolerance < 0.0 || std::isinf(tolerance))
            refuse_at(claim.where, "the tolerance is " + number_text(tolerance), "give a finite number, 0 or more");
        rows_.push_back({file_.name,
                         (run.empty() ? "" : run + ": ") + what +
                             (key.coordinates.empty() ? "" : ", " + key.coordinates + " coordinates"),
                         ours, expected, tolerance, source, claim.reason});
    }

    void add(const Claim& claim, const RunKey& key) {
        if (claim.kind == Claim::Kind::status) return add_status(claim, key);
        if (claim.kind == Claim::Kind::twin) return add_twin(claim, key);
        if (claim.kind == Claim::Kind::order) return add_order(claim, key);
        if (!claim.steps_s.empty() || claim.every_s == 0.0) return add_at_times(claim, key);
        add_largest(claim, key);
    }

    void add_status(const Claim& claim, const RunKey& key) {
        const FinishedRun& run = runs_.run(key);
        double ended = 0.0;
        const auto [first, last] = instances(claim, run);
        for (std::uint64_t i = first; i < last; ++i)
            ended += name_of(static_cast<Status>(run.chunk.status.at(i))) == claim.status;
        add_row(claim, key, "instances that end as " + claim.status, ended, static_cast<double>(last - first), 0.0,
                claim.source);
    }

    // [first, last)
    std::pair<std::uint64_t, std::uint64_t> instances(const Claim& claim, const FinishedRun& run) const {
        if (!claim.instance) return {0, run.study.instances};
        if (*claim.instance >= run.study.instances)
            refuse_at(claim.where, "there is no instance " + std::to_string(*claim.instance),
                      "the run has " + std::to_string(run.study.instances) + ", counted from 0");
        return {*claim.instance, *claim.instance + 1};
    }

    double time_of(const Claim& claim, const FinishedRun& run, std::size_t time) const {
        return claim.times_s.empty() ? run.study.end_s : claim.times_s[time];
    }

    std::vector<double> measured(const Claim& claim, const Moment& at) const {
        const Measured& measured = claim.measured;
        const FinishedRun& run = at.run;
        switch (measured.kind) {
            case Measured::Kind::certificate:
                return {certificate_of(run, measured.addresses.front(), at.instance)};
            case Measured::Kind::formula:
                return {value_of(*measured.formula, at)};
            case Measured::Kind::quantity: {
                const std::size_t count = run.study.quantities.size();
                const auto place = static_cast<std::size_t>(
                    std::ranges::find(run.study.quantities, measured.addresses.front(), &study::Quantity::name) -
                    run.study.quantities.begin());
                return {run.ok(at.instance) ? run.chunk.quantities.at(at.instance * count + place) : no_number};
            }
            case Measured::Kind::channels:
                break;
        }
        std::vector<double> values;
        for (const std::string& address : components_of(measured, run.study))
            values.push_back(run.observed(address, at.time_s, at.instance));
        return values;
    }

    // `ours`: of the same components.
    std::vector<double> expected(const Claim& claim, const Moment& at, std::size_t time,
                                 const std::vector<double>& ours) const {
        if (claim.is_bound) return std::vector<double>(ours.size(), 0.0);
        const std::vector<Formula>& formulas = equals_at(claim, time);
        std::vector<double> values;
        const reference_values::NamedValue* published = published_list(formulas.front());
        if (published && formulas.size() == 1)
            values.assign(published->numbers, published->numbers + published->count);
        else if (formulas.size() == 1 && formulas.front().names().size() == 1 && ours.size() == 3 &&
                 find_oracle(formulas.front().names().front() + ".x"))
            for (const char axis : {'x', 'y', 'z'})
                values.push_back(find_oracle(formulas.front().names().front() + "." + axis)->value(at.time_s));
        else
            for (const Formula& formula : formulas) values.push_back(value_of(formula, at));
        if (values.size() != ours.size())
            refuse_at(claim.where,
                      "it claims " + std::to_string(values.size()) + " values, and " + std::to_string(ours.size()) +
                          " are measured",
                      "give one for each component");
        return values;
    }

    // One for each component.
    std::vector<double> tolerances(const Claim& claim, const Moment& at, std::size_t time, std::size_t count) const {
        const auto* published = claim.equals.empty() ? nullptr : published_value(equals_at(claim, time).front());
        const double rounding = published ? reference_values::half_unit(published->decimals) : 0.0;
        std::vector<double> values;
        for (const Formula& one : claim.tolerances) values.push_back(value_of(one, at, rounding));
        if (values.size() == 1) values.resize(count, values.front());
        if (values.size() != count)
            refuse_at(
                claim.where,
                "it has " + std::to_string(values.size()) + " tolerances for " + std::to_string(count) + " values",
                "give one, or one for each component");
        return values;
    }

    static const std::vector<Formula>& equals_at(const Claim& claim, std::size_t time) {
        return claim.equals[claim.equals.size() == 1 ? 0 : time];
    }

    Compared compared(const Claim& claim, const Moment& at, std::size_t time, std::vector<double> ours) const {
        Compared both{std::move(ours), {}, {}};
        both.expected = expected(claim, at, time, both.ours);
        // The two quaternions of a rotation are equally good.
        if (claim.measured.kind == Measured::Kind::channels &&
            claim.measured.addresses.front().starts_with("orientation") && both.ours.size() == 4) {
            double along = 0.0;
            for (std::size_t i = 0; i < 4; ++i) along += both.ours[i] * both.expected[i];
            if (along < 0.0)
                for (double& component : both.ours) component = -component;
        }
        if (claim.over) {
            const double over = value_of(*claim.over, at);
            for (std::vector<double>* values : {&both.ours, &both.expected})
                for (double& value : *values) value /= over;
        }
        both.tolerances = tolerances(claim, at, time, both.ours.size());
        return both;
    }

    // The values of the run, or their limit to step 0.
    Compared compared_at(const Claim& claim, const RunKey& key, std::size_t time, std::uint64_t instance) {
        std::vector<std::vector<double>> of_step;
        std::vector<double> powers;
        for (const double step_s : steps_of(claim, key)) {
            const FinishedRun& run = runs_.run({key.run, key.coordinates, step_s});
            of_step.push_back(measured(claim, {file_, run, instance, time_of(claim, run, time)}));
            powers.push_back(std::pow(step_s, claim.error_power));
        }
        std::vector<double> ours = of_step.back();
        for (std::size_t i = 0; !claim.steps_s.empty() && i < ours.size(); ++i) {
            std::vector<double> values;
            for (const std::vector<double>& one : of_step) values.push_back(one[i]);
            ours[i] = limit_of(powers, values).value;
        }
        const FinishedRun& run = runs_.run({key.run, key.coordinates, steps_of(claim, key).back()});
        return compared(claim, {file_, run, instance, time_of(claim, run, time)}, time, std::move(ours));
    }

    const FinishedRun& finest(const Claim& claim, const RunKey& key) {
        return runs_.run({key.run, key.coordinates, steps_of(claim, key).back()});
    }

    void add_at_times(const Claim& claim, const RunKey& key) {
        const FinishedRun& run = finest(claim, key);
        const auto [first, last] = instances(claim, run);
        for (std::size_t time = 0; time < std::max<std::size_t>(claim.times_s.size(), 1); ++time) {
            // Component by component the instance that is farthest off.
            Compared worst = compared_at(claim, key, time, first);
            for (std::uint64_t i = first + 1; i < last; ++i) {
                const Compared other = compared_at(claim, key, time, i);
                for (std::size_t k = 0; k < worst.ours.size(); ++k) {
                    const auto excess = [&](const Compared& one) {
                        return std::abs(one.ours[k] - one.expected[k]) - one.tolerances[k];
                    };
                    if (std::isnan(worst.ours[k]) || excess(other) <= excess(worst)) continue;
                    worst.ours[k] = other.ours[k], worst.expected[k] = other.expected[k];
                    worst.tolerances[k] = other.tolerances[k];
                }
            }
            for (std::size_t k = 0; k < worst.ours.size(); ++k)
                add_row(claim, key,
                        label(claim, run, k) + when(claim, time) + (claim.steps_s.empty() ? "" : ", limit to step 0"),
                        worst.ours[k], worst.expected[k], worst.tolerances[k], source_of(claim, time));
        }
    }

    // The largest distance over rows and instances, and the tolerance at that place.
    void add_largest(const Claim& claim, const RunKey& key) {
        const FinishedRun& run = runs_.run(key);
        const Compared worst = largest(claim, run);
        add_row(claim, key, label_of_all(claim, run) + ": largest difference, " + span(claim, run), worst.distance(),
                0.0, worst.tolerances.front(), source_of(claim, 0));
    }

    Compared largest(const Claim& claim, const FinishedRun& run) const {
        Compared worst;
        const auto [first, last] = instances(claim, run);
        std::vector<double> times = {time_of(claim, run, 0)};
        if (claim.every_s > 0.0) {
            times.clear();
            for (int row = 0; row * claim.every_s <= run.study.end_s * (1.0 + 1e-12); ++row)
                if (row * claim.every_s >= claim.from_s) times.push_back(row * claim.every_s);
        }
        if (times.empty())
            refuse_at(claim.where, "no row is at or after " + number_text(claim.from_s) + " s",
                      "the run ends at " + number_text(run.study.end_s) + " s");
        for (std::uint64_t i = first; i < last; ++i)
            for (const double time : times) {
                const Moment at{file_, run, i, time};
                const Compared here = compared(claim, at, 0, measured(claim, at));
                const auto excess = [](const Compared& one) { return one.distance() - one.tolerances.front(); };
                if (worst.ours.empty() || !(excess(here) <= excess(worst))) worst = here;
                if (std::isnan(worst.distance())) return worst;
            }
        return worst;
    }

    void add_order(const Claim& claim, const RunKey& key) {
        const auto error = [&](double step_s) {
            return largest(claim, runs_.run({key.run, key.coordinates, step_s})).distance();
        };
        const std::vector<double> steps_s = steps_of(claim, key);
        const double finest_s = steps_s.back() > 0.0 ? steps_s.back() : runs_.study(key).fixed.step_s;
        const double ours =
            std::log(error(steps_s.front()) / error(steps_s.back())) / std::log(steps_s.front() / finest_s);
        const FinishedRun& run = finest(claim, key);
        const std::string at = claim.every_s > 0.0 ? ", " + span(claim, run) : when(claim, 0);
        add_row(claim, key, label_of_all(claim, run) + at + ": order", ours, claim.order,
                value_of(claim.tolerances.front(), {file_, run, 0, run.study.end_s}), claim.source);
    }

    // Over the largest value of each address, but at least 1.
    void add_twin(const Claim& claim, const RunKey& key) {
        const FinishedRun &run = runs_.run(key), &twin = runs_.twin(key);
        std::vector<double> times = {run.study.end_s};
        if (claim.every_s > 0.0) {
            times.clear();
            for (int row = 0; row * claim.every_s <= run.study.end_s * (1.0 + 1e-12); ++row)
                times.push_back(row * claim.every_s);
        }
        double largest = 0.0;
        for (const std::string& address : claim.measured.addresses) {
            double size = 1.0, difference = 0.0;
            Claim one = claim;
            one.measured.addresses = {address};
            for (std::uint64_t i = 0; i < run.study.instances; ++i)
                for (const double time : times) {
                    Compared both{measured(one, {file_, run, i, time}), measured(one, {file_, twin, i, time}), {}};
                    Compared turned = both;
                    for (double& component : turned.ours) component = -component;
                    const bool is_rotation = address.starts_with("orientation");
                    const double distance =
                        is_rotation ? std::min(both.distance(), turned.distance()) : both.distance();
                    if (!(distance <= difference)) difference = distance;
                    for (const double value : both.expected) size = std::max(size, std::abs(value));
                }
            if (!(difference / size <= largest)) largest = difference / size;
        }
        add_row(claim, key,
                (claim.name.empty() ? list_of(claim.measured.addresses) : claim.name) + ": largest difference", largest,
                0.0, value_of(claim.tolerances.front(), {file_, run, 0, run.study.end_s}),
                runs_.twin_name() + " backend");
    }

    std::string source_of(const Claim& claim, std::size_t time) const {
        if (claim.is_bound || claim.source != file_.source) return claim.source;
        const auto* published = published_value(claim.equals[claim.equals.size() == 1 ? 0 : time].front());
        return published ? published->source : claim.source;
    }

    static std::string with_unit(const std::string& name, const std::string& unit) {
        return unit.empty() || unit == "1" ? name : name + " (" + unit + ")";
    }

    // Of component k.
    static std::string label(const Claim& claim, const FinishedRun& run, std::size_t k) {
        const Measured& measured = claim.measured;
        if (measured.kind != Measured::Kind::channels) return label_of_all(claim, run);
        const std::string address = components_of(measured, run.study)[k];
        if (!claim.name.empty())
            return components_of(measured, run.study).size() == 1 ? claim.name : claim.name + ", " + address;
        return with_unit(address, run.study.system->channel_group(address, measured.where).unit);
    }
    static std::string label_of_all(const Claim& claim, const FinishedRun& run) {
        const Measured& measured = claim.measured;
        if (!claim.name.empty()) return claim.name;
        const std::string names = list_of(measured.addresses);
        if (measured.kind == Measured::Kind::channels)
            return with_unit(names, run.study.system->channel_group(measured.addresses.front(), measured.where).unit);
        if (measured.kind == Measured::Kind::certificate)
            return "certificate, " + names + (claim.over ? ", relative" : "");
        return names;
    }
    static std::string when(const Claim& claim, std::size_t time) {
        return claim.times_s.empty() ? "" : " at " + number_text(claim.times_s[time]) + " s";
    }
    static std::string span(const Claim& claim, const FinishedRun& run) {
        return number_text(claim.from_s) + " to " + number_text(run.study.end_s) + " s";
    }

    const ExpectedFile& file_;
    const Form& form_;
    const ChooseStudy& chosen_;
    ExpectedRuns runs_;
    std::vector<Row> rows_;
};

}  // namespace

bool holds_for(const ExpectedFile& file, const Form& form) {
    if (!is_among(form.name, file.forms) || !is_built(file.needs_papers)) return false;
    return std::ranges::any_of(file.claims, [&](const Claim& claim) {
        return std::ranges::any_of(file.runs, [&](const NamedRun& run) { return holds_in(claim, run, form); });
    });
}

std::vector<Row> expected_rows(const ExpectedFile& file, const Form& form, backends::Backend& device,
                               const ChooseStudy& chosen) {
    return ExpectedCase(file, form, device, chosen).rows();
}

}  // namespace myriad::validation
