#include "host/study/study_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/driver_corners.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/formula.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/mechanism/table_arguments.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/mechanism/tree/spare_rows.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study_contact.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "kernels/joint_coordinates/topology.hpp"

namespace myriad::study {

namespace {

using backends::Precision;
using json = Json;

// Below some tens of round-offs of fp32 a Newton correction does not get.
constexpr double smallest_fp32_newton_tolerance = 1e-7;
// Impacts of mechanisms in metres and seconds are faster.
constexpr double largest_silent_noise_m_s = 1e-3;

}  // namespace

std::shared_ptr<const mechanism::Mechanism> read_study_mechanism(const JsonValue& value,
                                                                 const std::filesystem::path& folder, Purpose purpose) {
    if (value.is_object())
        return mechanism::mechanism_of(value, "mechanism",
                                       purpose == Purpose::run ? std::optional(folder) : std::nullopt);
    const std::filesystem::path file = value.string();
    if (file.empty())
        value.refuse("the path is empty", "give the path of a mechanism file, relative to the study's folder");
    if (purpose != Purpose::run)
        value.refuse("this study stands in a result and names another file, " + file.string(),
                     "a result of Myriad holds its mechanism, so no other file is opened; to trust this one, save the "
                     "study as a file and run that");
    std::error_code error;
    if (!std::filesystem::exists(folder / file, error))
        value.refuse("there is no file " + (folder / file).string(),
                     "give the path of a mechanism file, relative to the study's folder");
    return mechanism::read_mechanism(folder / file);
}

json canonical_mechanism(const mechanism::Mechanism& mechanism) { return json::parse(mechanism.text); }

json without_words(json canonical) {
    for (const char* words : {"title", "description", "source", "assumed", "assembly"}) canonical.erase(words);
    return canonical;
}

std::vector<std::string> constraint_row_names(const mechanism::Mechanism& mechanism) {
    std::vector<std::string> of_element(static_cast<std::size_t>(mechanism.table.elements));
    std::vector<int> first(of_element.size(), 0);
    for (const auto* section : {&mechanism.joints, &mechanism.drivers})
        for (const mechanism::NamedElements& named : *section) {
            int of_joint = 0;
            for (int e = named.first_element; e < named.first_element + named.element_count; ++e) {
                of_element[static_cast<std::size_t>(e)] = named.section + "." + named.name;
                first[static_cast<std::size_t>(e)] = of_joint;
                of_joint += rows_of(mechanism.table.element[e].kind);
            }
        }
    std::vector<std::string> names;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const Element& element = mechanism.table.element[e];
        if (element.has_law || element.is_sensor) continue;
        const auto at = static_cast<std::size_t>(e);
        for (int k = 0; k < rows_of(element.kind); ++k)
            names.push_back(of_element[at] + ", row " + std::to_string(first[at] + k) +
                            (element.row[k] < 0 ? " (redundant)" : ""));
    }
    for (const mechanism::NamedCoupling& coupling : mechanism.couplings)
        names.push_back(coupling.address() + (coupling.is_redundant ? " (redundant)" : ""));
    return names;
}

std::vector<std::string> methods_for_all_joints() {
    std::vector<std::string> names;
    for (const IntegratorDescription& one : all_integrators())
        if (one.has_matrix_options()) names.push_back(one.name);
    return names;
}

void require_method_for_contacts(const JsonValue& name, const Study& study) {
    const int contacts = study.mechanism->table.contacts;
    if (contacts > 0 && !find_integrator(name.string(), name.where()).contact)
        name.refuse("\"" + name.string() + "\" knows no contact, and " + kind_and_name(*study.system) + " has " +
                        std::to_string(contacts) + (contacts == 1 ? " contact" : " contacts"),
                    "use one of: " + list_of(names_of(integrators_of(*study.system))));
}

