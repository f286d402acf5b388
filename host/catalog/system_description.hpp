// Systems as people and files see them: names, parameters, channels, charts and integrators, and the addresses of
// scalar channels. Those of the catalog describe themselves; a mechanism's description is made from its file.
//
// An address of a channel is its name, then the body where it has one for each, then the component where it has
// several: "position.top.y", "orientation.top.w", "angular_momentum.z", "energy". With fewer parts it stands for all
// scalars below it: "position", "position.top". Scalars are counted as the kernel's channel(index) counts them: the
// body channels of body 0, of body 1, ..., then the system's own ones, components in the order of the description.
// A vector has one component more, its norm: "position.top.norm", "angular_momentum.norm". Its number is that of
// kernels/math/norm.hpp. Addresses that stand for several scalars do not include it.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace myriad::mechanism {
class Mechanism;
}

namespace myriad::study {

struct DescribedParameter {
    std::string address, unit;
    double value = 0.0;  // unless a study says otherwise
    std::string meaning;
};

struct DescribedChannel {
    std::string name, unit, frame;
    std::string components;  // "x y z", "w x y z", or "" for a scalar
    bool of_body = false;    // one for each body, addressed as name.body.component
    std::string meaning;
};

// "x y z" -> x, y, z; one without a name for a scalar.
std::vector<std::string> component_names(const std::string& components);

// A number recorded of every instance, to tell how far its result can be trusted: the start and the drift of something
// that the exact motion keeps, or one number over all accepted steps. A rise is the most by which one is above its
// start. A remark is the largest of a number that explains others: no summary shows it.
enum class CertificateKind { drift, largest, total, once, rise, remark };
struct CertificateEntry {
    std::string name, unit;
    CertificateKind kind = CertificateKind::drift;
    std::string meaning;
    bool is_kept = true;      // false of a drift: friction and impacts take from it, so that its drift is no error
    bool is_of_size = false;  // a term of the size of the energy: results have their sum
    bool has_loads = false;   // of an energy: the work of loads is no error of it, and generalized_energy leaves it out
};

// One channel of the description, or a part of it, as an address names it.
struct ChannelGroup {
    std::string address;
    std::string unit, frame;              // "mixed" where they differ
    std::vector<int> channels;            // scalar indices, bodies before components
    std::vector<std::string> addresses;   // of each scalar
    std::vector<std::string> bodies;      // of the first axis; empty where the address leaves no choice
    std::vector<std::string> components;  // of the last axis; the same
};

// A number that can be observed or reduced.
struct ScalarChannel {
    std::string address;
    int channel = 0;              // position in SystemDescription::channels
    std::string body, component;  // empty where there is none
};

// The endings of an address, for lists: ".{x y z norm}" of "x y z", "" of a scalar.
std::string components_text(const std::string& components);

struct SystemDescription {
    std::string name, summary, source;
    std::vector<std::string> body_names;
    bool is_mechanism = false;
    bool has_orientation = true;  // false: in coordinates of its own, on which a chart has no influence
    // Only energy-momentum methods can run it: its mass may be singular, it may have constraints.
    bool is_lagrangian = false;
    bool has_contact = false;  // only methods for contact can run it
    std::vector<DescribedParameter> parameters;
    // Start values of joints that the mechanism's file leaves out: address, and how it would be written.
    std::map<std::string, std::string, std::less<>> absent_start_values;
    std::vector<DescribedChannel> channels;
    std::vector<CertificateEntry> certificate;           // in the order of the kernel's
    std::vector<CertificateEntry> momentum_certificate;  // what energy-momentum methods add to it
    std::vector<CertificateEntry> energies;              // terms of the size of the energy, last, of a formula system
    int channel_count = 0;                               // as the kernel says, with those of methods for contact
    std::vector<ScalarChannel> scalars;                  // [channel_count]

    // Throw UserError at `where`, with the nearest known address, for one that does not exist; scalar_channel() also
    // for one that names several scalars.
    ChannelGroup channel_group(std::string_view address, const std::string& where) const;
    int scalar_channel(std::string_view address, const std::string& where) const;
    // The channel of a scalar; that of the vector for a norm.
    const DescribedChannel& channel_of(int scalar) const;
    // Those that make up the state of a body (BodyChannel in kernels/system/description.hpp): the first ones of every
    // system.
    std::span<const DescribedChannel> state_channels() const { return std::span(channels).first(4); }
    // "position.top.norm", ...
    std::vector<std::string> norm_addresses() const;
    // Every address that stands for something: those of several scalars first, then those of one.
    std::vector<std::string> channel_addresses() const;

