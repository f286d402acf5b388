#include "host/backends/cuda/device_tables.hpp"

#include <cstring>

#include "kernels/mechanism/topology.hpp"

namespace myriad::backends::cuda {

namespace {

// Appends objects, each at a multiple of the device's alignment.
class Image {
  public:
    explicit Image(std::uint64_t address) : address_(address) {}

    template <class Object>
    std::size_t add(const Object* objects, std::size_t count) {
        constexpr std::size_t alignment = 256;
        const std::size_t at = (bytes_.size() + alignment - 1) / alignment * alignment;
        bytes_.resize(at + count * sizeof(Object));
        if (count > 0) std::memcpy(bytes_.data() + at, objects, count * sizeof(Object));
        return at;
    }
    // The address that a pointer to the object at `at` has on the device.
    template <class Object>
    const Object* pointer(std::size_t at) const {
        return reinterpret_cast<const Object*>(address_ + at);
    }
    template <class Object>
    void replace(std::size_t at, const Object& object) {
        std::memcpy(bytes_.data() + at, &object, sizeof object);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    std::uint64_t address_;
    std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> device_tables(const Task& task, std::uint64_t address) {
    Image image(address);
    const std::size_t plan_at = image.add(&task.plan, 1), table_at = image.add(task.plan.mechanism, 1);
    MechanismTable table = *task.plan.mechanism;
    Elimination& elimination = table.elimination;
    const auto moved = [&]<class Object>(const Object* objects, int count) {
        return image.pointer<Object>(image.add(objects, static_cast<std::size_t>(count)));
    };
    elimination.factor_program = moved(elimination.factor_program, elimination.factor_length);
    elimination.forward_program = moved(elimination.forward_program, elimination.forward_length);
    elimination.backward_program = moved(elimination.backward_program, elimination.backward_length);
    table.piece = moved(table.piece, table.pieces);
    image.replace(table_at, table);
    PlanTable plan = task.plan;
    plan.mechanism = image.pointer<MechanismTable>(table_at);
    image.replace(plan_at, plan);
    return image.take();
}

}  // namespace myriad::backends::cuda
