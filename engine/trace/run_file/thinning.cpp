// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/thinning.h"

#include "engine/base/json_fields.h"
#include "engine/base/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

std::string ordinal(int number) {
    const int tens = number / 10 % 10;
    const int ones = number % 10;
    const char* ending = tens == 1 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
    return std::to_string(number) + ending;
}

std::string stepsText(std::int64_t steps) { return fmt::format("{} step{}", steps, steps == 1 ? "" : "s"); }

}  // namespace

Thinning Thinning::of(const RunSpec& run) {
    if (run.sizeLimit <= 0) return {};
    return {.sizeLimit = run.sizeLimit,
            .askedLast = run.keepLast,
            .askedEvery = run.keepEvery,
            .last = std::max(1, run.keepLast),
            .every = std::max(0, run.keepEvery)};
}

std::int64_t Thinning::steps() const {
    const int from = std::max(first, 0);
    const std::int64_t all = std::max(0, before - from);
    if (every == 0 || all == 0) return all;
    // Multiples of `every` among them.
    const auto below = [this](std::int64_t step) { return (step + every - 1) / every; };
    return all - (below(before) - below(from));
}

bool Thinning::keepLess() {
    constexpr int fewer = 4;  // the last steps are worth more, until so many times fewer of the others are left
    const bool many = every > 0 && before / every > last / fewer;
    if (!many && last > 1) last /= 2;
    else if (every > 0) every = every < before ? every * 2 : 0;  // beyond the steps that there are, only step 0 is left
    else return false;
    return true;
}

void Thinning::restarted(int step) { before = std::min(before, step); }

bool isDetail(const Event& event) {
    if (event.step < 0) return false;
    switch (event.kind) {
    case EventKind::Validation:
    case EventKind::Setup:
    case EventKind::Snapshot:
    case EventKind::CheckpointWrite: return false;
    case EventKind::MemoryPeak:
    case EventKind::GradientExponents:
    case EventKind::ExpertLoad:
    case EventKind::ExpertDropped:
    case EventKind::Fp8Scale:
    case EventKind::Fp8Saturated:
    case EventKind::Fp8Flushed: return true;
    default: return isSpan(event.kind) || memoryCategory(event.kind).has_value();
    }
}

std::string keptText(const Thinning& thinning) {
    if (thinning.sizeLimit <= 0) return "every event";
    return fmt::format("every step's figures, all events of the last {}{}", stepsText(thinning.last),
                       thinning.every > 0 ? fmt::format(" and of every {}", ordinal(thinning.every)) : std::string());
}

std::string thinnedText(const Thinning& thinning) {
    if (thinning.steps() == 0) return {};
    return fmt::format("{} ({} events)", stepsText(thinning.steps()),
                       formatCount(static_cast<double>(thinning.events)));
}

std::string writeThinning(const Thinning& thinning) {
    return Json{{"policy", std::string(thinning.policy())},
                {"size_limit", thinning.sizeLimit},
                {"asked_last", thinning.askedLast},
                {"asked_every", thinning.askedEvery},
                {"last", thinning.last},
                {"every", thinning.every},
                {"first", thinning.first},
                {"before", thinning.before},
                {"events", thinning.events}}
        .dump();
}

Status readThinning(std::string_view text, Thinning& thinning) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return fail({say("damaged run file"), "", say("what it says of its size limit is no JSON object"), ""});
    take(json, "size_limit", thinning.sizeLimit);
    take(json, "asked_last", thinning.askedLast);
    take(json, "asked_every", thinning.askedEvery);
    take(json, "last", thinning.last);
    take(json, "every", thinning.every);
    take(json, "first", thinning.first);
    take(json, "before", thinning.before);
    take(json, "events", thinning.events);
    thinning.every = std::max(thinning.every, 0);
    return {};
}

}  // namespace shardlab::trace