    std::vector<std::string> parameter_addresses() const;
    std::optional<std::size_t> find_parameter(std::string_view address) const;
    // The elements "address[0]", "address[1]", ... of a parameter that is a vector; empty where it is none.
    std::vector<std::size_t> vector_parameter(std::string_view address) const;
};

struct ChartDescription {
    std::string name, summary;
    bool is_for_explicit = false, is_for_implicit = false;  // which methods take it
};

struct IntegratorDescription {
    std::string name, summary;
    bool adaptive = false;
    bool implicit = false;             // solves for the end of each step by Newton's method, constraints included
    bool kinematic = false;            // for mechanisms whose drivers leave no freedom
    bool energy_momentum = false;      // implicit, on unit quaternions and on some joints only
    bool has_parasitic_mode = false;   // of these: weakly unstable over long runs
    bool contact = false;              // for contact, friction and impact; implicit or not
    bool has_spectral_radius = false;  // of an implicit one
    bool has_free_alphas = false;      // of these: alpha_m and alpha_f may stand for the spectral radius
    bool has_ed_alpha_ratio = false;
    int motion_order = 0, force_order = 0;  // as MethodOrders of kernels/system/description.hpp

    // Whether the matrix can be asked to differentiate the exponential map, or to serve for several steps.
    bool has_matrix_options() const { return implicit && !kinematic && !energy_momentum && !contact; }
    // Whether its order lets dexp^-1 be cut: kernels/orientation/short_maps.hpp.
    bool may_cut_dexp_inverse() const { return !implicit && !contact && motion_order <= greatest_order_of_cut; }
    static constexpr int greatest_order_of_cut = 4;
};

// Everything that the catalog has kernels of, in its order.
std::span<const SystemDescription> systems();
std::span<const ChartDescription> all_charts();
std::span<const IntegratorDescription> all_integrators();
// The charts and integrators that this system or mechanism can be run with.
std::span<const ChartDescription> charts_of(const SystemDescription& system);
std::span<const IntegratorDescription> integrators_of(const SystemDescription& system);
// The methods that can run any mechanism, or one with contacts.
std::span<const IntegratorDescription> integrators_of_mechanisms(bool with_contacts);
// Whether there are kernels of all three: some charts are for implicit methods only, one is for explicit ones only, and
// some methods are for one chart.
bool takes(const SystemDescription& system, const IntegratorDescription& integrator, const ChartDescription& chart);
// Whether there are kernels in joint coordinates: of a method on any chart, or on this one.
bool takes_joint_coordinates(const IntegratorDescription& integrator);

// Its summary, and which methods alone take it.
std::string summary_of(const ChartDescription& chart);

// The charts and integrators that only comparisons with papers need: papers/ has them, and a build may be without it.
std::span<const std::string> papers_members();
// False of one of these in such a build.
bool is_built(std::string_view name);

// Whether kernels in single precision are compiled for them, too: for mechanisms, and for other systems with methods
// without contact or conserved energy, on the chart `rotation`.
bool takes_fp32(const SystemDescription& system, const ChartDescription& chart,
                const IntegratorDescription& integrator);

// The powers of the step by which errors shrink: "2, accelerations and forces 1; 1 with impacts"; "exact".
std::string order_text(const IntegratorDescription& integrator);

// Terms of the size of an energy: the largest T, what V rises and falls by.
std::vector<CertificateEntry> terms_of_energy();
// The entries that methods for contact add to the certificate.
std::span<const CertificateEntry> contact_certificate();
// The whole certificate of a run of this system by this method.
std::vector<CertificateEntry> certificate_of(const SystemDescription& system, const IntegratorDescription& integrator);

// "the system heavy_top", "the mechanism four_bar": for messages.
std::string kind_and_name(const SystemDescription& system);

// The command that lists parameters and channels: "myriad list --system heavy_top", "myriad list --mechanism FILE".
std::string listing_of(const SystemDescription& system);

// Parameters are the numbers of the file, in their order.
SystemDescription description_of(const mechanism::Mechanism& mechanism);
// Channels of each body of a mechanism.
std::span<const DescribedChannel> channels_of_bodies();
// Throw UserError at `where`, with a suggestion, for an unknown name.
const SystemDescription& find_system(std::string_view name, const std::string& where);
const ChartDescription& find_chart(std::string_view name, const std::string& where);
const IntegratorDescription& find_integrator(std::string_view name, const std::string& where);
// The same; they also refuse names that `system` cannot be run with.
const ChartDescription& find_chart_for(const SystemDescription& system, std::string_view name,
                                       const std::string& where);
const IntegratorDescription& find_integrator_for(const SystemDescription& system, std::string_view name,
                                                 const std::string& where);

}  // namespace myriad::study
