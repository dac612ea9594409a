// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

#include "engine/base/most_ranks.h"

namespace shardlab::layout {

std::span<const Field> runFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/run/steps",
            .label = "Steps",
            .help = "Optimizer steps of the run.",
            .unit = "steps",
            .access = member<&Layout::run, &RunSpec::steps>(),
            .limits = {1, mostCounted, "a run has at least one step"},
        },
        {
            .pointer = "/run/seed",
            .label = "Seed",
            .help = "Start of every random stream: weights and data.",
            .access = member<&Layout::run, &RunSpec::seed>(),
        },
        {
            .pointer = "/run/validate_every",
            .label = "Validate every",
            .help = "Steps between validations. With 0 there is one after the last step only.",
            .unit = "steps",
            .access = member<&Layout::run, &RunSpec::validateEvery>(),
            .limits = {0, mostCounted, "steps are counted"},
            .zero = "at the end",
        },
        {
            .pointer = "/run/validation_batches",
            .label = "Validation batches",
            .help = "Global batches of one validation.",
            .unit = "batches",
            .access = member<&Layout::run, &RunSpec::validationBatches>(),
            .limits = {1, 1000000, "a mean needs at least one batch"},
        },
        {
            .pointer = "/run/deadline",
            .label = "Deadline",
            .help = "Seconds after which a rank that stands still within a step ends the run, with a report; in the "
                    "first step, which loads libraries, at least 60. With 0 the deadline follows from how long steps "
                    "take.",
            .unit = "s",
            .access = member<&Layout::run, &RunSpec::deadline>(),
            .limits = {0, 86400, "people would notice first if a run stood still for more than a day"},
            .zero = "from the steps",
        },
        {
            .pointer = "/run/max_restarts",
            .label = "Restarts",
            .help = "How often a run whose ranks die or hang goes on from its last checkpoint. With 0 it ends.",
            .unit = "times",
            .access = member<&Layout::run, &RunSpec::maxRestarts>(),
            .limits = {0, 1000, "what fails a thousand times will fail again"},
        },
        {
            .pointer = "/run/min_data",
            .label = "Fewest replicas",
            .help = "Fewest replicas of an elastic run. Where ranks or hosts are lost, or when it is asked to, the "
                    "run goes on from its newest checkpoint with fewer replicas, down to this many, and later with "
                    "up to parallel.data again; the batch and the losses stay.",
            .unit = "replicas",
            .access = member<&Layout::run, &RunSpec::minData>(),
            .limits = {0, mostRanks, "replicas are counted, and events number ranks with 16 bits"},
            .zero = "off",
        },
        {
            .pointer = "/run/faults",
            .label = "Faults on purpose",
            .help =
                "Faults that a rank brings about on purpose once so many steps are done. kill 1 after 12: rank 1 dies. "
                "hang 1 after 12: it stands still. slow 1 after 12 by 2.5: from then on it computes 2.5 times as long.",
            .access = member<&Layout::run, &RunSpec::faults>(),
        },
        {
            .pointer = "/run/size_limit",
            .label = "Size limit",
            .help = "Bytes that the run file may grow to (500 MB). Without a limit every event is kept. Near the "
                    "limit the policy last-and-every takes over: the metrics of every step stay, and so do the "
                    "events of the last steps and of every k-th step.",
            .unit = "bytes",
            .access = member<&Layout::run, &RunSpec::sizeLimit>(),
            .limits = {0, 1e15, "a file has no negative size"},
            .zero = "no limit",
        },
        {
            .pointer = "/run/keep_last",
            .label = "Keep last",
            .help = "With a size limit, so many steps at the end keep all their events.",
            .unit = "steps",
            .access = member<&Layout::run, &RunSpec::keepLast>(),
            .limits = {1, mostCounted, "the end of a run can always be looked at"},
        },
        {
            .pointer = "/run/keep_every",
            .label = "Keep every",
            .help = "With a size limit, every k-th of the steps before the last ones keeps its events too; this is "
                    "k. Where these events no longer fit, k doubles.",
            .unit = "steps",
            .access = member<&Layout::run, &RunSpec::keepEvery>(),
            .limits = {0, mostCounted, "steps are counted"},
            .zero = "none",
        },
    };
    return table;
}

std::span<const Field> checkpointFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/checkpoint/every",
            .label = "Every",
            .help = "Steps between checkpoints, with one at the run's end. With 0 a checkpoint is taken only when it "
                    "is asked for.",
            .unit = "steps",
            .access = member<&Layout::checkpoint, &CheckpointSpec::every>(),
            .limits = {0, mostCounted, "steps are counted"},
            .zero = "when asked for",
        },
        {
            .pointer = "/checkpoint/keep",
            .label = "Keep",
            .help = "Newest checkpoints that stay; older ones are removed.",
            .unit = "checkpoints",
            .access = member<&Layout::checkpoint, &CheckpointSpec::keep>(),
            .limits = {1, 1000000, "the newest one always stays"},
        },
        {
            .pointer = "/checkpoint/first",
            .label = "Step 0 too",
            .help = "A checkpoint before the first step, of the weights that training begins with. It stays beside the "
                    "newest ones.",
            .access = member<&Layout::checkpoint, &CheckpointSpec::first>(),
        },
        {
            .pointer = "/checkpoint/path",
            .label = "Folder",
            .help = "Folder of the checkpoints, relative to the layout file.",
            .access = member<&Layout::checkpoint, &CheckpointSpec::path>(),
            .empty = "the run file's",
        },
    };
    return table;
}

}  // namespace shardlab::layout
