#include "host/ensemble/failure_detail.hpp"

#include <limits>

#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/freedom_without_inertia.hpp"
#include "host/mechanism/tree/spare_rows.hpp"
#include "host/study/study_mechanism.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

// A mechanism's kernel has no initial value to give beside a constraint residual. It leaves 1 + the number of the worst
// constraint row there when the mechanism could not be put together, else 0.
std::int32_t worst_row(double from_kernel) {
    return from_kernel >= 1.0 ? static_cast<std::int32_t>(from_kernel) - 1 : -1;
}

// The place of a joint coordinates' row among all constraint rows; -1: it is a force element's.
std::int32_t constraint_row_of(const mechanism::Mechanism& mechanism, int joint_row) {
    std::int32_t first = 0;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const Element& element = mechanism.table.element[e];
        if (element.has_law || element.is_sensor) continue;
        const MultiplierPlace& place = mechanism.multiplier_places[static_cast<std::size_t>(e)];
        const bool is_row = place.source == MultiplierSource::row && place.index >= 0;
        for (int k = 0; k < rows_of(element.kind) && is_row; ++k)
            if (mechanism.table.joint.element[place.index].row[k] == joint_row) return first + k;
        first += rows_of(element.kind);
    }
    for (std::size_t c = 0; c < mechanism.couplings.size(); ++c)
        if (mechanism.table.joint.coupling[c].row == joint_row) return first + static_cast<std::int32_t>(c);
    return -1;
}

// Where the matrix of joint coordinates is singular the kernel leaves -1 - the place of the pivot that its elimination
// lost first: a freedom of the tree, or a row behind them. `first`: of the freedoms, among the names.
std::int32_t weak_place(const mechanism::Mechanism& mechanism, std::int32_t first, double from_kernel) {
    const int place = static_cast<int>(-from_kernel) - 1, freedoms = mechanism.table.joint.tree.freedoms;
    return place < freedoms ? first + place : constraint_row_of(mechanism, place - freedoms);
}

// `varied` is [parameter][count].
std::vector<double> kernel_parameters(const study::Study& study, const std::vector<double>& varied, std::uint64_t count,
                                      std::uint64_t instance) {
    std::vector<double> values = study.parameters;
    for (std::size_t p = 0; p < study.varied.size(); ++p)
        values[static_cast<std::size_t>(study.varied[p].parameter)] = varied[p * count + instance];
    return study.mechanism->kernel_parameters(values, study.given);
}

// The contact with the smallest gap, for an instance whose bodies overlap at the start: the kernel does not name it. -1
// where the mechanism cannot be put together outside the kernel.
std::int32_t deepest_contact(const study::Study& study, const std::vector<double>& parameters) {
    const std::vector<double> gaps = mechanism::initial_gaps(*study.mechanism, parameters);
    std::int32_t deepest = -1;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < gaps.size(); ++c)
        if (!(smallest <= gaps[c])) smallest = gaps[c], deepest = static_cast<std::int32_t>(c);
    return deepest;
}

}  // namespace

FailureDetail::FailureDetail(const study::Study& study)
    : study_(study),
      rows_(static_cast<std::int32_t>(study::constraint_row_names(*study.mechanism).size())),
      contacts_(study.mechanism->table.contacts) {}

std::int32_t FailureDetail::of_instance(const FinishedInstances& finished, std::uint64_t i, double told) const {
    if (finished.chunk.status[i] == static_cast<std::int32_t>(Status::singular_matrix) && told < 0.0)
        return weak_place(*study_.mechanism, rows_ + contacts_, told);
    if (finished.chunk.reason[i] != static_cast<std::int32_t>(Reason::start_penetrates)) return worst_row(told);
    const std::int32_t contact =
        deepest_contact(study_, kernel_parameters(study_, finished.varied, finished.chunk.count, i));
    return contact < 0 ? -1 : rows_ + contact;
}

void name_dead_points(const study::Study& study, const std::vector<double>& varied, backends::Chunk& chunk) {
    if (!study.mechanism) return;
    const std::size_t size = chunk.final_state.size() / chunk.count;
    for (std::uint64_t i = 0; i < chunk.count; ++i) {
        const auto reason = static_cast<Reason>(chunk.reason[i]);
        if (reason != Reason::newton_did_not_converge && reason != Reason::projection_did_not_converge) continue;
        const std::span<const double> bodies(chunk.final_state.data() + i * size, size);
        if (mechanism::is_near_dead_point(*study.mechanism, kernel_parameters(study, varied, chunk.count, i), bodies,
                                          chunk.time_s[i]))
            chunk.reason[i] = static_cast<std::int32_t>(Reason::loop_at_dead_point);
    }
}

std::vector<std::string> detail_names(const mechanism::Mechanism& mechanism) {
    std::vector<std::string> names = study::constraint_row_names(mechanism);
    for (const std::string& contact : mechanism.contact_names) names.push_back("contacts." + contact);
    for (const auto& freedom : mechanism::freedoms_of_tree(mechanism))
        names.push_back(freedom.place + ", inertia of freedom " + std::to_string(freedom.number));
    return names;
}

}  // namespace myriad::ensemble
