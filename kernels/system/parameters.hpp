// Parameters of a formula system as named fields of a struct. One function of it,
//
//   template <class Visit>
//   MYRIAD_HD constexpr void describe(Visit visit) {
//       visit(mass, {"mass_kg", "kg", 15.0, "mass"});
//       ...
//   }
//
// tells of each field its address, unit, default and meaning, in the order in which a record holds the values. What the
// kernel reads, what people read and how many there are follow from it; a field that is left out or told twice does not
// compile.
#pragma once
#include "kernels/math/small_matrix.hpp"
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// All fields are Reals.
template <class Parameters>
constexpr int parameter_count_of = static_cast<int>(sizeof(Parameters) / sizeof(typename Parameters::Real));

template <class Real, int N>
struct ParameterReader {
    const Vec<N, Real>& values;
    int& next;
    MYRIAD_HD void operator()(Real& field, const ParameterDescription&) const { field = values[next++]; }
};

// The values under their names.
template <class Parameters>
MYRIAD_HD Parameters named(const Vec<parameter_count_of<Parameters>, typename Parameters::Real>& values) {
    Parameters parameters;
    int next = 0;
    parameters.describe(ParameterReader<typename Parameters::Real, parameter_count_of<Parameters>>{values, next});
    return parameters;
}

#if !defined(__CUDACC_RTC__)
// `Parameters` in double precision, whose fields count how often they were told.
template <class Parameters>
constexpr auto described_parameters() {
    ParameterList<parameter_count_of<Parameters>> list{};
    Parameters told{};
    told.describe([&](double& field, const ParameterDescription& description) {
        if (field != 0.0) throw "a field is told twice";
        field = 1.0;
        list.add(description);
    });
    if (list.count != parameter_count_of<Parameters>) throw "a field is left out";
    return list;
}
template <class Parameters>
inline constexpr auto parameter_list = described_parameters<Parameters>();
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
