// SPDX-License-Identifier: GPL-3.0-or-later
// What training with a scaled loss records beside a run's events; for tests only.
#pragma once

#include "engine/trace/event/exponents.h"
#include "tests/ui/sample_run.h"
#include "tests/support/wings.h"

namespace shardlab::sample {

/// fp16 with a dynamic scale.
inline Layout halfLayout(int data, int pipeline, int microbatches) {
    Layout half = layout(data, pipeline, microbatches);
    half.precision.compute = NumberFormat::Fp16;
    half.precision.lossScale = LossScaling::Dynamic;
    half.precision.scale = 65536;
    return half;
}

inline Event overflow(const RunModel& model, int step, int rank, ActionKind kind, int stage, int microbatch,
                      int layer) {
    const StepExtent& extent = model.steps().extents()[static_cast<std::size_t>(step)];
    const std::int64_t time = extent.lastBackward + 1000;
    return {time,
            time,
            0,
            double(layer),
            actionId({kind, stage, microbatch}),
            step,
            static_cast<std::int16_t>(rank),
            Lane::Compute,
            EventKind::Overflow};
}

/// The scale of each step, halved after those of `overflowing`.
inline void addScales(RunModel& model, std::span<const int> overflowing) {
    double scale = 65536;
    std::vector<Event> events;
    for (const StepExtent& extent : model.steps().extents()) {
        events.push_back({extent.end, extent.end, 0, scale, 0, extent.step,
                          static_cast<std::int16_t>(model.ranks() - 1), Lane::Host, EventKind::LossScale});
        if (std::ranges::find(overflowing, extent.step) != overflowing.end()) scale /= 2;
    }
    model.append(events);
}

/// Every tenth step, each rank: `count(rank, step, exponent)` gradients of each exponent, zeros, and what is not
/// finite.
template <class Count>
void addExponents(RunModel& model, Count count, double zeros, double notFinite) {
    std::vector<Event> events;
    for (const StepExtent& extent : model.steps().extents()) {
        if (extent.step % 10 != 0) continue;
        for (int rank = 0; rank < model.ranks(); ++rank) {
            const auto tell = [&](std::int64_t bin, double value) {
                if (value > 0)
                    events.push_back({extent.lastBackward, extent.lastBackward, bin, value, 0, extent.step,
                                      static_cast<std::int16_t>(rank), Lane::Host, EventKind::GradientExponents});
            };
            for (int bin = 0; bin < exponentBins; ++bin) tell(bin, count(rank, extent.step, firstExponent + bin));
            tell(zeroBin, zeros);
            tell(notFiniteBin, notFinite);
        }
    }
    model.append(events);
}

/// A bell of exponents, as gradients have them.
inline double bell(int rank, int step, int exponent) {
    const double middle = -13 - 0.2 * rank + 0.05 * step;
    const double count = 4e5 * std::exp(-std::pow((exponent - middle) / 5.0, 2) / 2);
    return count >= 1 ? std::floor(count) : 0;
}

}  // namespace shardlab::sample
