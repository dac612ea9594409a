// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/checkpoint_tally.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::string_view tookWords = "checkpoint of step ";
constexpr std::string_view noWords = "no checkpoint of step ";
constexpr std::string_view originWords = "goes on from step ";

/// The step, and the text behind it, of a line that begins with `words`; empty for other lines.
std::optional<std::pair<std::int64_t, std::string>> parsedCheckpointLine(std::string_view text,
                                                                         std::string_view words) {
    if (!text.starts_with(words)) return std::nullopt;
    text.remove_prefix(words.size());
    std::int64_t step = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || !text.starts_with(": ")) return std::nullopt;
    return std::pair(step, std::string(text.substr(2)));
}

}  // namespace

std::string tookCheckpoint(std::int64_t step, const std::string& how) {
    return fmt::format("{}{}: {}", tookWords, step, how);
}
std::string noCheckpoint(std::int64_t step, const std::string& why) {
    return fmt::format("{}{}: {}", noWords, step, why);
}

std::string goesOnFrom(std::int64_t step, const std::string& checkpoint) {
    return fmt::format("{}{}: {}", originWords, step, checkpoint);
}

std::optional<RunOrigin> originOf(std::span<const LogLine> log) {
    for (const LogLine& line : log) {
        if (line.rank >= 0) continue;  // what ranks say is not the launcher's word
        if (auto told = parsedCheckpointLine(line.text, originWords))
            return RunOrigin{told->first, std::move(told->second)};
    }
    return std::nullopt;
}

void CheckpointTally::add(const LogLine& line) {
    if (line.rank < 0) return;
    if (line.level == LogLevel::Info) {
        if (const auto took = parsedCheckpointLine(line.text, tookWords)) ++taken, newest = took->first;
    } else if (auto missed = parsedCheckpointLine(line.text, noWords)) {
        ++failed;
        std::tie(lastFailed, why) = std::move(*missed);
    }
}

std::string CheckpointTally::text() const {
    if (failed == 0) return {};
    if (none() && failed == 1)
        return fmt::format("the one checkpoint, of step {}, could not be taken: {}", lastFailed, why);
    if (none())
        return fmt::format("none of {} checkpoints could be taken; the last, of step {}: {}", failed, lastFailed, why);
    return fmt::format(
        "{} of {} checkpoints could not be taken, the newest is of step {}; the last that failed, of step {}: {}",
        failed, failed + taken, newest, lastFailed, why);
}

}  // namespace shardlab::trace
