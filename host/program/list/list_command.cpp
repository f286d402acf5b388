#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/catalog/system_description.hpp"
#include "host/mechanism/expression/expression.hpp"
#include "host/mechanism/file/mechanism_schema.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/program/commands.hpp"
#include "host/program/list/list_mechanism.hpp"
#include "host/program/list/list_statuses.hpp"
#include "host/program/list/list_studies.hpp"
#include "host/program/text/json_output.hpp"
#include "host/program/text/text_table.hpp"
#include "host/study/schema.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/version.hpp"
#include "host/validation/validation.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

std::string channel_text(const study::SystemDescription& system, const study::DescribedChannel& channel) {
    std::string text = channel.name;
    if (channel.of_body && system.body_names.size() == 1) text += "." + system.body_names.front();
    if (channel.of_body && system.body_names.size() > 1) text += ".<body>";
    return text + study::components_text(channel.components);
}

void print_system(const study::SystemDescription& system) {
    std::printf("%s\n%s\n\nparameters (a study sets or varies each by its address)\n",
                wrapped(system.name + ": " + system.summary, "  ").c_str(),
                wrapped("  source: " + system.source, "  ").c_str());
    TextTable parameters({"address", "unit", "default", "meaning"});
    for (const study::DescribedParameter& parameter : system.parameters)
        parameters.add({parameter.address, parameter.unit, significant(parameter.value, 9), parameter.meaning});
    std::printf("%s\nchannels (to observe, or to reduce to quantities)\n", parameters.text(4, "  ").c_str());
    TextTable channels({"address", "unit", "frame", "meaning"});
    for (const study::DescribedChannel& channel : system.channels)
        channels.add({channel_text(system, channel), channel.unit, channel.frame, channel.meaning});
    std::printf("%s\n", channels.text(4, "  ").c_str());
    const auto print_names = [](const std::string& what, const auto& named) {
        if (std::empty(named)) return;
        std::string line = what;
        for (const auto& one : named) line += (line == what ? ": " : ", ") + std::string(one.name);
        std::printf("%s\n", wrapped(line, "  ").c_str());
    };
    print_names("kept by the exact motion (their drift is in every result)", system.certificate);
    print_names("added by energy-momentum methods", system.momentum_certificate);
    if (system.has_contact) print_names("added by methods for contact", study::contact_certificate());
    print_names("integrators", study::integrators_of(system));
}

// The kinds of systems that can be run with the integrator.
std::string users_of(const study::IntegratorDescription& integrator) {
    const auto is_one_of = [&](const auto& some) {
        return std::any_of(some.begin(), some.end(), [&](const auto& one) { return one.name == integrator.name; });
    };
    bool bodies = false, coordinates = false, constrained = false, contact = false;
    for (const study::SystemDescription& system : study::systems()) {
        if (!is_one_of(study::integrators_of(system))) continue;
        (system.has_contact       ? contact
         : system.is_lagrangian   ? constrained
         : system.has_orientation ? bodies
                                  : coordinates) = true;
    }
    std::string users;
    const auto add = [&](bool can, const char* name) {
        if (can) users += (users.empty() ? "" : ", ") + std::string(name);
    };
    add(bodies, "bodies"), add(coordinates, "robot"), add(constrained, "springs"), add(contact, "contact");
    add(is_one_of(study::integrators_of_mechanisms(false)), "mechanisms");
    return users;
}

ordered_json system_json(const study::SystemDescription& system) {
    ordered_json json{
        {"name", system.name}, {"summary", system.summary}, {"source", system.source}, {"bodies", system.body_names}};
    for (const study::DescribedParameter& parameter : system.parameters)
        json["parameters"].push_back({{"address", parameter.address},
                                      {"unit", parameter.unit},
                                      {"default", parameter.value},
                                      {"meaning", parameter.meaning}});
    for (const study::ScalarChannel& scalar : system.scalars) {
        const study::DescribedChannel& channel = system.channels[static_cast<std::size_t>(scalar.channel)];
        json["channels"].push_back({{"address", scalar.address},
                                    {"unit", channel.unit},
                                    {"frame", channel.frame},
                                    {"meaning", channel.meaning}});
    }
    for (const study::CertificateEntry& entry : system.certificate) json["kept"].push_back(entry.name);
    for (const study::CertificateEntry& entry : system.momentum_certificate)
        json["added_by_energy_momentum"].push_back(entry.name);
    if (system.has_contact)
        for (const study::CertificateEntry& entry : study::contact_certificate())
            json["added_by_contact"].push_back(entry.name);
    for (const study::IntegratorDescription& integrator : study::integrators_of(system))
        for (const study::ChartDescription& chart : study::charts_of(system))
            if (takes(system, integrator, chart)) {
                json["integrators"][integrator.name].push_back(chart.name);
                if (takes_fp32(system, chart, integrator)) json["fp32"][integrator.name].push_back(chart.name);
            }
    return json;
}

void print_everything() {
    TextTable systems({"systems", "`myriad list --system NAME` shows parameters and channels"});
    for (const study::SystemDescription& system : study::systems()) systems.add({"  " + system.name, system.summary});
    TextTable integrators({"integrators", "", "order", "for"});
    for (const study::IntegratorDescription& method : study::all_integrators())
        integrators.add({"  " + method.name, method.summary, study::order_text(method), users_of(method)});
    TextTable charts({"charts of orientation", ""});
    for (const study::ChartDescription& chart : study::all_charts())
        charts.add({"  " + chart.name, study::summary_of(chart)});
    TextTable backends({"backends", ""});
    for (const backends::Availability& backend : backends::backends())
        backends.add({"  " + backend.name, (backend.available ? "" : "not available: ") + backend.detail});
    TextTable cases({"cases of `myriad validate`", ""});
    for (const std::string& name : validation::validation_cases()) cases.add({"  " + name, ""});
    std::printf("%s\n%s\n%s\n", systems.text(2).c_str(), integrators.text(4).c_str(), charts.text(2).c_str());
    if (!study::is_built(study::papers_members().front())) {
        const std::vector<std::string> names(study::papers_members().begin(), study::papers_members().end());
        std::printf("%s\n\n", wrapped("for comparisons with papers, not in this build (cmake -DMYRIAD_PAPERS=ON): " +
                                          list_of(names),
                                      "  ")
                                  .c_str());
    }
    std::printf("%s\n%s", backends.text(2).c_str(), cases.text(2).c_str());
}

