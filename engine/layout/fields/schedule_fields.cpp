// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> scheduleFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/schedule/kind",
            .label = "Schedule",
            .help = "Order of forwards and backwards in the pipeline.",
            .access = member<&Layout::schedule, &ScheduleSpec::kind>(),
        },
        {
            .pointer = "/schedule/chunks",
            .label = "Chunks",
            .help = "Virtual stages of each pipeline rank.",
            .unit = "per rank",
            .access = member<&Layout::schedule, &ScheduleSpec::chunks>(),
            .limits = {1, 1024, "there is at least one, and actions number stages with 16 bits"},
        },
        {
            .pointer = "/schedule/stages",
            .label = "Layers per stage",
            .help = "Layers of each stage, in order. The first stage may have no layer but the embedding, and the last "
                    "one none but the output.",
            .unit = "layers",
            .access = member<&Layout::schedule, &ScheduleSpec::stages>(),
            .limits = {0, 10000, "layers are counted"},
            .empty = "even",
        },
        {
            .pointer = "/schedule/count_ends",
            .label = "Count ends",
            .help = "The even split counts the embedding and the output as a layer each: 82 layers on 12 stages are 7 "
                    "on each, and 6 on the first and on the last. Layers that are left over go to the stages in the "
                    "middle.",
            .access = member<&Layout::schedule, &ScheduleSpec::countEnds>(),
        },
        {
            .pointer = "/schedule/in_flight",
            .label = "In flight",
            .help = "Most microbatches that a rank holds at once, for schedules that take a limit (zb-greedy).",
            .unit = "microbatches",
            .access = member<&Layout::schedule, &ScheduleSpec::inFlight>(),
            .limits = {0, 16777216, "microbatches are counted, and actions number them with 24 bits"},
            .zero = "as many as ranks",
        },
        {
            .pointer = "/schedule/actions",
            .label = "By hand",
            .help = "What each pipeline rank computes, in its order, for the schedule custom: F forward, B backward, "
                    "or I and W, its input gradient and its weight gradient.",
            .access = member<&Layout::schedule, &ScheduleSpec::actions>(),
        },
        {
            .pointer = "/schedule/vertical_sync",
            .label = "Vertical sync",
            .help = "A microbatch uses one weight version in all stages, at the price of more stashed versions; for "
                    "pipedream.",
            .access = member<&Layout::schedule, &ScheduleSpec::verticalSync>(),
        },
    };
    return table;
}

std::span<const Field> batchFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/batch/global",
            .label = "Global batch",
            .help = "Samples of one optimizer step over all replicas.",
            .unit = "samples",
            .access = member<&Layout::batch, &BatchSpec::global>(),
            .limits = {1, 16777216, "there is at least one sample, and actions number microbatches with 24 bits"},
        },
        {
            .pointer = "/batch/micro",
            .label = "Microbatch",
            .help = "Samples that go through the pipeline together.",
            .unit = "samples",
            .access = member<&Layout::batch, &BatchSpec::micro>(),
            .limits = {1, 65536, sizeReason},
        },
    };
    return table;
}

}  // namespace shardlab::layout
