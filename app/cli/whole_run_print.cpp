// SPDX-License-Identifier: Apache-2.0
#include "app/cli/whole_run_print.h"

#include "engine/base/units.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardlab::cli {
namespace {

constexpr double secondsOfDay = 86400;

nlohmann::ordered_json finite(double number) {
    return std::isfinite(number) ? nlohmann::ordered_json(number) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string wholeRunText(const WholeRun& run) {
    std::string text = "Whole run\n";
    const auto line = [&](std::string_view label, const std::string& value) {
        text += fmt::format("{:<16}{}\n", label, value);
    };
    line("Steps", fmt::format("{}, {} of training", run.steps, daysText(run.trainingSeconds)));
    line("Takes", daysText(run.seconds));
    line("Devices", fmt::format("{} × that: {} device hours", run.devices, formatCount(run.deviceHours)));
    if (run.cost) line("Costs", formatCount(*run.cost));
    if (run.interval > 0) {
        line("Goodput", sharesText(run));
        line("Checkpoints", fmt::format("one after every {} of work", formatSeconds(run.interval)));
    }
    if (run.failures.any()) {
        line("Failures", fmt::format("{} expected, one in {} of all devices", formatCount(run.expectedFailures),
                                     formatSeconds(run.failures.meanSeconds)));
        line("Best interval",
             fmt::format("{}; {} by Young's estimate, {} by Daly's", formatSeconds(bestInterval(run.failures)),
                         formatSeconds(youngInterval(run.failures)), formatSeconds(dalyInterval(run.failures))));
    }
    return text;
}

nlohmann::ordered_json wholeRunJson(const WholeRun& run) {
    nlohmann::ordered_json failures;
    if (run.failures.any())
        failures = {{"mean_seconds", run.failures.meanSeconds},
                    {"expected", finite(run.expectedFailures)},
                    {"best_interval_seconds", bestInterval(run.failures)},
                    {"young_interval_seconds", youngInterval(run.failures)},
                    {"daly_interval_seconds", dalyInterval(run.failures)}};
    return {{"steps", run.steps},
            {"devices", run.devices},
            {"training_seconds", run.trainingSeconds},
            {"seconds", finite(run.seconds)},
            {"days", finite(run.seconds / secondsOfDay)},
            {"device_hours", finite(run.deviceHours)},
            {"cost", run.cost ? finite(*run.cost) : nlohmann::ordered_json(nullptr)},
            {"interval_seconds", run.interval},
            {"shares",
             {{"goodput", run.shares.work},
              {"saving", run.shares.saving},
              {"lost", run.shares.again},
              {"restart", run.shares.restart}}},
            {"failures", std::move(failures)}};
}

}  // namespace shardlab::cli
