// SPDX-License-Identifier: Apache-2.0
// Beyond one step: what training on so many tokens takes, with the devices' failures.
#pragma once

#include "engine/predict/plan/failures.h"
#include "engine/predict/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardlab::predict {

/// What is asked of a run, beside its layout.
struct WholeRunQuestion {
    double tokens = 0;  ///< or images, to train on
    double price = 0;   ///< of a device's hour, in any currency; 0: the cost is not asked for
    /// Mean hours between failures of one device; 0: nothing fails. Failures of hosts and links count for their
    /// devices.
    double failureHours = 0;
    double checkpointSeconds = 0;
    double restartSeconds = 0;
    double interval = 0;  ///< seconds of work between checkpoints; 0: the best
    bool operator==(const WholeRunQuestion&) const = default;
};

struct WholeRun {
    std::int64_t steps = 0;
    int devices = 0;
    double trainingSeconds = 0;  ///< of all steps
    double seconds = 0;          ///< with checkpoints and failures; infinite where failures leave nothing
    double deviceHours = 0;
    std::optional<double> cost;
    Failures failures;
    double interval = 0;  ///< between checkpoints, of work; 0: none are written
    TimeShares shares;
    double expectedFailures = 0;
    bool ends() const;
};

/// Why the question cannot be answered, in one sentence; empty: it can.
std::string faultOf(const WholeRunQuestion& question);
/// The question has no fault. Where nothing fails no checkpoints are counted but those asked for by an interval.
WholeRun wholeRun(const Plan& plan, const WholeRunQuestion& question);

/// "54.2 days"; hours below two days.
std::string daysText(double seconds);
/// "94.2 % of the time trains; 1.1 % saves, 1.6 % is lost by failures, 3.1 % goes into restarts"
std::string sharesText(const WholeRun& run);

}  // namespace shardlab::predict