void require_fitting_method(const JsonValue& name, const Study& study) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    const IntegratorDescription& method = study.integrator;
    const std::vector<std::string> with_constraints = methods_for_all_joints();
    if (method.kinematic && mechanism.freedoms > 0)
        name.refuse("\"" + method.name + "\" needs a mechanism whose drivers leave no freedom, but " +
                        kind_and_name(*study.system) + " has " + std::to_string(mechanism.freedoms) +
                        (mechanism.freedoms == 1 ? " freedom left" : " freedoms left"),
                    "give it as many more \"drivers\", or use one of: " + list_of(with_constraints));
}

namespace {

// Where a body turns about all axes on one that does so, too, the inertial forces that the simplified matrix leaves out
// count most: two rods on spherical joints take 4 of its iterations in a step of 0.005 s and find no end in one of
// 0.01 s, where the exact one takes 2.
bool has_orientation_on_an_orientation(const TreeTable& tree) {
    for (int l = 0; l < tree.links; ++l)
        for (int p = tree.link[l].parent; p >= 0 && tree.link[l].turning == TreeTurning::any; p = tree.link[p].parent)
            if (tree.link[p].turning == TreeTurning::any) return true;
    return false;
}

void require_damped_multipliers(const JsonValue& radius, const Study& study) {
    if (study.constraint_rows() > 0)
        radius.refuse(
            "with the spectral radius 1 the multipliers of the constraints oscillate without any damping, and " +
                kind_and_name(*study.system) + " has constraints",
            "give less than 1, for example 0.9");
}

}  // namespace

void read_newton(const JsonValue& integrator, Study& study, json& canonical) {
    NewtonSettings& newton = study.newton;
    const bool is_fp32 = study.precision == Precision::fp32, is_kinematic = study.integrator.kinematic;
    const auto tolerance = integrator.find("newton_tolerance");
    newton.tolerance = tolerance ? tolerance->positive_number()
                       : is_fp32 ? defaults::newton_tolerance_fp32
                                 : defaults::newton_tolerance_fp64;
    if (is_fp32 && newton.tolerance < smallest_fp32_newton_tolerance)
        study.warnings.push_back(tolerance->where() + ": fp32 resolves 6e-8 of a number, so a Newton tolerance of " +
                                 number_text(newton.tolerance) + " is rarely met");
    const auto most = integrator.find("most_newton_iterations");
    newton.most_iterations = most                               ? most->whole_number()
                             : is_kinematic                     ? defaults::most_newton_iterations_of_kinematics
                             : study.integrator.energy_momentum ? defaults::most_newton_iterations_of_energy_momentum
                                                                : defaults::most_newton_iterations;
    if (newton.most_iterations == 0 || newton.most_iterations > largest_most_newton_iterations)
        most->refuse("most_newton_iterations is " + std::to_string(newton.most_iterations),
                     "give a number from 1 to " + std::to_string(largest_most_newton_iterations));
    canonical["newton_tolerance"] = newton.tolerance;
    canonical["most_newton_iterations"] = newton.most_iterations;
    if (!study.integrator.has_matrix_options()) return;

    if (const auto kind = integrator.find("newton"))
        newton.modified = kind->one_of(names_of(newton_names), "Newton method") == 1;
    const bool is_of_tree = study.mechanism && !is_of_papers(study);
    const auto require_papers = [&](const JsonValue& key) {
        if (is_of_tree)
            key.refuse("this key chooses among the iteration matrices of papers, and mechanisms on the chart \"" +
                           study.chart + "\" have others",
                       "leave it out; or take the chart \"rotation_vector\", which is for comparisons with the papers");
    };
    if (newton.modified) {
        require_papers(*integrator.find("newton"));
        const int unknowns =
            study.mechanism ? study.mechanism->table.joint.tree.freedoms + study.mechanism->table.joint.rows : 0;
        if (unknowns > most_kept_unknowns)
            integrator.find("newton")->refuse("the modified Newton method keeps the matrices of up to " +
                                                  std::to_string(most_kept_unknowns) + " unknowns, and " +
                                                  kind_and_name(*study.system) + " has " + std::to_string(unknowns) +
                                                  " in body coordinates",
                                              "take \"newton\": \"full\"");
    }
    // Near a pose in which rows of a loop lose rank their multipliers grow. The simplified matrix knows how these turn
    // with a body that is cut, and leaves out how they turn with a coordinate of a joint.
    newton.exact_matrix = is_of_tree && study.coordinates == mechanism::Coordinates::joint &&
                          (has_orientation_on_an_orientation(study.mechanism->table.joint.tree) ||
                           mechanism::may_lose_rank(*study.mechanism));
    if (const auto matrix = integrator.find("iteration_matrix")) {
        newton.exact_matrix = matrix->one_of(names_of(iteration_matrix_names), "iteration matrix") == 1;
        if (!is_of_tree)
            matrix->refuse("this study runs " + (study.mechanism ? "on the chart \"" + study.chart + "\""
                                                                 : "in coordinates of its system"),
                           "leave iteration_matrix out: this method, or this chart, has one of its own");
    }
    if (is_of_tree) canonical["iteration_matrix"] = iteration_matrix_names[newton.exact_matrix ? 1 : 0];
    if (const auto exact = integrator.find("tangent_operator")) {
        newton.tangent_operator = exact->boolean();
        if (newton.tangent_operator) require_papers(*exact);
    }
    if (const auto start = integrator.find("start"))
        newton.published_start = start->one_of(names_of(start_names), "start") == 1;
    canonical["newton"] = newton_names[newton.modified ? 1 : 0];
    canonical["tangent_operator"] = newton.tangent_operator;
    canonical["start"] = start_names[newton.published_start ? 1 : 0];
    if (!study.integrator.has_spectral_radius) return;

    read_spectral_radius(integrator, study, canonical);
    if (newton.spectral_radius == 1.0 && study.mechanism)
        require_damped_multipliers(*integrator.find("spectral_radius"), study);
}

