// SPDX-License-Identifier: Apache-2.0
// An experiment before its run and after it: a lesson's figures are read from these.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/job/run_summary.h"
#include "engine/layout/fault.h"
#include "engine/predict/plan/plan.h"

#include <optional>
#include <vector>

namespace shardlab::launch {

/// What only the events of a run, or of a predicted step, tell.
struct RunTally {
    double bytesPerStep = 0;         ///< over all links, as TrafficMatrix counts them
    double betweenNodesPerStep = 0;  ///< bytes of them that go from one host to another
    double mostSentPerStep = 0;      ///< bytes of them that leave the rank that sends most
    double messagesPerStep = 0;      ///< between stages
    double hopsPerStep = 0;          ///< of rings whose hops are events
    double recomputeSeconds = 0;     ///< a step's device time, mean over ranks and over the steps after the warm-up
    double exposedSeconds = 0;  ///< likewise, in which gradients or parameters travel and the rank does nothing else
    int skippedSteps = 0;       ///< steps whose gradients overflowed
    int weightVersions = 0;     ///< the most that a rank held at once; 0: unknown
    // How evenly experts are used, over the second half of the steps.
    /// Tokens that chose a layer's busiest expert ÷ those of an average one, mean over layers.
    std::optional<double> unevenLoad;
    std::optional<double> droppedShare;  ///< the share of the tokens' choices that found no place
    // Where experts choose their tokens.
    std::optional<double> untakenShare;      ///< the share of a layer's tokens that no expert took, mean over layers
    std::optional<double> expertsOfToken;    ///< the most experts that took one token
    std::optional<double> assignmentRounds;  ///< the most rounds of an assignment
    /// Share of time in which rank 0 takes gradients, updates and sends weights, where it is a server.
    std::optional<double> serverBusy;
    std::optional<double> staleness;  ///< mean over the updates of an asynchronous server, or in shared memory
    std::optional<double>
        overwritten;                ///< share of the elements written in shared memory that overwrote another worker's
    std::optional<double> epochs;   ///< how often the data have been gone through
    std::optional<double> samples;  ///< that the run has trained on
    std::optional<double> differingReplicas;  ///< replicas whose weights differ from the first's, as training ends
    /// The share of the numbers of gradients, times the loss scale, that fp16 has no number but 0 for.
    std::optional<double> vanishing;
    int restarts = 0;       ///< restarts after faults
    int repeatedSteps = 0;  ///< steps done, and done again from a checkpoint before them
    /// On the run's clock, from the last step before each restart to the first one after it.
    double standstillSeconds = 0;
    std::optional<int> ranksAtEnd;          ///< none: the run kept its number of ranks
    std::optional<double> elasticDistance;  ///< at the last exchange with a centre
    std::optional<double> firstScale;       ///< the first loss scale
    std::optional<double> lastScale;
    // Counts over all steps and ranks of a run whose products have 8 bits; none in another run.
    std::optional<double> saturated;  ///< numbers that were larger than the format's largest
    std::optional<double> flushed;    ///< numbers that became 0
};

struct PlannedRun {
    Plan plan;
    RunTally tally;
};

struct MeasuredRun {
    RunSummary summary;
    RunTally tally;
};

tl::expected<PlannedRun, std::vector<Fault>> planRun(const Layout& layout, const Measurements& measurements);
/// Reads all events, so it is meant for a run of a few steps.
Result<MeasuredRun> measureRun(const RunReader& run);
Result<MeasuredRun> measureRun(const std::filesystem::path& file);

}  // namespace shardlab::launch
