// SPDX-License-Identifier: Apache-2.0
// Records the spans of compute actions that go layer by layer, split wherever the action waits.
#pragma once

#include "engine/train/run/rank_trace.h"

#include <deque>

namespace shardlab::train {

/// Spans reach the trace in order, each once its moments are known.
class SplitSpans {
public:
    /// `trace` outlives this object.
    explicit SplitSpans(RankTrace& trace) : trace_(trace) {}

    /// The action's span begins; each wait until end() splits it.
    void begin(const Action& compute, const Moment& at) { add({Kind::Begin, compute, at, at}); }
    void end(const Moment& at) { add({Kind::End, {}, at, at}); }
    /// A wait for the collective `what`, within an action or between two.
    void wait(const Action& what, const Moment& begin, const Moment& end) { add({Kind::Wait, what, begin, end}); }
    /// Records the spans whose moments have become known.
    void collect();

    void beginStep() { waited_ = 0; }
    /// Nanoseconds of all waits that have been recorded in the step.
    std::int64_t waited() const { return waited_; }

private:
    enum class Kind { Begin, Wait, End };
    struct Mark {
        Kind kind{};
        Action action;
        Moment begin, end;
    };
    void add(Mark mark);
    void record(const Mark& mark, std::int64_t begin, std::int64_t end);

    RankTrace& trace_;
    std::deque<Mark> marks_;  ///< marks whose moments are not yet known
    Action compute_;
    bool inside_ = false;     ///< whether the marks recorded so far end within an action
    std::int64_t begin_ = 0;  ///< begin of the action's next span
    std::int64_t waited_ = 0;
};

}  // namespace shardlab::train