void read_spectral_radius(const JsonValue& integrator, Study& study, json& canonical) {
    const auto radius = integrator.find("spectral_radius");
    double& value = study.newton.spectral_radius;
    value = radius ? radius->number() : defaults::spectral_radius;
    if (!(value >= 0.0 && value <= 1.0))
        radius->refuse("the spectral radius is " + number_text(value) + ", which is not from 0 to 1",
                       "give 0.9 to damp the fastest motions slowly, 0 to damp them at once");
    canonical["spectral_radius"] = value;
}

namespace {

// Numbers of the mechanism where the study leaves them, and where it varies them the file's.
std::vector<double> middle_parameters(const Study& study) {
    std::vector<double> values = study.parameters;
    std::vector<unsigned char> given = study.given;
    for (const VariedParameter& varied : study.varied) {
        const auto number = static_cast<std::size_t>(varied.parameter);
        values[number] = study.mechanism->numbers[number].value, given[number] = 0;
    }
    return study.mechanism->kernel_parameters(values, given);
}

// Where nothing varies all instances start alike: refused. Else a warning, as others may start well.
void refuse_start(const JsonValue& root, Study& study, const std::string& what, const std::string& remedy,
                  const std::string& status) {
    const JsonValue place = root.member("mechanism", "");
    if (study.varied.empty()) place.refuse(what, remedy);
    study.warnings.push_back(place.where() + ": with the file's numbers for what the study varies " + what +
                             "; instances that start so end as " + status + ": " + remedy);
}

void require_start_apart(const JsonValue& root, Study& study, const std::vector<double>& parameters) {
    const std::vector<double> gaps = mechanism::initial_gaps(*study.mechanism, parameters);
    const auto name_of = [&](auto gap) {
        return study.mechanism->contact_names[static_cast<std::size_t>(gap - gaps.begin())];
    };
    const auto undefined = std::find_if(gaps.begin(), gaps.end(), [](double gap) { return std::isnan(gap); });
    if (undefined != gaps.end())
        return refuse_start(root, study,
                            "the contact " + name_of(undefined) +
                                " has no gap: a direction has the length zero, or a value is no number",
                            "look at what the study sets of its normal, points and sizes", "invalid_parameter");
    const auto deepest = std::min_element(gaps.begin(), gaps.end());
    if (study.contact.project_penetration || deepest == gaps.end() || *deepest >= -study.contact.gap_tolerance_m)
        return;
    const auto contact = static_cast<int>(deepest - gaps.begin());
    const bool is_limit = myriad::is_limit(study.mechanism->table.contact[contact].kind);
    refuse_start(root, study,
                 (is_limit ? "the joint stands beyond the limit " + name_of(deepest) + " at the start, by "
                           : "the bodies of the contact " + name_of(deepest) + " overlap at the start, by ") +
                     rounded_number_text(-*deepest, 3) + (study.mechanism->is_limit_of_angle(contact) ? " rad" : " m"),
                 is_limit ? "start within the limits, or give the integrator \"initial_penetration\": \"project\""
                          : "move them apart, or give the integrator \"initial_penetration\": \"project\"",
                 "assembly_failed");
}

void check_laws(const JsonValue& root, Study& study, const std::vector<double>& parameters) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    std::string gaining;
    for (const mechanism::NamedContacts& named : mechanism.contacts) {
        const int law = mechanism.table.contact[named.first_contact].law;
        const auto coefficient = [&](int k) {
            const std::vector<int>& varied = study.kernel_parameters->parameters();
            return LawCoefficient{parameters[static_cast<std::size_t>(law + k)],
                                  std::binary_search(varied.begin(), varied.end(), law + k)};
        };
        const StudiedLaw studied{coefficient(0), coefficient(1), coefficient(2)};
        studied.require_possible(root, " of the contact " + named.name);
        if (studied.may_gain_energy()) gaining += (gaining.empty() ? "" : ", ") + named.name;
    }
    if (!gaining.empty())
        study.warnings.push_back(root.member("mechanism", "").where() + ": " + gaining_laws + " (contacts " + gaining +
                                 ")");
}

}  // namespace

