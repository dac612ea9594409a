// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/pipeline_spans.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <tuple>

namespace shardlab::trace {
namespace {

std::optional<Action> numbered(std::string_view annotation, std::string_view prefix, ActionKind kind) {
    if (!annotation.starts_with(prefix)) return std::nullopt;
    const auto microbatch = parseNumber<int>(annotation.substr(prefix.size()));
    if (!microbatch || *microbatch < 0 || *microbatch > mostMicrobatches) return std::nullopt;
    return Action{kind, 0, *microbatch, -1};
}

/// What a compute action waits for; none: a weight gradient, which waits for no message.
std::optional<Action> awaited(Action action) {
    if (action.kind == ActionKind::Forward) action.kind = ActionKind::RecvForward;
    else if (givesInputGrad(action.kind)) action.kind = ActionKind::RecvBackward;
    else return std::nullopt;
    return action;
}

}  // namespace

std::optional<PipelineName> pipelineName(std::string_view annotation) {
    if (const auto forward = numbered(annotation, "Forward ", ActionKind::Forward)) return PipelineName{*forward};
    if (const auto backward = numbered(annotation, "Backward ", ActionKind::Backward)) return PipelineName{*backward};
    if (!annotation.starts_with("PP:")) return std::nullopt;
    const auto action = parseAction(annotation.substr(3));
    if (!action || action->version >= 0 || actionFromId(actionId(*action)) != *action) return std::nullopt;
    if (!isCompute(action->kind) && !isMessage(action->kind)) return std::nullopt;
    return PipelineName{*action, true};
}

void PipelineSpans::annotate(const PipelineName& name, const ForeignEvent& span, bool device, std::uint64_t external) {
    annotated_.push_back({name, span, external, device});
}

std::optional<PipelineName> PipelineSpans::messageOf(const Exchange& exchange) const {
    const Event& event = exchange.span.event;
    const auto key = [](const Annotated& each) { return std::pair(each.span.thread, each.span.event.begin); };
    const auto after = std::ranges::upper_bound(annotated_, std::pair(exchange.span.thread, event.begin), {}, key);
    if (after == annotated_.begin()) return std::nullopt;
    const Annotated& around = *(after - 1);
    if (around.span.thread != exchange.span.thread || around.span.event.end < event.begin) return std::nullopt;
    PipelineName name = around.name;
    if (name.stageNamed) return isCompute(name.action.kind) ? std::nullopt : std::optional(name);
    if (exchange.side == MessageSide::Unknown) return std::nullopt;
    const bool sends = exchange.side == MessageSide::Send;
    if (name.action.kind == ActionKind::Forward)
        name.action.kind = sends ? ActionKind::SendForward : ActionKind::RecvForward;
    else name.action.kind = sends ? ActionKind::SendBackward : ActionKind::RecvBackward;
    return name;
}

Status PipelineSpans::addMessages(ForeignTrace& trace) {
    for (Exchange& exchange : exchanges_) {
        Event& event = exchange.span.event;
        if (const auto message = messageOf(exchange)) {
            event.kind = eventKind(message->action.kind);
            event.action = actionId(message->action);
            exchange.span.stageOfRank = !message->stageNamed;
            unnamedMessages_ = unnamedMessages_ || !message->stageNamed;
            if (isReceive(message->action.kind)) received_[event.action][event.begin] = event.end;
        }
        if (const Status added = trace.add(exchange.span); !added) return added;
    }
    return {};
}

std::int64_t PipelineSpans::arrival(const Action& message, const Event& span) const {
    const auto all = received_.find(actionId(message));
    if (all == received_.end()) return span.begin;
    const auto later = all->second.lower_bound(span.end);
    const std::int64_t end = later == all->second.begin() ? span.begin : std::prev(later)->second;
    return end > span.begin && end <= span.end ? end : span.begin;
}

Status PipelineSpans::addTo(ForeignTrace& trace, std::uint32_t process) {
    // Where there is a device, the host's annotations last as long as it takes to ask for the work, not to do it.
    const bool device =
        trace.process(process).device || std::ranges::any_of(annotated_, [](const auto& each) { return each.device; });
    std::map<std::uint64_t, std::int64_t> asked;
    for (const Annotated& each : annotated_)
        if (!each.device && each.external != 0) asked.emplace(each.external, each.span.event.begin);
    std::erase_if(annotated_, [&](const Annotated& each) { return each.device != device; });
    std::ranges::stable_sort(annotated_, {}, [](const Annotated& each) {
        return std::tuple(each.span.thread, each.span.event.begin, -each.span.event.end);
    });
    if (const Status added = addMessages(trace); !added) return added;
    std::uint32_t number = std::numeric_limits<std::uint32_t>::max();
    for (Annotated& each : annotated_) {
        const Action& action = each.name.action;
        if (!isCompute(action.kind) || (!each.name.stageNamed && !unnamedMessages_)) continue;
        ForeignEvent& span = each.span;
        if (device && !computing_.contains(span.thread)) continue;
        span.outermost = EventKind::None;
        span.stageOfRank = !each.name.stageNamed;
        span.acts = true;
        span.event.lane = Lane::Compute;
        if (const auto at = asked.find(each.external); device && at != asked.end()) {
            span.launch = number--;
            trace.addLaunch(process, span.launch, at->second);
        }
        const auto message = device ? std::nullopt : awaited(action);
        if (const std::int64_t there = message ? arrival(*message, span.event) : span.event.begin;
            there > span.event.begin) {
            ForeignEvent wait = span;
            wait.event.kind = EventKind::Wait;
            wait.event.end = there;
            wait.event.action = actionId(*message);
            if (const Status added = trace.add(wait); !added) return added;
            span.event.begin = there;
        }
        span.event.kind = eventKind(action.kind);
        span.event.action = actionId(action);
        if (const Status added = trace.add(span); !added) return added;
    }
    return {};
}

}  // namespace shardlab::trace
