// A joint as its definition in the file has it, for the numbers of one instance: what its bodies share, what moves,
// what it measures. Right from points, axes, references and the file's orientations; nothing is read of the kernels'
// rows.
//
//   zero       references where given; else a direction across A's axis, and on B where that lies in the file's
//              orientations, or, where these have the axes far apart, after the least turn that lays B's axis on A's
//   angle      of B against A about A's axis, from A's reference to B's; angle_1 about A's axis from where B's lies in
//              the file, angle_2 about B's from where A's lies
//   slides     of B's point against A's along directions of A: the axis; or reference, axis x reference, axis; without
//              axes x, y, z
//   rows       in the order in which a file's joint has multipliers
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/mechanism/model/model.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::reference {

// The numbers of one instance; -1 is the ground, whose frame is the world.
class ModelNumbers {
  public:
    ModelNumbers(const model::Model& model, std::span<const double> values) : model_(model), values_(values) {}

    double operator[](std::size_t number) const { return values_[number]; }
    Eigen::Vector3d operator[](const model::VectorNumbers& numbers) const;
    Eigen::Matrix3d operator[](const model::OrientationNumbers& orientation) const;

    Eigen::Matrix3d orientation(int body) const;  // body to world, in the file
    // In body axes.
    Eigen::Vector3d from_centre_of_mass(int body, const model::VectorNumbers& point) const;

  private:
    const model::Model& model_;
    std::span<const double> values_;
};

// The unit direction of `given` without its part along the unit direction n; and that of a coordinate axis, or of the
// one that is farthest from n where they come close.
Eigen::Vector3d across(const Eigen::Vector3d& given, const Eigen::Vector3d& n);
Eigen::Vector3d across(int coordinate_axis, const Eigen::Vector3d& n);

class DefinedJoint {
  public:
    DefinedJoint(const model::Joint& joint, const ModelNumbers& numbers);

    std::vector<ModelElement> rows() const;
    // Measures a coordinate, by its name; `drives`: an angle at the function makes a row that is regular everywhere.
    ModelElement measure(const std::string& coordinate, bool drives) const;
    HangingBody hanging(int body, int parent) const;
    // Which freedom of the joint the coordinate is, where `parent` carries it; -1 where it is none.
    int freedom_of(const std::string& coordinate, int parent) const;

  private:
    struct Turn {
        std::array<int, 2> body;
        Eigen::Vector3d axis, from, to;
    };

    ModelElement element(RowKind kind) const;
    ModelElement parallel_row(const Eigen::Vector3d& on_a, const Eigen::Vector3d& on_b) const;
    ModelElement point_row(const Eigen::Vector3d& along) const;
    Eigen::Vector3d normal(std::size_t side, int which) const;
    Eigen::Vector3d slide(int which) const;
    Turn turn(const std::string& coordinate) const;

    const model::Joint& joint_;
    Eigen::Matrix3d to_a_;  // from B's axes, in the file's orientations
    std::array<Eigen::Vector3d, 2> point_, axis_, reference_;
};

}  // namespace myriad::reference
