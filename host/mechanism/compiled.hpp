// How the kernel parameters of an instance follow from the numbers of the file: expressions first, then geometry.
//
// Each assignment writes a run of parameters. The numbers that it reads are recorded while it runs on the nominal ones,
// so the dependences of a parameter are those of the code that computes it.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "host/mechanism/geometry.hpp"
#include "host/mechanism/model/model.hpp"
#include "host/mechanism/numbers.hpp"

namespace myriad::mechanism {

using model::VectorNumbers, model::OrientationForm, model::OrientationNumbers, model::BodyFrame;

// The numbers of an instance; -1 is the ground, whose frame is the world.
class Inputs {
  public:
    Inputs(std::span<const double> values, const std::vector<BodyFrame>& bodies, std::set<std::size_t>* reads = nullptr)
        : values_(values), bodies_(bodies), reads_(reads) {}

    double operator[](std::size_t number) const {
        if (reads_ != nullptr) reads_->insert(number);
        return values_[number];
    }
    Vector operator[](const VectorNumbers& n) const { return {(*this)[n[0]], (*this)[n[1]], (*this)[n[2]]}; }
    Rotation<double> operator[](const OrientationNumbers& orientation) const;

    Rotation<double> orientation(int body) const;  // body to world, as the file has it
    Vector centre_of_mass(int body) const;         // body frame
    // The orientation of body j relative to body i: components in j to components in i.
    Rotation<double> relative_orientation(int i, int j) const { return inverse(orientation(i)) * orientation(j); }

  private:
    std::span<const double> values_;
    const std::vector<BodyFrame>& bodies_;
    std::set<std::size_t>* reads_;
};

using Write = std::function<void(const Inputs&, double*)>;

struct Assignment {
    int first = 0, count = 0;
    Write write;
    std::vector<std::size_t> reads;  // rising
};

// A last step that changes parameters which the assignments have written, by what others are: where joints start
// (assembly/start_values.hpp). It reads numbers, and those with which the parameters change that it reads.
struct LastStep {
    using Change = std::function<void(const MechanismTable&, const Inputs&, std::span<double> parameters)>;
    Change change;          // empty: none
    Change turn_from_pose;  // the part of it that contradicts no pose of the file; may be empty
    std::vector<std::size_t> reads;
    std::vector<int> parameters;  // rising
};

// Everything that changes with some numbers: definitions in the order of evaluation, assignments and the kernel
// parameters that they and the last step write by rising parameter.
struct Dependents {
    // Forgets what is assigned from this parameter on.

    std::vector<std::size_t> definitions, assignments;
    std::vector<int> parameters;
    bool last_step = false;
};

struct Mechanism::Compiled {
    std::vector<Definition> definitions;  // of each number
    std::vector<std::size_t> order;       // of evaluation
    std::vector<BodyFrame> bodies;
    std::vector<Assignment> assignments;
    LastStep last_step;

    // A number whose element of `overridden` is set is given, and follows from nothing.
    Dependents dependents(std::span<const std::size_t> varied_numbers,
                          std::span<const unsigned char> overridden = {}) const;
};

// Runs the assignment on these numbers and keeps what it read.
void record_reads(Assignment& assignment, std::span<const double> values, const std::vector<BodyFrame>& bodies);

}  // namespace myriad::mechanism
