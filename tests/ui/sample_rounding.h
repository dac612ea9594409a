// SPDX-License-Identifier: GPL-3.0-or-later
// What training with products in 8 bits records beside a run's events; for tests only.
#pragma once

#include "engine/trace/event/fp8_place.h"
#include "tests/support/wings.h"
#include "tests/ui/sample_run.h"

namespace shardlab::sample {

/// bf16 with products in fp8 and delayed scales.
inline Layout roundedLayout(int data, int pipeline, int microbatches) {
    Layout rounded = layout(data, pipeline, microbatches);
    rounded.precision.compute = NumberFormat::Bf16;
    rounded.precision.products = ProductFormat::Fp8;
    rounded.precision.scaling = ProductScaling::Delayed;
    return rounded;
}

inline constexpr int roundedSteps = 12;
inline constexpr trace::Fp8Place worstPlace{1, trace::LinearPart::Expansion, 2};

/// What two replicas tell of the expansions and projections of the layers 0 and 1. Of all factors 5 numbers became 0 in
/// each microbatch; in step 5, 40 numbers of the worst saturated in each microbatch, but 60 in microbatch 2 of
/// rank 1, after which its scale is what it was before.
inline void addRounding(RunModel& model) {
    std::vector<Event> events;
    for (const StepExtent& extent : model.steps().extents())
        for (const int rank : {0, 1})
            for (const int layer : {0, 1})
                for (const trace::LinearPart part : {trace::LinearPart::Expansion, trace::LinearPart::Projection})
                    for (int factor = 0; factor < 3; ++factor) {
                        const trace::Fp8Place place{layer, part, factor};
                        const bool spike = place == worstPlace && extent.step == 5;
                        const auto tell = [&](EventKind kind, ActionId action, double value) {
                            events.push_back({extent.end, extent.end, fp8Number(place), value, action, extent.step,
                                              static_cast<std::int16_t>(rank), Lane::Host, kind});
                        };
                        tell(EventKind::Fp8Scale, 0, spike && rank == 1 ? 16 : 32);
                        for (int m = 0; m < 4; ++m) {
                            const ActionId action =
                                actionId({factor == 2 ? ActionKind::Backward : ActionKind::Forward, 0, m});
                            if (spike) tell(EventKind::Fp8Saturated, action, rank == 1 && m == 2 ? 60 : 40);
                            tell(EventKind::Fp8Flushed, action, 5);
                        }
                    }
    model.append(events);
}

/// Two replicas, four microbatches each.
inline void fillRounded(RunModel& model) {
    fill(model, plan(roundedLayout(2, 1, 4)), roundedSteps, 7);
    addRounding(model);
}

}  // namespace shardlab::sample
