// The channels of an instance's present state, by their numbers: what observers and quantities read.
#pragma once
#include "kernels/run/instance.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The channels of a state at which a system has looked, by
//   View(system, motion, memory), needs_of(topology, i), look(needs), channel(i)
template <class System>
class SeenChannels {
  public:
    template <class Memory>
    MYRIAD_HD SeenChannels(const System& system, const Motion<System>& motion, const Memory& memory, int needs)
        : view_(system, motion, memory) {
        if (needs >= 0) view_.look(needs);
    }
    // Without a zero below 0: products that a plan lets a kernel leave out change the sign of a zero.
    MYRIAD_HD typename System::Real channel(int index) const {
        return view_.channel(index) + typename System::Real(0.0);
    }

  private:
    typename System::View view_;
};

// The channels of a system that looks anew at a state for each. An integrator may have channels of its own, by
//   channel_count<System>, channel(system, i, motion, memory)
// of which the first ones are the system's.
template <class Integrator, class System>
struct OwnChannels {
    using Real = typename System::Real;
    const System& system;
    const Instance<Integrator, System>& instance;
    MYRIAD_HD Real channel(int index) const { return formula_channel(index); }

  private:
    // A call: inside the loop over steps the code of all channels would push the state of rk4 out of the registers.
    MYRIAD_NOINLINE Real formula_channel(int index) const {
        if constexpr (requires { Integrator::template channel_count<System>; })
            return Integrator::channel(system, index, instance.motion, instance.memory);
        else
            return system.channel(index, instance.motion.q, instance.motion.v);
    }
};

template <class Real>
struct UnseenChannels {
    MYRIAD_HD Real channel(int) const { return Real(0.0); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
