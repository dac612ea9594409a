// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/nsight_actions.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace shardlab::trace {
namespace {

struct RangeWord {
    std::string_view text;
    ActionKind first;
    ActionKind second = ActionKind::None;
};

/// Functions of Megatron's schedules and of its communication between stages, and its timers. Its ranges are called by
/// the function's module and name.
constexpr std::array rangeWords{
    RangeWord{"forward_step", ActionKind::Forward},
    RangeWord{"forward-compute", ActionKind::Forward},
    RangeWord{"backward_step", ActionKind::Backward},
    RangeWord{"backward-compute", ActionKind::Backward},
    RangeWord{"recv_forward", ActionKind::RecvForward},
    RangeWord{"forward-recv", ActionKind::RecvForward},
    RangeWord{"send_forward", ActionKind::SendForward},
    RangeWord{"forward-send", ActionKind::SendForward},
    RangeWord{"recv_backward", ActionKind::RecvBackward},
    RangeWord{"backward-recv", ActionKind::RecvBackward},
    RangeWord{"send_backward", ActionKind::SendBackward},
    RangeWord{"backward-send", ActionKind::SendBackward},
    RangeWord{"send_forward_recv_backward", ActionKind::SendForward, ActionKind::RecvBackward},
    RangeWord{"forward-send-backward-recv", ActionKind::SendForward, ActionKind::RecvBackward},
    RangeWord{"send_backward_recv_forward", ActionKind::SendBackward, ActionKind::RecvForward},
    RangeWord{"backward-send-forward-recv", ActionKind::SendBackward, ActionKind::RecvForward},
    RangeWord{"send_forward_recv_forward", ActionKind::SendForward, ActionKind::RecvForward},
    RangeWord{"forward-send-forward-recv", ActionKind::SendForward, ActionKind::RecvForward},
    RangeWord{"send_backward_recv_backward", ActionKind::SendBackward, ActionKind::RecvBackward},
    RangeWord{"backward-send-backward-recv", ActionKind::SendBackward, ActionKind::RecvBackward},
};

bool isComputing(const PipelineName& name) { return isCompute(name.action.kind); }

}  // namespace

std::vector<PipelineName> rangeActions(std::string_view text) {
    if (const auto named = pipelineName(text)) return {*named};
    const std::string_view word = text.substr(text.rfind('.') + 1);
    const auto known = std::ranges::find(rangeWords, word, &RangeWord::text);
    if (known == rangeWords.end()) return {};
    std::vector<PipelineName> actions;
    for (const ActionKind kind : {known->first, known->second})
        if (kind != ActionKind::None) actions.push_back({.action = {kind, 0, 0, -1}, .counted = true});
    return actions;
}

void NsightActions::addRange(const ForeignEvent& span, std::string_view text) {
    std::vector<PipelineName> actions = rangeActions(text);
    if (!actions.empty()) ranges_.push_back({span, std::move(actions)});
}

void NsightActions::rangesEnd() {
    const auto order = [](const Range& range) {
        return std::tuple(range.span.process, range.span.event.begin, ~range.span.event.end);
    };
    std::ranges::stable_sort(ranges_, {}, order);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> until;  // by process and thread
    std::erase_if(ranges_, [&](const Range& range) {
        std::int64_t& end =
            until.emplace(std::pair(range.span.process, range.span.thread), range.span.event.begin).first->second;
        if (range.span.event.begin < end) return true;
        end = range.span.event.end;
        return false;
    });
    for (std::size_t i = 0; i < ranges_.size(); ++i)
        ofProcess_.emplace(ranges_[i].span.process, std::pair(i, i)).first->second.second = i + 1;
}

void NsightActions::addCall(std::uint32_t process, std::int64_t begin, std::uint32_t launch) {
    const auto known = ofProcess_.find(process);
    if (known == ofProcess_.end()) return;
    const auto first = ranges_.begin() + static_cast<std::ptrdiff_t>(known->second.first);
    const auto last = ranges_.begin() + static_cast<std::ptrdiff_t>(known->second.second);
    const auto after = std::upper_bound(
        first, last, begin, [](std::int64_t at, const Range& range) { return at < range.span.event.begin; });
    if (after == first || (after - 1)->span.event.end < begin) return;
    launched_[process].emplace(launch, static_cast<std::size_t>(after - 1 - ranges_.begin()));
}

Status NsightActions::put(const Range& range, const PipelineName& name, ForeignEvent span) {
    span.event.kind = eventKind(name.action.kind);
    span.event.action = actionId(name.action);
    span.event.lane = isComputing(name) ? Lane::Compute : Lane::Comm;
    span.acts = isComputing(name);
    span.stageOfRank = !name.stageNamed;
    span.counted = name.counted;
    span.outermost = EventKind::None;
    span.thread = range.span.thread;
    return trace_.add(span);
}

Result<bool> NsightActions::addWork(const ForeignEvent& span, bool message) {
    const auto process = launched_.find(span.process);
    if (process == launched_.end()) return false;
    const auto launch = process->second.find(span.launch);
    if (launch == process->second.end()) return false;
    Range& range = ranges_[launch->second];
    const bool computes = isComputing(range.actions.front());
    if (computes && span.event.kind == EventKind::Kernel) {
        range.first = std::min(range.first, span.event.begin);
        range.last = std::max(range.last, span.event.end);
    }
    if (computes || !message) return false;
    for (const PipelineName& name : range.actions)
        if (const Status added = put(range, name, span); !added) return fail(added.error());
    return true;
}

Status NsightActions::addTo() {
    for (Range& range : ranges_) {
        if (!isComputing(range.actions.front())) continue;
        ForeignEvent span = range.span;
        if (trace_.process(span.process).device) {
            if (range.first > range.last) continue;  // it asked for nothing that was recorded
            // The step is that in which it was asked for.
            span.launch =
                std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(&range - ranges_.data());
            trace_.addLaunch(span.process, span.launch, span.event.begin);
            span.event.begin = range.first;
            span.event.end = range.last;
        }
        if (const Status added = put(range, range.actions.front(), span); !added) return added;
    }
    return {};
}

}  // namespace shardlab::trace
