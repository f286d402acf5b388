#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>

#include "host/backends/cpu/cpu.hpp"
#include "host/program/commands.hpp"
#include "host/program/text/progress_bar.hpp"
#include "host/program/text/text_table.hpp"
#include "host/text/failure.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"
#include "host/text/version.hpp"

namespace {

using namespace myriad;
using namespace myriad::program;

void add_format(CLI::App* command, OutputFormat& format) {
    command
        ->add_option_function<std::string>(
            "--format",
            [&format](const std::string& text) { format = text == "json" ? OutputFormat::json : OutputFormat::human; },
            "what to print: text for people (human, the default) or json")
        ->check(CLI::IsMember({"human", "json"}));
}

// CLI11 reads "-1" as a large number.
const CLI::Validator whole_number(
    [](const std::string& text) {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits && text.size() <= 18 ? std::string() : "'" + text + "' is not a whole number below 10^18";
    },
    "WHOLE");

// Descriptions of options and commands, broken so that their lines fit beside the column of names.
class HelpThatFits : public CLI::Formatter {
  public:
    std::string make_option_desc(const CLI::Option* option) const override {
        return beside_names(CLI::Formatter::make_option_desc(option));
    }
    std::string make_subcommand(const CLI::App* command) const override {
        std::ostringstream text;
        CLI::detail::format_help(text, command->get_name(), beside_names(command->get_description()), column_width_);
        return text.str();
    }

