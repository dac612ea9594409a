// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/action.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace shardlab {
namespace {

// Indexed by ActionKind.
constexpr std::array<std::string_view, 29> names{"NONE",
                                                 "F",
                                                 "B",
                                                 "I",
                                                 "W",
                                                 "R",
                                                 "SEND_F",
                                                 "RECV_F",
                                                 "SEND_B",
                                                 "RECV_B",
                                                 "REDUCE_GRAD",
                                                 "REDUCE_TIED",
                                                 "REDUCE_NORM",
                                                 "STEP",
                                                 "REDUCE_BUCKETS",
                                                 "SCATTER_GRAD",
                                                 "GATHER_F",
                                                 "GATHER_B",
                                                 "GATHER_PARAM",
                                                 "STASH",
                                                 "FREE",
                                                 "PUSH_GRAD",
                                                 "PULL_PARAM",
                                                 "EXCHANGE",
                                                 "OFFLOAD_GRAD",
                                                 "RELOAD_PARAM",
                                                 "SWAP_OUT",
                                                 "SWAP_IN",
                                                 "SWAP_FREE"};

constexpr int mostStage = (1 << 16) - 1;
constexpr int mostMicrobatch = (1 << 24) - 2;
constexpr int mostVersion = (1 << 16) - 2;

/// Takes the number at the front of `text`; -1 where there is none, where it is too large or written with a leading 0.
int takeNumber(std::string_view& text, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0 || value > most || text[0] == '-') return -1;
    if (text[0] == '0' && end != text.data() + 1) return -1;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

ActionKind takeKind(std::string_view& text) {
    const std::size_t length = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    const std::string_view word = text.substr(0, length);
    for (std::size_t kind = 1; kind < names.size(); ++kind)
        if (names[kind] == word) {
            text.remove_prefix(word.size());
            return static_cast<ActionKind>(kind);
        }
    return ActionKind::None;
}

}  // namespace

std::string toText(const Action& action) {
    std::string text = std::to_string(action.stage);
    text += names[static_cast<std::size_t>(action.kind)];
    if (action.microbatch >= 0) text += std::to_string(action.microbatch);
    if (action.version >= 0) text += "@v" + std::to_string(action.version);
    return text;
}

Result<Action> parseAction(std::string_view text) {
    const std::string_view whole = text;
    const auto refuse = [&](const char* why) {
        return fail({"this is no action", fmt::format("\"{}\"", whole.substr(0, 40)), why,
                     "Stage, kind and microbatch: 2F0, 2B0, 2I0, 2W0, 2R0, 2SEND_F0, 2RECV_F0, 2SEND_B0, 2RECV_B0, "
                     "2REDUCE_GRAD, 0REDUCE_TIED, 0REDUCE_NORM, 2STEP, 2REDUCE_BUCKETS0, 2SCATTER_GRAD0, 2GATHER_F0, "
                     "2GATHER_B0, 2GATHER_PARAM, 2STASH@v1, 2FREE@v1, 2PUSH_GRAD, 2PULL_PARAM, 2EXCHANGE, "
                     "2OFFLOAD_GRAD, 2RELOAD_PARAM, 2SWAP_OUT0, 2SWAP_FREE0, 2SWAP_IN0; a version follows as @v1"});
    };
    Action action;
    if ((action.stage = takeNumber(text, mostStage)) < 0) return refuse("it does not begin with a stage, 0 to 65535");
    if ((action.kind = takeKind(text)) == ActionKind::None) return refuse("its kind is unknown");
    if (belongsToMicrobatch(action.kind) && (action.microbatch = takeNumber(text, mostMicrobatch)) < 0)
        return refuse("its kind needs a microbatch, 0 to 16777214");
    if (mayHaveVersion(action.kind) && text.starts_with("@v")) {
        text.remove_prefix(2);
        if ((action.version = takeNumber(text, mostVersion)) < 0)
            return refuse("its version is no number from 0 to 65534");
    }
    if (!text.empty()) return refuse("something follows it");
    if (action.version < 0 && (action.kind == ActionKind::StashWeights || action.kind == ActionKind::FreeWeights))
        return refuse("its kind needs a weight version");
    return action;
}

ActionId actionId(const Action& action) {
    return static_cast<ActionId>(action.kind) | static_cast<ActionId>(action.stage) << 6 |
           static_cast<ActionId>(action.microbatch + 1) << 22 | static_cast<ActionId>(action.version + 1) << 46;
}

Action actionFromId(ActionId id) {
    Action action;
    const auto kind = static_cast<std::size_t>(id & 0x3F);
    if (kind >= names.size()) return action;
    action.kind = static_cast<ActionKind>(kind);
    action.stage = static_cast<int>(id >> 6 & 0xFFFF);
    action.microbatch = static_cast<int>(id >> 22 & 0xFFFFFF) - 1;
    action.version = static_cast<int>(id >> 46 & 0xFFFF) - 1;
    return action;
}

Action otherEnd(const Action& action) {
    Action other = action;
    switch (action.kind) {
    case ActionKind::SendForward:
        other.kind = ActionKind::RecvForward;
        ++other.stage;
        break;
    case ActionKind::RecvForward:
        other.kind = ActionKind::SendForward;
        --other.stage;
        break;
    case ActionKind::SendBackward:
        other.kind = ActionKind::RecvBackward;
        --other.stage;
        break;
    case ActionKind::RecvBackward:
        other.kind = ActionKind::SendBackward;
        ++other.stage;
        break;
    default: break;
    }
    return other;
}

// 31 bits: direction 1, lower stage 11, microbatch 19. Two messages of one pair of ranks could share a tag only beyond
// 2048 stages or 524288 microbatches, and then still match in order.
int pairTag(const Action& action) {
    const bool forward = action.kind == ActionKind::SendForward || action.kind == ActionKind::RecvForward;
    const bool upperEnd = action.kind == ActionKind::RecvForward || action.kind == ActionKind::SendBackward;
    const int lower = action.stage - (upperEnd ? 1 : 0);
    return (forward ? 0 : 1 << 30) | (lower & 0x7FF) << 19 | (action.microbatch & 0x7FFFF);
}

}  // namespace shardlab
