// SPDX-License-Identifier: Apache-2.0
// The tables of steps: from the figures that the run stores.
#include "engine/trace/query/query_table.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::array stepColumns = std::to_array<QueryColumn>({
    {"step", "INTEGER", "counted from 0"},
    {"loss", "REAL", "mean over the step's tokens, nats; NULL until known"},
    {"seconds", "REAL", "latest end - earliest begin over ranks, on the run's clock; NULL while the step runs"},
    {"bubble", "REAL", "idle share of the compute lanes, mean over ranks"},
    {"begin_ns", "INTEGER", "earliest begin over ranks, nanoseconds of the run's clock"},
    {"end_ns", "INTEGER", "latest end over ranks, nanoseconds of the run's clock; NULL while the step runs"},
    {"validation_loss", "REAL", "of the validation that followed the step; NULL where there was none"},
    {"busy_ns", "INTEGER", "compute lanes, sum over ranks; so are the following"},
    {"waiting_ns", "INTEGER", "compute lanes idle for a message or for a reduction's other members"},
    {"hidden_ns", "INTEGER",
     "communication of the data axis behind which ranks computed; NULL where none ran beside compute"},
    {"exposed_ns", "INTEGER", "the same for which they waited; NULL where none ran beside compute"},
    {"reduce_ns", "INTEGER", "gradient reductions"},
    {"optimizer_ns", "INTEGER", "updates of the weights"},
    {"recompute_ns", "INTEGER", "computed again, within backwards"},
    {"moved_bytes", "INTEGER", "sent over links, collectives as a ring carries them"},
    {"thinned", "INTEGER", "1 where its events were taken away for the size limit"},
    {"detailed", "INTEGER", "0 where its program recorded no other spans of it on some rank: then they are in no sum"},
});

constexpr std::array rankStepColumns = std::to_array<QueryColumn>({
    {"step", "INTEGER", "counted from 0"},
    {"rank", "INTEGER", "world rank"},
    {"begin_ns", "INTEGER", "nanoseconds of the run's clock"},
    {"end_ns", "INTEGER", "nanoseconds of the run's clock; NULL while the step runs"},
    {"busy_ns", "INTEGER", "compute lane, between the whole step's first forward and last backward"},
    {"waiting_ns", "INTEGER", "compute lane idle for a message or for a reduction's other members"},
    {"reduce_ns", "INTEGER", "gradient reductions"},
    {"optimizer_ns", "INTEGER", "updates of the weights"},
    {"peak_bytes", "INTEGER", "most memory in use in the step"},
    {"hidden_ns", "INTEGER",
     "communication of the data axis behind which it computed; NULL where none ran beside compute"},
    {"exposed_ns", "INTEGER", "the same for which it waited; NULL where none ran beside compute"},
    {"recompute_ns", "INTEGER", "computed again, within backwards"},
    {"overrun_ns", "INTEGER", "of a paced run: by how much the real work outlasted the modelled device"},
    {"standing_ns", "INTEGER", "neither computed nor waited for a message, between its first and last action"},
    {"moved_bytes", "INTEGER", "sent over links, collectives as a ring carries them"},
});

constexpr std::array kindColumns = std::to_array<QueryColumn>({
    {"step", "INTEGER", "counted from 0; NULL outside steps"},
    {"rank", "INTEGER", "world rank"},
    {"kind", "TEXT", "of span: forward, send backward, optimizer …"},
    {"stage", "INTEGER", "global stage of the action; NULL where there is none"},
    {"count", "INTEGER", "spans of the kind and stage in the step"},
    {"duration_ns", "INTEGER", "all of them; what overlaps counts as often"},
    {"bytes", "INTEGER", "all of them"},
});

Cell finite(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }
Cell known(std::int64_t value) { return value >= 0 ? Cell(value) : Cell(); }

Result<std::unique_ptr<RowSource>> openSteps(const RunReader& run, std::span<const Condition>) {
    const auto overview = run.overview();
    if (!overview) return fail(overview.error());
    const Layout& layout = run.header().layout;
    const Restarts restarts(run.restarts());
    MadeRows rows;
    for (const StepOverview& all : *overview) {
        const StepSummary step = summaryOf(all, restarts.ranksOf(all.step, rankCount(layout)), flushes(layout));
        const RankStep& sum = all.sum;
        rows.push_back(
            {std::int64_t{step.step}, finite(step.loss), step.complete ? Cell(step.seconds) : Cell(),
             step.complete && step.detailed() ? finite(step.bubble) : Cell(), step.end != 0 ? Cell(step.begin) : Cell(),
             step.complete ? Cell(step.end) : Cell(), step.validation ? finite(*step.validation) : Cell(), sum.busy,
             sum.waiting, known(sum.hidden), known(sum.exposed), sum.reduce, sum.optimizer, sum.recompute, sum.moved,
             std::int64_t{run.thinning().thinned(step.step) ? 1 : 0}, std::int64_t{step.detailed() ? 1 : 0}});
    }
    return rowsOf(std::move(rows));
}

