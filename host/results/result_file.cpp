#include "host/results/result_file.hpp"

#include <stdexcept>
#include <system_error>

#include "host/results/partial_file.hpp"
#include "host/results/reader.hpp"
#include "host/text/user_error.hpp"

namespace myriad::results {
namespace {

const char* const promise_of_all_instances =
    "then run again with --resume: all instances are finished and kept in the journal";

Attributes with_identity(const Attributes& attributes, const Fingerprint& fingerprint, const Layout& layout,
                         const std::vector<LinkedPart>& links) {
    const RunIdentity identity = identity_of(fingerprint, layout);
    Attributes all = attributes;
    std::vector<std::string> paths;
    for (const LinkedPart& part : links) paths.push_back(part.path);
    if (!links.empty()) all[parts_attribute] = paths;
    all[format_attribute] = format_name;
    all[schema_version_attribute] = schema_version;
    all[instances_attribute] = static_cast<std::int64_t>(layout.instances);
    all[first_instance_attribute] = static_cast<std::int64_t>(identity.instances.first);
    all[study_instances_attribute] = static_cast<std::int64_t>(identity.study_instances);
    all[fingerprint_attribute] = fingerprint.hash;
    all[description_attribute] = fingerprint.description;
    return all;
}

// `then` is what a user does when the disk refused.
void write_and_publish(const std::filesystem::path& out, PartialName name, const InstanceSource& source,
                       const Fingerprint& fingerprint, const std::vector<FixedDataset>& fixed,
                       const Attributes& attributes, const std::vector<LinkedPart>& links, const std::string& then) {
    const Layout& layout = source.layout();
    const Attributes all = with_identity(attributes, fingerprint, layout, links);
    PartialFile partial(out, name, then);
    try {
        format_of(out).write(partial.descriptor_path(), {source, fixed, all, links});
    } catch (const WriteFailure& failure) {
        partial.discard();  // first, so that the error tells the free space that a second try finds
        throw_output_error(partial.path(), failure, layout.instances * bytes_per_instance(layout), then);
    }
    partial.publish();
}

Frame frame_of(const Journal& journal, const std::vector<FixedDataset>& fixed, const Attributes& attributes) {
    const Layout& layout = journal.layout();
    const std::filesystem::path& out = journal.result_path();
    try {
        return format_of(out).frame(layout, fixed, with_identity(attributes, journal.fingerprint(), layout, {}),
                                    partial_path(out, journal.values_name()), promise_of_all_instances);
    } catch (const WriteFailure& failure) {
        throw_output_error(out, failure, 0, promise_of_all_instances);
    }
}

}  // namespace

void assemble(Journal& journal, const std::vector<FixedDataset>& fixed, const Attributes& attributes) {
    const Layout& layout = journal.layout();
    check(layout, fixed);
    if (journal.finished_instances() != layout.instances)
        throw std::logic_error("assemble: some instances are not finished");
    const std::filesystem::path& out = journal.result_path();
    refuse_what_is_no_file(out, std::string("move it away, ") + promise_of_all_instances);
    std::error_code error;
    if (journal.if_present() == IfPresent::refuse && std::filesystem::exists(out, error))
        throw UserError(ExitCode::output, out.string(), "a file of this name appeared during the run",
                        "move it away, then run again with --resume");
    journal.sync();
    if (format_of(out).has_fixed_places(layout))
        journal.publish(frame_of(journal, fixed, attributes));
    else
        write_and_publish(out, other(journal.values_name()), journal, journal.fingerprint(), fixed, attributes, {},
                          promise_of_all_instances);
    journal.remove();
}

void write_result(const std::filesystem::path& out, const InstanceSource& source, const Fingerprint& fingerprint,
                  const std::vector<FixedDataset>& fixed, const Attributes& attributes,
                  const std::vector<LinkedPart>& links, IfPresent if_present) {
    check(source.layout(), fixed);
    std::error_code error;
    if (std::filesystem::is_directory(out, error)) throw_output_error(out, EISDIR, 0, "");
    const bool is_in_the_way = if_present == IfPresent::refuse && std::filesystem::exists(out, error);
    if (is_in_the_way || std::filesystem::exists(journal_path(out), error))
        throw UserError(ExitCode::output, out.string(), "a result or an unfinished run of this name is there already",
                        "choose another --out, or move it away");
    write_and_publish(out, PartialName::first, source, fingerprint, fixed, attributes, links, "then try again");
}

}  // namespace myriad::results