void require_values_of_tables(const JsonValue& root, const Study& study) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    if (mechanism.table.interpolants == 0) return;
    constexpr int looks = 1000;  // over the span: an argument may go up and down
    const std::vector<double> parameters = middle_parameters(study);
    for (int k = 0; k <= looks; ++k)
        if (const auto missing =
                mechanism::missing_value(mechanism.table, *mechanism.tables, parameters, study.end_s * k / looks))
            root.member("integrator", "")
                .member("end_s", "")
                .refuse(missing->text, std::string(mechanism::missing_value_remedy) + ", or end the study earlier");
}

void check_drivers(const JsonValue& root, Study& study) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    const auto has_values = [&](double step_s) {
        const auto missing = mechanism::driver_without_value(mechanism, middle_parameters(study), study.end_s, step_s);
        if (missing) refuse_start(root, study, missing->what, missing->remedy, "not_finite");
        return !missing;
    };
    if (!has_values(0.0)) return;
    if (mechanism.table.corners == 0) {
        has_values(study.fixed.step_s);
        return;
    }
    const mechanism::DriverCorners corners =
        mechanism::corners_of_drivers(mechanism, middle_parameters(study), study.end_s);
    const auto formula = [&](const mechanism::DriverCorner& corner) {
        return ": " + mechanism.drivers[corner.driver].formula;
    };
    const auto said = [&](const mechanism::DriverCorner& corner, const std::string& what) {
        return "the " + what + " of the driver " + mechanism.drivers[corner.driver].name + " jumps at " +
               rounded_number_text(corner.time_s, 6) + " s, from " + rounded_number_text(corner.before, 6) + " to " +
               rounded_number_text(corner.after, 6);
    };
    const std::string smooth =
        "let its formula go on with the same rate there, or take a table with \"cubic_spline\" or \"monotone_cubic\"";
    if (corners.value)
        refuse_start(root, study, said(*corners.value, "value") + ", and no body can follow" + formula(*corners.value),
                     "let each part of its formula begin where the one before ends", "invalid_parameter");
    if (corners.sharp)
        refuse_start(root, study,
                     "the formula of the driver " + mechanism.drivers[corners.sharp->driver].name + " comes at " +
                         rounded_number_text(corners.sharp->time_s, 6) +
                         " s to a corner of sqrt, a power below 1, asin, acos or atan2, or to a pole (a divisor that "
                         "passes 0, a tan, a log of 0), and how it goes on there is not known" +
                         formula(*corners.sharp),
                     "write corners with abs, max, min or if, abs(t - 1) for sqrt((t - 1)^2), waves as a table, and "
                     "angles without atan2: as angles that go on; end the study before a pole, or take a table",
                     "invalid_parameter");
    if (!corners.value && !corners.sharp) has_values(study.fixed.step_s);
    if (!corners.rate || (!is_of_papers(study) && !study.integrator.energy_momentum)) return;
    root.member("mechanism", "")
        .refuse(said(*corners.rate, "rate") + ", and " +
                    (is_of_papers(study) ? "the chart \"" + study.chart : "\"" + study.integrator.name) +
                    "\" does not take the impulse of such a jump",
                "take the chart \"rotation\" and one of: " +
                    list_of(methods_for_joint_coordinates(study.mechanism->table.contacts > 0)) + "; or " + smooth);
}

