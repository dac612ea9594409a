// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/whole_run.h"

#include "engine/base/units.h"

#include <cmath>
#include <fmt/format.h>

namespace shardlab::predict {
namespace {

constexpr double hour = 3600, day = 24 * hour;
constexpr double mostTokens = 1e18;  ///< so that steps are counted in 64 bits

}  // namespace

bool WholeRun::ends() const { return std::isfinite(seconds); }

std::string faultOf(const WholeRunQuestion& question) {
    const auto tells = [](double number) { return std::isfinite(number) && number >= 0; };
    if (!tells(question.tokens) || question.tokens < 1 || question.tokens > mostTokens)
        return "a run trains on 1 to 1e18 tokens";
    if (!tells(question.price)) return "the price of a device's hour is a number from 0 on";
    if (!tells(question.failureHours)) return "the hours between failures of a device are a number from 0 on";
    if (!tells(question.checkpointSeconds) || !tells(question.restartSeconds) || !tells(question.interval))
        return "the seconds of a checkpoint, of a restart and between checkpoints are numbers from 0 on";
    if (question.failureHours > 0 && question.checkpointSeconds <= 0)
        return "where devices fail, a checkpoint takes some time: its seconds are more than 0";
    return {};
}

WholeRun wholeRun(const Plan& plan, const WholeRunQuestion& question) {
    WholeRun run;
    run.devices = plan.mesh.ranks();
    run.steps = std::llround(std::ceil(question.tokens / static_cast<double>(tokensPerStep(plan.layout))));
    run.trainingSeconds = static_cast<double>(run.steps) * plan.stepSeconds;
    run.failures = {question.failureHours * hour / run.devices, question.checkpointSeconds, question.restartSeconds};
    run.interval = question.interval > 0 ? question.interval : run.failures.any() ? bestInterval(run.failures) : 0;
    run.shares = run.interval > 0 ? timeShares(run.failures, run.interval) : TimeShares{1, 0, 0, 0};
    run.seconds = run.trainingSeconds / run.shares.work;
    run.expectedFailures = run.failures.any() ? run.seconds / run.failures.meanSeconds : 0;
    run.deviceHours = run.seconds / hour * run.devices;
    if (question.price > 0) run.cost = run.deviceHours * question.price;
    return run;
}

std::string daysText(double seconds) {
    if (!std::isfinite(seconds)) return "for ever";
    return seconds < 2 * day ? formatSeconds(seconds) : fmt::format("{:.1f} days", seconds / day);
}

std::string sharesText(const WholeRun& run) {
    std::string text = fmt::format("{} of the time trains", formatPercent(run.shares.work));
    if (run.interval > 0) text += fmt::format("; {} saves", formatPercent(run.shares.saving));
    if (run.failures.any())
        text += fmt::format(", {} is lost by failures, {} goes into restarts", formatPercent(run.shares.again),
                            formatPercent(run.shares.restart));
    return text;
}

}  // namespace shardlab::predict
