// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_summary.h"

#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/base/json_fields.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/record/flight_record.h"

#include <nlohmann/json.hpp>

namespace shardlab::launch {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// Unknown is null, never a made-up zero.
OrderedJson known(double value) { return value > 0 ? OrderedJson(value) : OrderedJson(nullptr); }

OrderedJson memoryOf(const RankFigures& rank) {
    const auto byCategory = [](const MemoryBytes& held) {
        OrderedJson bytes = OrderedJson::object();
        for (int category = 0; category < memoryCategoryCount; ++category)
            bytes[std::string(name(static_cast<MemoryCategory>(category)))] = held[static_cast<std::size_t>(category)];
        return bytes;
    };
    OrderedJson memory{{"rank", rank.record.rank},
                       {"bytes", byCategory(rank.memory)},
                       {"peak", rank.peak},
                       {"predicted_peak", rank.predictedPeak}};
    if (total(rank.host) > 0) memory["host"] = byCategory(rank.host);
    return memory;
}

/// Null where the file has no size limit.
OrderedJson thinningOf(const Thinning& thinning) {
    if (thinning.sizeLimit <= 0) return nullptr;
    return {{"policy", std::string(thinning.policy())},
            {"bytes", thinning.sizeLimit},
            {"keep_last", thinning.last},
            {"keep_every", thinning.every},
            {"thinned_steps", thinning.steps()},
            {"thinned_events", thinning.events}};
}

/// Null where nothing runs beside compute.
OrderedJson communicationOf(const RunSummary& summary) {
    if (!summary.communication) return nullptr;
    return {{"hidden", summary.communication->hidden}, {"exposed", summary.communication->exposed}};
}

/// Null where nothing is paced.
OrderedJson pacedStepOf(const RunSummary& summary) {
    if (!summary.paced) return nullptr;
    const DeviceTime device(summary.stretch);
    return {{"measured", known(device.onClock(summary.stepSeconds))},
            {"predicted", device.onClock(summary.predictedStepSeconds)}};
}

/// Null where the devices' peak is not known.
OrderedJson utilisationOf(const RunSummary& summary) {
    if (!summary.peak.known()) return nullptr;
    return {{"measured", summary.mfu ? OrderedJson(*summary.mfu) : OrderedJson(nullptr)},
            {"predicted", summary.predictedMfu ? OrderedJson(*summary.predictedMfu) : OrderedJson(nullptr)},
            {"peak_flops", summary.peak.flops},
            {"peak_of", summary.peak.of}};
}

OrderedJson checkpointsOf(const CheckpointTally& checkpoints) {
    const OrderedJson none = nullptr;
    return {{"taken", checkpoints.taken},
            {"failed", checkpoints.failed},
            {"newest_step", checkpoints.taken > 0 ? OrderedJson(checkpoints.newest) : none},
            {"last_failed_step", checkpoints.failed > 0 ? OrderedJson(checkpoints.lastFailed) : none},
            {"last_failure", checkpoints.failed > 0 ? OrderedJson(checkpoints.why) : none}};
}

/// The last comparison of each host's clock with the launcher's.
OrderedJson clocksOf(const RunSummary& summary) {
    return listOf(latestOf(summary.clocks), [](const HostClock& clock) {
        return OrderedJson{{"host", clock.host},
                           {"seconds", toSeconds(clock.time)},
                           {"offset_seconds", toSeconds(clock.offset)},
                           {"uncertainty_seconds", toSeconds(clock.uncertainty)},
                           {"drift", clock.drift}};
    });
}

OrderedJson ranksOf(const RunSummary& summary) {
    return listOf(summary.ranks, [](const RankFigures& rank) {
        return OrderedJson{{"rank", rank.record.rank},
                           {"label", rank.record.label},
                           {"host", rank.record.host},
                           {"pid", rank.record.pid},
                           {"end", rank.record.end}};
    });
}

OrderedJson restartsOf(const RunSummary& summary) {
    return listOf(summary.restarts, [&](const Event& restart) {
        return OrderedJson{{"step", restart.step},
                           {"seconds", toSeconds(restart.begin)},
                           {"ranks", ranksAfter(restart).value_or(static_cast<std::int64_t>(summary.ranks.size()))},
                           {"asked", restartNumber(restart) == 0}};
    });
}

OrderedJson stragglersOf(const RunSummary& summary) {
    return listOf(summary.stragglers, [](const Straggler& one) {
        return OrderedJson{{"rank", one.rank},
                           {"cause", std::string(name(one.cause))},
                           {"peer", one.peer < 0 ? OrderedJson(nullptr) : OrderedJson(one.peer)},
                           {"first_step", one.firstStep},
                           {"last_step", one.lastStep},
                           {"steps", one.steps},
                           {"measured", one.measured},
                           {"expected", one.expected}};
    });
}

/// What ranks had under way when they ended.
OrderedJson flightRecordOf(const RunSummary& summary) {
    return listOf(summary.flight, [](const LogLine& line) {
        return OrderedJson{{"rank", line.rank}, {"operation", line.text.substr(flightPrefix.size())}};
    });
}

}  // namespace

std::string toJson(const RunSummary& summary, const std::string& file) {
    const bool steady = summary.stepSeconds > 0;
    const OrderedJson json{
        {"name", summary.layout.name},
        {"origin", summary.origin.empty() ? OrderedJson(nullptr) : OrderedJson(summary.origin)},
        {"steps", summary.stepsDone},
        {"steps_without_details", summary.withoutDetails},
        {"recording", summary.recording},
        {"outcome", summary.end.outcome},
        {"reason", summary.end.reason},
        {"paced", summary.paced},
        {"stretch", summary.stretch},
        {"losses", summary.losses},
        {"validation_losses", listOf(summary.validations, [](const auto& each) { return OrderedJson(each.loss); })},
        {"validation_steps", listOf(summary.validations, [](const auto& each) { return OrderedJson(each.step); })},
        {"step_seconds", {{"measured", known(summary.stepSeconds)}, {"predicted", summary.predictedStepSeconds}}},
        {"paced_step_seconds", pacedStepOf(summary)},
        {"sent_bytes_per_step", steady ? OrderedJson(summary.sentBytes) : OrderedJson(nullptr)},
        {"bubble",
         {{"measured", steady && summary.computes ? OrderedJson(summary.bubble) : OrderedJson(nullptr)},
          {"predicted", summary.predictedBubble},
          {"theory", summary.theoreticalBubble}}},
        {"tokens_per_second", known(summary.tokensPerSecond)},
        {"mfu", utilisationOf(summary)},
        {"data_communication_seconds", communicationOf(summary)},
        {"pace_overrun_seconds", summary.paceOverrun},
        {"memory", listOf(summary.ranks, memoryOf)},
        {"capacity_bytes", summary.capacityBytes},
        {"ranks", ranksOf(summary)},
        {"restarts", restartsOf(summary)},
        {"checkpoints", checkpointsOf(summary.checkpoints)},
        {"clocks", clocksOf(summary)},
        {"events", summary.events},
        {"dropped_events", summary.droppedEvents},
        {"size_limit", thinningOf(summary.thinning)},
        {"stragglers", stragglersOf(summary)},
        {"flight_record", flightRecordOf(summary)},
        {"run", file},
    };
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace shardlab::launch
