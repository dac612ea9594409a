// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/action.h"

#include "engine/base/visible_text.h"

#include <charconv>

namespace shardlab::layout {
namespace {

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
    const std::string_view word = text.substr(0, text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"));
    const ActionKind kind = actionKindOf(word);
    if (kind != ActionKind::None) text.remove_prefix(word.size());
    return kind;
}

/// An example of each kind: "2F0, 2B0, …".
std::string examples() {
    std::string text;
    for (std::size_t i = 1; i < actionKindCount; ++i) {
        const auto kind = static_cast<ActionKind>(i);
        const bool versioned = actionTraits[kind].versioned == Versioned::Always;
        text += (text.empty() ? "" : ", ") + toText({kind, 2, belongsToMicrobatch(kind) ? 0 : -1, versioned ? 1 : -1});
    }
    return text;
}

}  // namespace

ActionKind actionKindOf(std::string_view word) {
    for (std::size_t i = 1; i < actionKindCount; ++i)
        if (const auto kind = static_cast<ActionKind>(i); actionTraits[kind].text == word) return kind;
    return ActionKind::None;
}

std::string toText(const Action& action) {
    std::string text = std::to_string(action.stage);
    text += actionTraits[action.kind].text;
    if (action.microbatch >= 0) text += std::to_string(action.microbatch);
    if (action.version >= 0) text += "@v" + std::to_string(action.version);
    return text;
}

Result<Action> parseAction(std::string_view text) {
    const std::string_view whole = text;
    const auto refuse = [&](Sentence why) {
        return fail({say("this is no action"), quoted(whole, 40), std::move(why),
                     say("Stage, kind and microbatch: {}; a version follows as @v1", examples())});
    };
    Action action;
    if ((action.stage = takeNumber(text, mostStage)) < 0)
        return refuse(say("it does not begin with a stage, 0 to 65535"));
    if ((action.kind = takeKind(text)) == ActionKind::None) return refuse(say("its kind is unknown"));
    if (belongsToMicrobatch(action.kind) && (action.microbatch = takeNumber(text, mostMicrobatch)) < 0)
        return refuse(say("its kind needs a microbatch, 0 to 16777214"));
    const Versioned versioned = actionTraits[action.kind].versioned;
    if (versioned != Versioned::Never && text.starts_with("@v")) {
        text.remove_prefix(2);
        if ((action.version = takeNumber(text, mostVersion)) < 0)
            return refuse(say("its version is no number from 0 to 65534"));
    }
    if (!text.empty()) return refuse(say("something follows it"));
    if (action.version < 0 && versioned == Versioned::Always) return refuse(say("its kind needs a weight version"));
    return action;
}

ActionId actionId(const Action& action) {
    return static_cast<ActionId>(action.kind) | static_cast<ActionId>(action.stage) << 6 |
           static_cast<ActionId>(action.microbatch + 1) << 22 | static_cast<ActionId>(action.version + 1) << 46;
}

Action actionFromId(ActionId id) {
    Action action;
    const auto kind = static_cast<std::size_t>(id & 0x3F);
    if (kind >= actionKindCount) return action;
    action.kind = static_cast<ActionKind>(kind);
    action.stage = static_cast<int>(id >> 6 & 0xFFFF);
    action.microbatch = static_cast<int>(id >> 22 & 0xFFFFFF) - 1;
    action.version = static_cast<int>(id >> 46 & 0xFFFF) - 1;
    return action;
}

Action otherEnd(const Action& action) {
    const auto of = [&](ActionKind kind, int stages) {
        return Action{kind, action.stage + stages, action.microbatch, action.version};
    };
    switch (action.kind) {
    case ActionKind::SendForward: return of(ActionKind::RecvForward, 1);
    case ActionKind::RecvForward: return of(ActionKind::SendForward, -1);
    case ActionKind::SendBackward: return of(ActionKind::RecvBackward, -1);
    case ActionKind::RecvBackward: return of(ActionKind::SendBackward, 1);
    default: return action;
    }
}

// 31 bits: direction 1, lower stage 11, microbatch 19. Two messages of one pair of ranks could share a tag only beyond
// 2048 stages or 524288 microbatches, and then still match in order.
int pairTag(const Action& action) {
    const bool forward = actionTraits[action.kind].direction == Direction::Forward;
    return (forward ? 0 : 1 << 30) | (lowerStage(action) & 0x7FF) << 19 | (action.microbatch & 0x7FFFF);
}

}  // namespace shardlab::layout
