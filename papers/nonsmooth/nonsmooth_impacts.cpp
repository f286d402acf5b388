// Random impacts by the paper's law (eqs. 11 to 13, 17): how often they gain energy, and how much.
#include <random>

#include "papers/nonsmooth/nonsmooth.hpp"
#include "papers/nonsmooth/random_impact.hpp"

namespace myriad::bench {

namespace {

constexpr int instances = 10000;

// The same numbers on every machine and compiler.
class Draw {
  public:
    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }

  private:
    std::mt19937_64 engine_{2026};
};

struct Law {
    const char* name;
    ContactLaw<double> (*draw)(Draw&);
};
constexpr Law laws[] = {
    {"no friction",
     [](Draw& draw) {
         const double normal = draw.uniform(0.0, 1.0), tangential = draw.uniform(0.0, 1.0);
         return ContactLaw<double>{0.0, normal, tangential};
     }},
    {"friction, equal restitutions",
     [](Draw& draw) {
         const double friction = draw.uniform(0.0, 1.0), restitution = draw.uniform(0.0, 1.0);
         return ContactLaw<double>{friction, restitution, restitution};
     }},
    {"friction, no tangential restitution",
     [](Draw& draw) {
         const double friction = draw.uniform(0.0, 1.0), normal = draw.uniform(0.0, 1.0);
         return ContactLaw<double>{friction, normal, 0.0};
     }},
    {"friction, different restitutions",
     [](Draw& draw) {
         const double friction = draw.uniform(0.0, 1.0), normal = draw.uniform(0.0, 1.0),
                      tangential = draw.uniform(0.0, 1.0);
         return ContactLaw<double>{friction, normal, tangential};
     }},
};

template <int C>
Gains gains_of(const Law& law) {
    Draw draw;
    Gains gains;
    for (int i = 0; i < instances; ++i) {
        const ContactLaw<double> one = law.draw(draw);
        gains.template add<C>(draw, one);
    }
    return gains;
}

}  // namespace

void nonsmooth_impacts(MarkdownPage& page) {
    MarkdownTable table{
        "10,000 random impacts",
        "Two free bodies in a plane, masses from 0.2 to 4.5 kg, touching in one or two points with one normal; random "
        "velocities, friction and restitutions up to 1. Gain: relative to the kinetic energy before.",
        {"law", "points", "impacts", "not solved", "gain energy", "largest gain", "momentum off by (kg m/s)"},
        {}};
    int forbidden = 0, smooth_or_equal = 0, others = 0, other_impacts = 0;
    double largest = 0.0, momentum = 0.0;
    std::string counts;
    for (std::size_t l = 0; l < std::size(laws); ++l) {
        for (const int points : {1, 2}) {
            const Gains gains = points == 1 ? gains_of<1>(laws[l]) : gains_of<2>(laws[l]);
            table.rows.push_back({laws[l].name, std::to_string(points), std::to_string(gains.count),
                                  std::to_string(gains.unsolved), std::to_string(gains.gained), figure(gains.largest),
                                  figure(gains.momentum, 1)});
            momentum = larger(momentum, gains.momentum);
            const int solved = gains.count - gains.unsolved;
            if (l < 2)
                forbidden += gains.gained, smooth_or_equal += solved;
            else
                others += gains.gained, other_impacts += solved, largest = larger(largest, gains.largest);
        }
    }
    page.tables.push_back(table);
    state(page, "an impact without friction, or with equal restitutions, never gains energy (not in the paper)",
          forbidden == 0,
          std::to_string(forbidden) + " of " + std::to_string(smooth_or_equal) +
              " that are solved do; momentum is kept to " + figure(momentum, 1) + " kg m/s by all");
    page.statements.push_back({"an impact with friction and different restitutions never does (not in the paper)",
                               others == 0 ? "holds" : "does not hold",
                               std::to_string(others) + " of " + std::to_string(other_impacts) +
                                   " that are solved gain energy, up to " + figure(largest) + " times what there was"});
}

}  // namespace myriad::bench
