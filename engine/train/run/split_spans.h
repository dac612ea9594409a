// SPDX-License-Identifier: Apache-2.0
// Spans of compute actions that are cut by what they wait for, layer by layer.
#pragma once

#include "engine/train/run/rank_trace.h"

#include <deque>

namespace shardlab {

/// Told to the trace in the order in which they were, as far as their moments are known.
class SplitSpans {
public:
    /// `trace` outlives it.
    explicit SplitSpans(RankTrace& trace) : trace_(trace) {}

    /// What is waited for until end() cuts the action's span.
    void begin(const Action& compute, const Moment& at) { add({Kind::Begin, compute, at, at}); }
    void end(const Moment& at) { add({Kind::End, {}, at, at}); }
    /// For the collective `what`; also between two actions.
    void wait(const Action& what, const Moment& begin, const Moment& end) { add({Kind::Wait, what, begin, end}); }
    /// Tells what has become known.
    void collect();

    void beginStep() { waited_ = 0; }
    /// Nanoseconds of all waits that were told in the step.
    std::int64_t waited() const { return waited_; }

private:
    enum class Kind { Begin, Wait, End };
    struct Mark {
        Kind kind{};
        Action action;
        Moment begin, end;
    };
    void add(Mark mark);
    void tell(const Mark& mark, std::int64_t begin, std::int64_t end);

    RankTrace& trace_;
    std::deque<Mark> marks_;  ///< not yet known
    Action compute_;
    bool inside_ = false;     ///< of an action, as far as it is known
    std::int64_t begin_ = 0;  ///< of its span that comes next
    std::int64_t waited_ = 0;
};

}  // namespace shardlab