  private:
    // CLI11 begins each further line in the column of descriptions.
    std::string beside_names(const std::string& description) const {
        const std::string names(column_width_, ' ');
        std::istringstream lines(wrapped(names + description, names));
        std::string text;
        for (std::string line; std::getline(lines, line);)
            text += (text.empty() ? "" : "\n") + line.substr(std::min(names.size(), line.size()));
        return text;
    }
};

// Refuses a first word that is no command, and says what was probably meant.
void require_command(const CLI::App& app, int argc, const char* const* argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    const std::string word = argv[1];
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(command->get_name());
    const bool imports_folder = word == "bench" && argc > 2 && argv[2] == std::string("import");
    if (!imports_folder && std::find(commands.begin(), commands.end(), word) != commands.end()) return;
    const auto with_arguments = [&](std::string meant) {
        for (int k = 2; k < argc && !meant.empty(); ++k) meant += std::string(" ") + argv[k];
        return meant;
    };
    const std::string where = "\"" + word + "\"";
    if (word == "show" || word == "import" || imports_folder)
        refuse_at(where, "this is a command of the Python package",
                  "run the command `myriad` that pip installs with it, or `" +
                      with_arguments("python3 -m myriad " + word) + "`");
    const auto is = [&](const char* extension) { return word.ends_with(extension); };
    const std::string meant = with_arguments(is(".json")                ? "run " + word
                                             : is(".h5") || is(".hdf5") ? "report " + word
                                                                        : nearest(word, commands));
    refuse_at(where, "this is no command",
              (meant.empty() ? "the" : "did you mean `myriad " + meant + "`? The") +
                  " commands are: " + list_of(commands) + "; `myriad --help` tells more");
}

// "0.01" or "1%".
double share_of(const std::string& text) {
    const bool is_percent = text.ends_with('%');
    const std::string digits = text.substr(0, text.size() - is_percent);
    double number = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const double share = is_percent ? number / 100.0 : number;
    if (error != std::errc{} || end != digits.data() + digits.size() || !(1e-9 <= share && share <= 1.0))
        throw UserError(ExitCode::usage_or_input, "--check-step " + text, "this is no share of the instances",
                        "give a number from 1e-9 to 1, such as 0.01, or percent, such as 1%");
    return share;
}

// The exit code of the chosen command.
int command_line(int argc, char** argv) {
    CLI::App app{"Myriad simulates many variants of one small mechanism at once, on CPUs or on NVIDIA GPUs.", "myriad"};
    app.formatter(std::make_shared<HelpThatFits>());
    app.require_subcommand(1);
    app.footer(
        "Exit codes: 0 done, 1 wrong usage or input, 2 more instances failed than the study allows,\n"
        "3 the device is not there or failed, 4 output could not be written, 128 + n ended by signal n.");
    int exit_code = 0;

    RunCommand run_command;
    run_command.words.assign(argv + 1, argv + argc);
    CLI::App* run_app = app.add_subcommand("run", "run a study and write its result file");
    run_app
        ->add_option("study", run_command.study,
                     "the study file (JSON; `myriad schema study`), or the name of a study of `myriad list --studies`")
        ->required();
    run_app->add_option("--backend", run_command.backend,
                        "what computes: auto (default), cpu, cuda or reference. `auto` uses the GPU if there is one, "
                        "and for a built-in system the CPU until the kernels are compiled");
    run_app->add_option("--instances", run_command.overrides.instances, "number of instances; replaces the study's")
        ->check(whole_number);
    run_app->add_option("--seed", run_command.overrides.seed, "seed of the design; replaces the study's")
        ->check(whole_number);
    run_app->add_option("--precision", run_command.overrides.precision, "fp64 or fp32; replaces the study's");
    run_app
        ->add_option("--threads", run_command.settings.threads,
                     "number of threads of the cpu backend (default or 0: all)")
        ->check(whole_number);
    run_app->add_option(
        "--width", run_command.settings.width,
        "instances per vector on the cpu backend: 1, 4 or 8 (default: the most that the processor supports)");
    run_app
        ->add_option("--kernels", run_command.settings.kernels,
                     "which steps a mechanism takes on the cpu backend. `compiled`: compiled for "
                     "this study, the fastest. `interpreted`: without a compiler. Default: start with what is there, "
                     "and change to `compiled` if the run is long")
        ->check(CLI::IsMember({backends::names::compiled_kernels, backends::names::interpreted_kernels}));
    run_app
        ->add_option("--devices", run_command.settings.devices,
                     "numbers of the GPUs to use, such as 0,1 (default: all that CUDA_VISIBLE_DEVICES shows)")
        ->delimiter(',');
    run_app
        ->add_option("--chunk", run_command.settings.chunk,
                     "instances per chunk (default or 0: 10 s of work, or less if the memory is too small)")
        ->check(whole_number);
    CLI::Option* range_option =
        run_app->add_option("--range", run_command.range, "A:B: run only the instances A <= i < B of the study");
    run_app->add_option("--shard", run_command.shard, "K/R: run only part K (0 to R - 1) of R equal parts of the study")
        ->excludes(range_option);
    run_app
        ->add_option("-o,--override", run_command.overrides.assignments,
                     "set one value of the study: path.to.key=value (null removes the key). You may repeat this option")
        ->allow_extra_args(false);
    run_app->add_option("--out", run_command.out,
                        "the result file (default: <study>.h5 in this folder, or <study>.A-B.h5 for a range)");
    CLI::Option* resume_flag = run_app->add_flag(
        "--resume", run_command.resume, "continue an interrupted run, or add instances to a run that had fewer");
    run_app->add_flag("--overwrite", run_command.overwrite, "replace a result or an unfinished run of the same name")
        ->excludes(resume_flag);
    run_app->add_option_function<std::string>(
        "--check-step", [&](const std::string& text) { run_command.check_step = share_of(text); },
        "repeat this share of the instances (0.01 or 1%) at half the step, and show the error of the step");
    run_app->add_flag_callback(
        "--no-color", [] { setenv(no_color_variable, "1", 1); },
        "show progress as lines of text, not as a bar. The variable NO_COLOR=1 does this, too");
    add_format(run_app, run_command.format);
    run_app->callback([&] { exit_code = run(run_command); });

    std::filesystem::path new_name;
    CLI::App* new_app = app.add_subcommand("new", "write a study, a mechanism and a script to start from");
    new_app->add_option("name", new_name, "crank writes crank.json and crank_mechanism.json")->required();
    new_app->callback([&] { exit_code = make_new(new_name); });

    MergeCommand merge_command;
    CLI::App* merge_app = app.add_subcommand("merge", "merge the results of all ranges or shards of a study into one");
    merge_app->add_option("part", merge_command.parts, "the result files of the ranges, in any order")->required();
    merge_app->add_option("--out", merge_command.out, "the result file of the whole study")->required();
    merge_app->add_flag(
        "--link", merge_command.link,
        "refer to the parts instead of copying them. The parts must stay in the folder of --out or below it");
    add_format(merge_app, merge_command.format);
    merge_app->callback([&] { exit_code = merge(merge_command); });

    ReplayCommand replay_command;
    CLI::App* replay_app = app.add_subcommand(
        "replay", "repeat one instance of a result on the independent reference path, and show the differences");
    replay_app->add_option("result", replay_command.result, "a result file")->required();
    replay_app->add_option("--instance", replay_command.instance, "number of the instance")
        ->required()
        ->check(whole_number);
    replay_app
        ->add_option("--kernels", replay_command.kernels,
                     "double: repeat it step by step on this program's kernels instead, one number at a time, for a "
                     "debugger")
        ->check(CLI::IsMember({backends::names::double_kernels}));
    add_format(replay_app, replay_command.format);
    replay_app->callback([&] { exit_code = replay(replay_command); });

    ValidateCommand validate_command;
    CLI::App* validate_app = app.add_subcommand(
        "validate", "compare this build with published values, exact solutions, a second implementation and orders");
    validate_app->add_option("case", validate_command.cases, "names of cases, or files of claims (default: all cases)");
    validate_app->add_option("--backend", validate_command.backend,
                             "what computes: cpu (default), compiled (the same, by kernels compiled for each "
                             "mechanism), cuda or reference");
    add_format(validate_app, validate_command.format);
    validate_app->callback([&] { exit_code = validate(validate_command); });

    BenchCommand bench_command;
    CLI::App* bench_app =
        app.add_subcommand("bench", "measure how fast this machine computes, and how close it comes to its limits");
    bench_app->add_option("case", bench_command.cases, "names of cases (default: all)");
    bench_app->add_option("--out", bench_command.out, "also write the results to this file, as JSON");
    bench_app->add_option("--pages", bench_command.pages,
                          "also write the pages of the cases that compare with papers to this folder");
    add_format(bench_app, bench_command.format);
    bench_app->callback([&] { exit_code = bench(bench_command); });

    std::filesystem::path reported;
    CLI::App* report_app = app.add_subcommand("report", "print what a result file contains");
    report_app->add_option("result", reported, "a result file")->required();
    std::string page;
    report_app->add_option("--html", page,
                           "write a page with plots to this file. Only the `myriad` of the Python package can do this");
    report_app->callback([&] {
        if (!page.empty())
            throw UserError(ExitCode::usage_or_input, "--html " + page,
                            "pages with plots are made by the Python package",
                            "run the command `myriad` that pip installs with it, or `python3 -m myriad report " +
                                reported.string() + " --html " + page + "`");
        exit_code = report(reported);
    });

    std::string schema_of = "study";
    CLI::App* schema_app = app.add_subcommand(
        "schema", "print the JSON Schema of study or mechanism files, or the functions that formulas may use");
    schema_app->add_option("of", schema_of, "study (default), mechanism or expression")
        ->check(CLI::IsMember({"study", "mechanism", "expression"}));
    schema_app->callback([&] { exit_code = schema(schema_of); });

    ListCommand list_command;
    list_command.count_step = step_cost;
    CLI::App* list_app =
        app.add_subcommand("list", "list systems, methods, charts, backends, cases of `validate`, and studies");
    list_app->add_option("--system", list_command.system, "show the parameters and channels of one system");
    list_app
        ->add_option("--mechanism", list_command.mechanism,
                     "check a mechanism file. Shows its bodies, joints, degrees of freedom, redundant constraints, "
                     "tree, channels and numbers")
        ->excludes("--system");
    list_app->add_flag("--studies", list_command.studies, "show the studies that come with the program")
        ->excludes("--system")
        ->excludes("--mechanism");
    list_app
        ->add_flag("--statuses", list_command.statuses,
                   "show how instances can end, the reasons, and what to change first")
        ->excludes("--system", "--mechanism", "--studies");
    list_app->add_option("--coordinates", list_command.coordinates, "joint or body; replaces the choice of the file")
        ->needs("--mechanism")
        ->check(CLI::IsMember({"joint", "body"}));
    add_format(list_app, list_command.format);
    list_app->callback([&] { exit_code = list(list_command); });

    CompileCommand compile_command;
    CLI::App* compile_app =
        app.add_subcommand("compile", "compile the GPU kernels of studies in advance, also without a GPU");
    compile_app->add_option("study", compile_command.studies, "study files")->required();
    compile_app->add_option("--into", compile_command.into, "folder for the compiled kernels")->required();
    compile_app->add_option("--architecture", compile_command.architecture, "architecture of the GPU (default: sm_90)");
    compile_app->callback([&] { exit_code = compile(compile_command); });

    OutputFormat version_format = OutputFormat::human;
    CLI::App* version_app = app.add_subcommand("version", "print version, commit, compiler and backends");
    add_format(version_app, version_format);
    version_app->callback([&] { exit_code = version(version_format); });

    require_command(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error, std::cout, std::cerr);
        return status == 0 ? 0 : static_cast<int>(ExitCode::usage_or_input);
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        myriad::backends::require_processor();
        const int exit_code = command_line(argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            throw UserError(ExitCode::output, "standard output", "the printed text is not complete",
                            "make room where it goes; a result file that was written is complete");
        return exit_code;
    } catch (...) {
        const myriad::Failure failure = myriad::failure_of(std::current_exception());
        std::fprintf(stderr, "myriad: %s\n", failure.text.c_str());
        return failure.exit_code;
    }
}