/// A run has many of these rows: they are made some steps at a time.
class FigureRows : public RowSource {
public:
    using Add = void (*)(const StepFigures& step, MadeRows& rows);
    FigureRows(const RunReader& run, Add add, int first, int last) : run_(run), add_(add), next_(first), last_(last) {}

    Result<bool> next() override {
        while (++at_ >= rows_.size()) {
            rows_.clear();
            at_ = static_cast<std::size_t>(-1);
            if (next_ > last_) return false;
            int read = 0;
            const Status more = run_.readFigures(
                [&](const StepFigures& step) {
                    if (step.times.step > last_) return false;
                    next_ = std::int64_t{step.times.step} + 1;
                    add_(step, rows_);
                    return ++read < stepsAtOnce;
                },
                static_cast<int>(next_));
            if (!more) return fail(more.error());
            if (read < stepsAtOnce) next_ = std::int64_t{last_} + 1;
        }
        return true;
    }
    Cell cell(int column) const override { return rows_[at_][static_cast<std::size_t>(column)]; }

private:
    static constexpr int stepsAtOnce = 1024;
    const RunReader& run_;
    Add add_;
    std::int64_t next_;  ///< step to go on from
    int last_;
    MadeRows rows_;
    std::size_t at_ = static_cast<std::size_t>(-1);
};

void addRankSteps(const StepFigures& step, MadeRows& rows) {
    for (std::size_t rank = 0; rank < step.details.size(); ++rank) {
        const RankStep& own = step.times.ranks[rank];
        rows.push_back({std::int64_t{step.times.step}, static_cast<std::int64_t>(rank), own.begin,
                        own.end != 0 ? Cell(own.end) : Cell(), own.busy, own.waiting, own.reduce, own.optimizer,
                        own.peakBytes, known(own.hidden), known(own.exposed), own.recompute, own.overrun,
                        step.details[rank].standing.sum, own.moved});
    }
}

void addKinds(const StepFigures& step, MadeRows& rows) {
    for (std::size_t rank = 0; rank < step.details.size(); ++rank)
        for (const KindTime& time : step.details[rank].kinds)
            rows.push_back({known(step.times.step), static_cast<std::int64_t>(rank), std::string(name(time.kind)),
                            known(time.stage), time.count, time.nanoseconds, time.bytes});
}

/// The steps, the first column, that the conditions leave over.
std::unique_ptr<RowSource> figureRows(const RunReader& run, FigureRows::Add add, int first,
                                      std::span<const Condition> conditions) {
    std::int64_t from = first;
    std::int64_t to = std::numeric_limits<int>::max() - 1;
    for (const Condition& condition : conditions) {
        const auto* step = std::get_if<std::int64_t>(&condition.value);
        if (!step || condition.column != 0) continue;
        if (condition.comparison != Comparison::AtMost) from = std::max(from, *step);
        if (condition.comparison != Comparison::AtLeast) to = std::min(to, *step);
    }
    if (from > to) return rowsOf({});
    return std::make_unique<FigureRows>(run, add, static_cast<int>(from), static_cast<int>(to));
}

Result<std::unique_ptr<RowSource>> openRankSteps(const RunReader& run, std::span<const Condition> conditions) {
    return figureRows(run, addRankSteps, 0, conditions);
}

Result<std::unique_ptr<RowSource>> openKinds(const RunReader& run, std::span<const Condition> conditions) {
    return figureRows(run, addKinds, -1, conditions);
}

}  // namespace

QueryTable stepsTable() { return {{"steps", "one row per step", stepColumns}, {}, openSteps}; }
QueryTable rankStepsTable() {
    return {{"rank_steps", "one row per step and rank", rankStepColumns}, {0}, openRankSteps};
}
QueryTable kindsTable() {
    return {{"kinds", "one row per step, rank, kind of span and stage", kindColumns}, {0}, openKinds};
}

}  // namespace shardlab::trace
