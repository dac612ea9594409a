// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/query/query_table.h"

#include "engine/base/saturate.h"
#include "engine/layout/schedule/action.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace shardlab::trace {
namespace {

enum EventColumn {
    Source,
    Rank,
    LaneName,
    Kind,
    ActionText,
    Name,
    Stage,
    Microbatch,
    Step,
    Begin,
    End,
    Duration,
    BytesMoved,
    Value
};

constexpr std::array columns = std::to_array<QueryColumn>({
    {"source", "TEXT", "measured or predicted (one step, times from 0)"},
    {"rank", "INTEGER", "world rank"},
    {"lane", "TEXT", "compute, comm, copy or host"},
    {"kind", "TEXT", "forward, wait, step, loss, memory peak …"},
    {"action", "TEXT", "text form of the action, 3F7; NULL where there is none"},
    {"name", "TEXT", "what an imported run calls it; NULL where it has no name"},
    {"stage", "INTEGER", "global stage of the action"},
    {"microbatch", "INTEGER", "of the action; NULL where it belongs to none"},
    {"step", "INTEGER", "counted from 0; NULL outside steps"},
    {"begin_ns", "INTEGER", "nanoseconds of the run's clock"},
    {"end_ns", "INTEGER", "nanoseconds of the run's clock; begin_ns for counters and instants"},
    {"duration_ns", "INTEGER", "end_ns - begin_ns"},
    {"bytes", "INTEGER", "moved or held by the event; what ranks send in a step is moved_bytes of steps"},
    {"value", "REAL", "of a counter or instant; NULL where it is not finite"},
});

/// A whole number that `cell` is compared with; none where it is something else, which then narrows nothing.
std::optional<std::int64_t> whole(const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return *number;
    return std::nullopt;
}

class EventRows : public RowSource {
public:
    EventRows(const RunReader& run, std::vector<BlockFilter> filters) : run_(run), filters_(std::move(filters)) {}

    Result<bool> next() override {
        while (++at_ >= block_.size()) {
            if (!cursor_) {
                if (filter_ == filters_.size()) return damage_ ? Result<bool>(fail(*damage_)) : false;
                auto selected = run_.blocks(filters_[filter_]);
                if (!selected) return fail(selected.error());
                cursor_.emplace(std::move(*selected));
            }
            const auto more = cursor_->next(block_);
            if (!damage_) damage_ = cursor_->damage();
            if (!more && !damage_) damage_ = more.error();
            if (!more || !*more) {
                cursor_.reset();
                block_.clear();
                ++filter_;
            }
            at_ = static_cast<std::size_t>(-1);
        }
        return true;
    }

    Cell cell(int column) const override {
        const Event& event = block_[at_];
        const bool measured = filters_[filter_].source == EventSource::Measured;
        switch (column) {
        case Source: return std::string(measured ? "measured" : "predicted");
        case Rank: return std::int64_t{event.rank};
        case LaneName: return std::string(name(event.lane));
        case Kind: return std::string(name(event.kind));
        case ActionText:
        case Stage:
        case Microbatch:
            return event.action == 0 || nameNumber(event.action) != 0 ? Cell()
                                                                      : actionCell(column, actionFromId(event.action));
        case Name: return nameNumber(event.action) == 0 ? Cell() : Cell(std::string(run_.names().of(event.action)));
        case Step: return event.step >= 0 ? Cell(std::int64_t{event.step}) : Cell();
        case Begin: return event.begin;
        case End: return event.end;
        case Duration: return saturatedDifference(event.end, event.begin);
        case BytesMoved: return event.bytes;
        case Value: return std::isfinite(event.value) ? Cell(event.value) : Cell();
        default: return {};
        }
    }

    std::optional<Error> damage() const override { return damage_; }

private:
    static Cell actionCell(int column, const Action& action) {
        if (column == ActionText) return toText(action);
        if (column == Stage) return std::int64_t{action.stage};
        return action.microbatch >= 0 ? Cell(std::int64_t{action.microbatch}) : Cell();
    }

    const RunReader& run_;
    std::vector<BlockFilter> filters_;
    std::size_t filter_ = 0;
    std::optional<BlockCursor> cursor_;
    std::vector<Event> block_;
    std::optional<Error> damage_;  ///< the first that a cursor told
    std::size_t at_ = 0;
};

/// Narrows `filter`; false: no event can meet the condition.
bool narrow(BlockFilter& filter, const Condition& condition) {
    const auto number = whole(condition.value);
    const auto* text = std::get_if<std::string>(&condition.value);
    const bool least = condition.comparison != Comparison::AtMost;
    const bool most = condition.comparison != Comparison::AtLeast;
    switch (condition.column) {
    case Source: return !text || *text == (filter.source == EventSource::Measured ? "measured" : "predicted");
    case Rank:
        if (number && condition.comparison == Comparison::Equal) filter.rank = static_cast<int>(*number);
        return true;
    case LaneName:
        if (!text) return true;
        filter.lane = laneNamed(*text);
        return filter.lane.has_value();
    case Begin:
        if (number && most) filter.beginsAtOrBefore = std::min(filter.beginsAtOrBefore.value_or(*number), *number);
        if (number && least) filter.endsAtOrAfter = std::max(filter.endsAtOrAfter.value_or(*number), *number);
        return true;
    case End:
        if (number && least) filter.endsAtOrAfter = std::max(filter.endsAtOrAfter.value_or(*number), *number);
        return true;
    default: return true;
    }
}

Result<std::unique_ptr<RowSource>> open(const RunReader& run, std::span<const Condition> conditions) {
    std::vector<BlockFilter> filters;
    for (const EventSource source : {EventSource::Measured, EventSource::Predicted}) {
        BlockFilter filter;
        filter.source = source;
        bool possible = true;
        for (const Condition& condition : conditions) possible = narrow(filter, condition) && possible;
        if (possible) filters.push_back(filter);
    }
    return std::make_unique<EventRows>(run, std::move(filters));
}

}  // namespace

QueryTable eventsTable() {
    return {{"events", "every event of the run; name source, rank, lane or a range of time to read less", columns},
            {Source, Rank, LaneName, Begin, End},
            open};
}

}  // namespace shardlab::trace