ordered_json backends_json() {
    ordered_json json = ordered_json::array();
    for (const backends::Availability& backend : backends::backends())
        json.push_back({{"name", backend.name}, {"available", backend.available}, {"detail", backend.detail}});
    return json;
}

ordered_json everything_json() {
    ordered_json json;
    for (const study::SystemDescription& system : study::systems()) json["systems"].push_back(system_json(system));
    for (const study::IntegratorDescription& integrator : study::all_integrators())
        json["integrators"].push_back({{"name", integrator.name},
                                       {"summary", integrator.summary},
                                       {"motion_order", integrator.motion_order},
                                       {"force_order", integrator.force_order},
                                       {"adaptive", integrator.adaptive},
                                       {"implicit", integrator.implicit}});
    for (const study::ChartDescription& chart : study::all_charts()) json["charts"].push_back(chart.name);
    json["backends"] = backends_json();
    json["validation_cases"] = validation::validation_cases();
    return json;
}

void print_expressions() {
    std::printf(
        "%s\n\n%s\n\n",
        wrapped("Expressions of mechanism files: texts in place of numbers, \"mass_kg\": \"density_kg_m3 * length_m * "
                "0.05^2\"")
            .c_str(),
        wrapped("They hold numbers (2, .5, 1e-3), the mechanism's named parameters, pi, and, in drivers, forces, "
                "torques, rest lengths and targets, the time t in s. Angles are in rad. The force or torque of a "
                "joint_force also holds coordinates and rates: angle, rate, displacement, displacement_rate of its "
                "joint (angle_1, rate_1 ... where it has several), and those of another joint behind its name: "
                "crank.angle. A table of the mechanism stands with its argument: cam(t), spring(angle).")
            .c_str());
    TextTable operators({"operators", "from the one that binds least"});
    operators.add({"  < <= > >=", "1 where it is so, else 0; not in chains"});
    operators.add({"  + -", ""});
    operators.add({"  * /", ""});
    operators.add({"  - x, + x", ""});
    operators.add({"  ^", "to the right: 2^3^2 = 2^9, -t^2 = -(t^2)"});
    TextTable functions({"functions", ""});
    for (const mechanism::FunctionDescription& function : mechanism::Expression::functions())
        functions.add({"  " + std::string(function.call), std::string(function.meaning)});
    std::printf("%s\n%s", operators.text(2).c_str(), functions.text(2).c_str());
}

}  // namespace

int list(const ListCommand& command) {
    if (command.studies) {
        if (command.format == OutputFormat::json)
            std::printf("%s\n", json_text(studies_json()).c_str());
        else
            print_studies();
        return 0;
    }
    if (command.statuses) {
        if (command.format == OutputFormat::json)
            std::printf("%s\n", json_text(statuses_json()).c_str());
        else
            print_statuses();
        return 0;
    }
    if (command.system) {
        const study::SystemDescription& system = study::find_system(*command.system, "--system");
        if (command.format == OutputFormat::json)
            std::printf("%s\n", json_text(system_json(system)).c_str());
        else
            print_system(system);
        return 0;
    }
    if (command.mechanism) {
        const auto mechanism = mechanism::read_mechanism(*command.mechanism);
        std::optional<mechanism::Coordinates> coordinates;
        if (command.coordinates)
            coordinates = *command.coordinates == mechanism::coordinates_names[0] ? mechanism::Coordinates::joint
                                                                                  : mechanism::Coordinates::body;
        const ListedMechanism listed{*mechanism, *command.mechanism, coordinates, command.count_step};
        if (command.format == OutputFormat::json)
            std::printf("%s\n", json_text(mechanism_json(listed)).c_str());
        else
            print_mechanism(listed);
        return 0;
    }
    if (command.format == OutputFormat::json)
        std::printf("%s\n", json_text(everything_json()).c_str());
    else
        print_everything();
    return 0;
}

int schema(const std::string& of) {
    if (of == "expression") {
        print_expressions();
        return 0;
    }
    std::printf("%s\n", (of == "mechanism" ? mechanism::mechanism_schema() : study::study_schema()).c_str());
    return 0;
}

int version(OutputFormat format) {
    if (format == OutputFormat::json) {
        const ordered_json json{{"version", program_version()},
                                {"commit", program_commit()},
                                {"compiler", program_compiler()},
                                {"vector_widths", backends::cpu_widths()},
                                {"backends", backends_json()}};
        std::printf("%s\n", json_text(json).c_str());
        return 0;
    }
    std::printf("myriad %s, commit %s, %s\n", program_version(), program_commit(), program_compiler());
    for (const backends::Availability& backend : backends::backends())
        std::printf("%s\n",
                    wrapped("  " + backend.name + std::string(11 - std::min<std::size_t>(9, backend.name.size()), ' ') +
                                (backend.available ? "" : "not available: ") + backend.detail,
                            std::string(13, ' '))
                        .c_str());
    return 0;
}

}  // namespace myriad::program