void check_contacts_of_mechanism(const JsonValue& root, Study& study) {
    if (study.integrator.has_spectral_radius && !study.contact.alpha_m && study.newton.spectral_radius == 1.0)
        require_damped_multipliers(root.member("integrator", "").member("spectral_radius", ""), study);
    const std::vector<double> parameters = middle_parameters(study);
    require_start_apart(root, study, parameters);
    check_laws(root, study, parameters);
    // Joints on position level leave velocities an error, their tolerance by the step; contact laws are met no closer.
    const double noise_m_s = study.newton.tolerance * parameters[length_scale_parameter] / study.fixed.step_s;
    const MechanismTable& table = study.mechanism->table;
    // The closed contacts are kept as one sum of 2^c.
    constexpr int most_contacts_in_fp32 = std::numeric_limits<float>::digits;
    if (study.precision == Precision::fp32 && table.contacts > most_contacts_in_fp32)
        root.member("precision", "")
            .refuse("the mechanism has " + std::to_string(table.contacts) +
                        " contacts, each limit of a joint as one, "
                        "and fp32 takes at most " +
                        std::to_string(most_contacts_in_fp32),
                    "run in fp64, or leave limits out");
    if (study.precision == Precision::fp32 && table.contacts > 0 && table.constraint_rows > 0 &&
        noise_m_s > largest_silent_noise_m_s)
        study.warnings.push_back(root.member("integrator", "").where() + "/step_s: in fp32 joints leave velocities " +
                                 number_text(noise_m_s) + " m/s of noise with steps of " +
                                 number_text(study.fixed.step_s) +
                                 " s, and contacts answer it: use fp64, or longer steps");
}

namespace {

// A named parameter takes with it all that is made from it; any other number leaves what shares its formula behind.
void warn_of_replaced_formulas(const JsonValue& root, Study& study) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    for (std::size_t number = 0; number < study.given.size(); ++number) {
        if (study.given[number] == 0 || mechanism.numbers[number].address.starts_with("parameters.")) continue;
        const mechanism::Formula formula = mechanism::formula_of(mechanism, number);
        if (formula.parameters.empty()) continue;
        std::string warning = root.where() + ": the study's " + mechanism.numbers[number].address +
                              " replaces the mechanism's formula " + formula.text;
        if (!formula.others.empty()) {
            constexpr std::size_t most_named = 4;
            const std::size_t named = std::min(formula.others.size(), most_named);
            warning +=
                ", while " + list_of(std::span(formula.others).first(named)) +
                (named < formula.others.size() ? " and " + std::to_string(formula.others.size() - named) + " more"
                                               : "") +
                " still follow from " + list_of(formula.parameters) + ": give that instead where they belong together";
        }
        study.warnings.push_back(warning);
    }
}

}  // namespace

