// SPDX-License-Identifier: Apache-2.0
// Where the time of a predicted step goes: from compute at the devices' peak, over what each cause adds, to the step.
#pragma once

#include "engine/predict/plan/plan.h"

#include <array>
#include <string_view>

namespace shardlab::predict {

enum class WaterfallPart : std::uint8_t {
    Peak,           ///< products and attention at the peak of all devices
    Shape,          ///< what they take longer on their shapes
    Passes,         ///< through memory
    Kernels,        ///< from one kernel to the next
    Recompute,      ///< activations computed again
    Bubble,         ///< ranks wait for each other: fill, drain, unequal stages
    Communication,  ///< what no compute hides
    Optimizer,      ///< update, gradient norm, copies of weights
    Rest,           ///< ranks that share cores, a stack's own factor, what a measurement does not tell apart
};
inline constexpr std::size_t waterfallParts = 9;
std::string_view name(WaterfallPart part);  ///< "compute at peak"
/// One sentence for people.
std::string_view meaning(WaterfallPart part);

struct Waterfall {
    std::array<double, waterfallParts> seconds{};  ///< of the modelled devices, by part; a mean over ranks
    double stepSeconds = 0;                        ///< the plan's: the sum of all parts
    double operator[](WaterfallPart part) const { return seconds[static_cast<std::size_t>(part)]; }
    double share(WaterfallPart part) const { return (*this)[part] / stepSeconds; }
};

/// The step is simulated again and again, each time with one more cause taken out: ranks that share cores,
/// communication, the update; what is left beyond a rank's busy time, in the mean over ranks, is bubble. The busy time
/// is that of computeSplit() and of what is computed again. Where times were measured, only the peak is told apart.
Waterfall waterfall(const Plan& plan);

}  // namespace shardlab::predict
