// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/compute_split.h"

#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/stack_times.h"

#include <limits>

namespace shardlab::predict {
namespace {

double bothWays(const ComputeTimes& times) { return times.forward + times.inputGrad + times.weightGrad; }

DevicePreset withoutKernelStarts(DevicePreset device) {
    device.kernelSeconds = 0;
    return device;
}

/// Nothing waits for its memory.
DevicePreset withoutMemory(DevicePreset device) {
    device.memoryBandwidth = std::numeric_limits<double>::infinity();
    return device;
}

DevicePreset atItsPeak(DevicePreset device) {
    device.matmulEfficiency = 1;
    return device;
}

/// From what each of its causes leaves when those before it are taken out.
ComputeSplit splitOf(double whole, double plain, double started, double computed, double peak) {
    return {peak, computed - peak, started - computed, plain - started, whole - plain};
}

}  // namespace

ComputeSplit computeSplit(const Layout& layout, const StageShape& stage, const TensorShare& share,
                          const DevicePreset& modelled) {
    Layout once = layout;
    once.memory.recompute = RecomputeKind::None;
    once.memory.lossPieces = 1;
    const std::optional<StackOnDevice> on = stackOf(layout, modelled);
    if (!on) {
        const auto seconds = [&](const DevicePreset& device) {
            return bothWays(computeTimes(once, stage, share, device));
        };
        const DevicePreset started = withoutKernelStarts(modelled), computing = withoutMemory(started);
        const double whole = seconds(modelled);
        return splitOf(whole, whole, seconds(started), seconds(computing), seconds(atItsPeak(computing)));
    }
    const DevicePreset device = reachedBandwidths(modelled, *on->architecture);
    SoftwareStack plain = *on->stack;
    plain.overhead = plain.besideGathers = 1;
    SoftwareStack started = plain;
    started.kernelSeconds = 0;
    const auto seconds = [&](const SoftwareStack& stack, const DevicePreset& its) {
        return bothWays(stackTimes(once, stage, share, its, {&stack, on->architecture}));
    };
    return splitOf(seconds(*on->stack, device), seconds(plain, device), seconds(started, device),
                   seconds(started, withoutMemory(device)), stackPeakSeconds(once, stage, share, device, *on));
}

}  // namespace shardlab::predict