// Of a study with "assembly": "refuse", or with bodies that lack an orientation; of the others the summary
// counts what assembly changes.
constexpr std::uint64_t most_assembled_before_a_run = 64;

void read_assembly(const JsonValue& root, Study& study, json& canonical) {
    const auto given = root.find("assembly");
    if (!study.mechanism) {
        if (given) given->refuse("the system " + study.system->name + " is not assembled", "leave out \"assembly\"");
        return;
    }
    const mechanism::Mechanism& mechanism = *study.mechanism;
    const auto policy = given ? mechanism::assembly_policy(*given) : mechanism.assembly;
    canonical["assembly"] = mechanism::assembly_names[static_cast<std::size_t>(policy)];
    warn_of_replaced_formulas(root, study);
    if (!study.has_sampler()) return;
    const JsonValue place = root.member("mechanism", "");
    const auto values_of = [&](const std::vector<double>& varied) {
        std::vector<double> values = study.parameters;
        for (std::size_t k = 0; k < study.varied.size(); ++k)
            values[static_cast<std::size_t>(study.varied[k].parameter)] = varied[k];
        return values;
    };
    const auto report_of = [&](const std::vector<double>& varied) {
        return assembly_report(mechanism, values_of(varied), study.given);
    };
    const auto require_zeros = [&](const std::string& where, const std::vector<double>& varied) {
        if (const auto unknown = unknown_zero(mechanism, values_of(varied), study.given))
            mechanism::entry_at(place, unknown->entry)
                .refuse(where + unknown->entry + ": " + unknown->what, unknown->remedy);
    };
    const auto refuse = [&](const std::string& where, const mechanism::AssemblyReport& report) {
        mechanism::entry_at(place, report.entry)
            .refuse(where + report.what, report.remedy + "; \"assembly\": \"warn\" allows it");
    };
    const std::string at_middle = study.varied.empty() ? "" : "at the middle of what the study varies ";
    const mechanism::AssemblyReport middle = report_of(study.sampler().middle());
    require_zeros(at_middle, study.sampler().middle());
    const bool refuses = policy == mechanism::AssemblyPolicy::refuse;
    if (refuses && !middle.what.empty()) refuse(at_middle, middle);
    std::vector<double> sample(study.varied.size());
    const std::uint64_t count = study.varied.empty() ? 0 : std::min(study.instances, most_assembled_before_a_run);
    for (std::uint64_t instance = 0; instance < count; ++instance) {
        const std::string where = "in instance " + std::to_string(instance) + " ";
        study.sampler().sample(instance, 1, sample.data());
        require_zeros(where, sample);
        if (!refuses) continue;
        const mechanism::AssemblyReport report = report_of(sample);
        // An instance that cannot be assembled ends as such.
        if (!report.what.empty() && !report.fails) refuse(where, report);
    }
    if (!middle.what.empty())
        study.warnings.push_back(mechanism::entry_at(place, middle.entry).where() + ": " + at_middle + middle.what +
                                 "; " + middle.remedy);
}

void find_varied_kernel_parameters(const JsonValue& root, Study& study) {
    const mechanism::Mechanism& mechanism = *study.mechanism;
    if (mechanism.table.parameters > most_parameters)
        root.refuse(kind_and_name(*study.system) + " has " + std::to_string(mechanism.table.parameters) +
                        " parameters, but kernels take at most " + std::to_string(most_parameters),
                    "use fewer bodies and joints");
    std::vector<std::size_t> numbers;
    for (const VariedParameter& parameter : study.varied)
        numbers.push_back(static_cast<std::size_t>(parameter.parameter));
    study.kernel_parameters =
        std::make_shared<const mechanism::VariedParameters>(study.mechanism, study.parameters, study.given, numbers);
}

}  // namespace myriad::study
