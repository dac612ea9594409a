// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/figure_codec.h"

#include "engine/trace/event/column_codec.h"
#include "engine/trace/event/number_table.h"
#include "engine/trace/event/zstd_bytes.h"
#include "engine/trace/metrics/metric_store.h"
#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::size_t overviewNumbers = 22, stepNumbers = 5, rankNumbers = 27, kindNumbers = 7;

std::int64_t bitsOf(double value) { return reversedBits(std::bit_cast<std::uint64_t>(value)); }
double valueOf(std::int64_t bits) { return std::bit_cast<double>(reversedBack(bits)); }
std::int64_t bitsOf(const std::optional<double>& value) { return bitsOf(value.value_or(0)); }

constexpr auto since = wrappingDifference;

tl::unexpected<Error> damaged(const char* why) { return fail({"damaged figures", "", why, ""}); }

/// Rows of one kind and stage together, step by step: they hardly differ.
void addKinds(std::span<const StepFigures> steps, NumberTable& table) {
    struct Place {
        const KindTime* time;
        std::int64_t step, rank;
    };
    std::vector<Place> rows;
    for (const StepFigures& figures : steps)
        for (std::size_t rank = 0; rank < figures.details.size(); ++rank)
            for (const KindTime& time : figures.details[rank].kinds)
                rows.push_back({&time, figures.times.step, static_cast<std::int64_t>(rank)});
    std::ranges::stable_sort(rows, {}, [](const Place& row) { return std::pair(row.time->kind, row.time->stage); });
    for (const auto& [time, step, rank] : rows)
        table.add({static_cast<std::int64_t>(time->kind), time->stage, step, rank, time->count, time->nanoseconds,
                   time->bytes});
}

void addRank(std::int64_t step, std::int64_t number, const RankStep& rank, const RankDetail& detail,
             NumberTable& table) {
    const IdleTime& stood = detail.standing;
    const MemoryBytes& memory = detail.memory;
    table.add({step,
               number,
               rank.begin,
               since(rank.end, rank.begin),
               since(rank.firstForward, rank.begin),
               since(rank.lastBackward, rank.begin),
               rank.busy,
               rank.kernelsEnd,
               rank.waiting,
               rank.reduce,
               rank.optimizer,
               rank.recompute,
               rank.hidden,
               rank.exposed,
               rank.overrun,
               rank.moved,
               rank.peakBytes,
               stood.sum,
               stood.pending,
               since(stood.last, rank.begin),
               memory[0],
               memory[1],
               memory[2],
               memory[3],
               memory[4],
               memory[5],
               rank.withoutDetails});
}

void takeRank(const NumberTable& table, std::size_t row, RankStep& rank, RankDetail& detail) {
    std::size_t column = 2;
    const auto next = [&] { return table.at(row, column++); };
    rank.begin = next();
    for (std::int64_t* time : {&rank.end, &rank.firstForward, &rank.lastBackward})
        *time = wrappingSum(rank.begin, next());
    for (std::int64_t* figure :
         {&rank.busy, &rank.kernelsEnd, &rank.waiting, &rank.reduce, &rank.optimizer, &rank.recompute, &rank.hidden,
          &rank.exposed, &rank.overrun, &rank.moved, &rank.peakBytes, &detail.standing.sum, &detail.standing.pending})
        *figure = next();
    detail.standing.last = wrappingSum(rank.begin, next());
    for (std::int64_t& bytes : detail.memory) bytes = next();
    rank.withoutDetails = next();
}

/// What follows from the rest.
void complete(StepSummary& step, bool flushes) {
    for (const RankStep& rank : step.ranks) {
        if (rank.firstForward >= 0 && (step.firstForward < 0 || rank.firstForward < step.firstForward))
            step.firstForward = rank.firstForward;
        step.lastBackward = std::max(step.lastBackward, rank.lastBackward);
        if (rank.end == 0) continue;
        step.begin = step.end == 0 ? rank.begin : std::min(step.begin, rank.begin);
        step.end = std::max(step.end, rank.end);
    }
    const StepSummary whole = summaryOf(overviewOf(step), step.active, flushes);
    step.moved = whole.moved;
    step.withoutDetails = whole.withoutDetails;
    step.seconds = whole.seconds;
    step.bubble = whole.bubble;
    step.complete = whole.complete;
}

/// -1 stands for none.
bool isFigure(std::int64_t value) { return value >= -1 && value <= mostFigure; }

bool areFigures(const RankStep& rank) {
    return std::ranges::all_of(std::array{rank.begin, rank.end, rank.firstForward, rank.lastBackward, rank.busy,
                                          rank.kernelsEnd, rank.waiting, rank.reduce, rank.optimizer, rank.recompute,
                                          rank.hidden, rank.exposed, rank.overrun, rank.moved, rank.peakBytes,
                                          rank.withoutDetails},
                               isFigure);
}

bool areFigures(const StepOverview& all) {
    return areFigures(all.sum) && all.ended >= 0 &&
           std::ranges::all_of(
               std::array{all.begin, all.end, all.spent, all.firstForward, all.lastBackward, all.counted}, isFigure);
}

bool areFigures(const RankDetail& detail) {
    return std::ranges::all_of(detail.memory, isFigure) && isFigure(detail.standing.sum) &&
           isFigure(detail.standing.pending) && isFigure(detail.standing.last);
}

bool isStep(std::int64_t step) { return step >= -1 && step <= std::numeric_limits<std::int32_t>::max(); }

}  // namespace

static_assert(memoryCategoryCount == 6, "a category more is a column more, at the end");

Bytes packOverviews(std::span<const StepOverview> steps) {
    NumberTable table(overviewNumbers);
    for (const StepOverview& step : steps) {
        const RankStep& sum = step.sum;
        table.add({step.step,
                   step.ended,
                   step.begin,
                   since(step.end, step.begin),
                   step.spent,
                   since(step.firstForward, step.begin),
                   since(step.lastBackward, step.begin),
                   step.counted,
                   bitsOf(step.loss),
                   step.validation ? 1 : 0,
                   bitsOf(step.validation),
                   sum.busy,
                   sum.waiting,
                   sum.reduce,
                   sum.optimizer,
                   sum.recompute,
                   sum.hidden,
                   sum.exposed,
                   sum.overrun,
                   sum.moved,
                   sum.peakBytes,
                   sum.withoutDetails});
    }
    Bytes bytes;
    table.append(bytes);
    return packBytes(bytes);
}

Result<std::vector<StepOverview>> unpackOverviews(std::span<const std::byte> packed) {
    const auto bytes = unpackBytes(packed);
    if (!bytes) return fail(bytes.error());
    ByteReader reader(*bytes);
    NumberTable table(overviewNumbers);
    if (!table.read(reader, stepsPerOverview) || !reader.atEnd())
        return damaged("a column does not decode, or it holds more steps than a block");
    std::vector<StepOverview> steps(table.rows());
    for (std::size_t row = 0; row < steps.size(); ++row) {
        StepOverview& step = steps[row];
        std::size_t column = 0;
        const auto next = [&] { return table.at(row, column++); };
        const std::int64_t number = next();
        if (!isStep(number) || (row > 0 && number <= steps[row - 1].step)) return damaged("its steps do not ascend");
        step.step = static_cast<int>(number);
        step.ended = static_cast<int>(std::clamp<std::int64_t>(next(), -1, std::numeric_limits<int>::max()));
        step.begin = next();
        step.end = wrappingSum(step.begin, next());
        step.spent = next();
        step.firstForward = wrappingSum(step.begin, next());
        step.lastBackward = wrappingSum(step.begin, next());
        step.counted = next();
        step.loss = valueOf(next());
        const bool validated = next() != 0;
        const double validation = valueOf(next());
        if (validated) step.validation = validation;
        RankStep& sum = step.sum;
        for (std::int64_t* figure : {&sum.busy, &sum.waiting, &sum.reduce, &sum.optimizer, &sum.recompute, &sum.hidden,
                                     &sum.exposed, &sum.overrun, &sum.moved, &sum.peakBytes, &sum.withoutDetails})
            *figure = next();
        if (!areFigures(step)) return damaged("a figure is no measurement");
    }
    return steps;
}

Bytes packFigures(std::span<const StepFigures> steps) {
    NumberTable whole(stepNumbers), ranks(rankNumbers), kinds(kindNumbers);
    for (const StepFigures& figures : steps) {
        const StepSummary& step = figures.times;
        whole.add({step.step, step.busy, bitsOf(step.loss), step.validation ? 1 : 0, bitsOf(step.validation)});
        for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
            if (step.ranks[rank] != RankStep{} || figures.details[rank] != RankDetail{})
                addRank(step.step, static_cast<std::int64_t>(rank), step.ranks[rank], figures.details[rank], ranks);
    }
    addKinds(steps, kinds);
    Bytes bytes;
    for (const NumberTable* table : {&whole, &ranks, &kinds}) table->append(bytes);
    return packBytes(bytes);
}

Result<std::vector<StepFigures>> unpackFigures(std::span<const std::byte> packed, int ranks, bool flushes,
                                               const Restarts& restarts) {
    const auto bytes = unpackBytes(packed);
    if (!bytes) return fail(bytes.error());
    ByteReader reader(*bytes);
    NumberTable whole(stepNumbers), rankTable(rankNumbers), kinds(kindNumbers);
    if (!whole.read(reader, static_cast<std::uint64_t>(stepsPerBlock(ranks))) ||
        !rankTable.read(reader, whole.rows() * static_cast<std::uint64_t>(ranks)) || !kinds.read(reader))
        return damaged("a column does not decode, or there are more rows than a block's steps and ranks have");
    if (!reader.atEnd()) return damaged("there are bytes behind it");

    std::vector<StepFigures> steps;
    for (std::size_t row = 0; row < whole.rows(); ++row) {
        const std::int64_t number = whole.at(row, 0);
        if (!isStep(number) || (row > 0 && number <= steps.back().times.step))
            return damaged("its steps do not ascend");
        StepFigures& figures = steps.emplace_back(
            StepFigures::of(static_cast<int>(number), ranks, restarts.ranksOf(static_cast<int>(number), ranks)));
        figures.times.busy = asFigure(whole.at(row, 1));
        figures.times.loss = valueOf(whole.at(row, 2));
        if (whole.at(row, 3) != 0) figures.times.validation = valueOf(whole.at(row, 4));
    }
    const auto place = [&](std::int64_t step, std::int64_t rank) -> StepFigures* {
        const auto found = std::ranges::lower_bound(
            steps, step, {}, [](const StepFigures& figures) { return std::int64_t{figures.times.step}; });
        return found != steps.end() && found->times.step == step && rank >= 0 && rank < ranks ? &*found : nullptr;
    };
    for (std::size_t row = 0; row < rankTable.rows(); ++row) {
        const std::int64_t rank = rankTable.at(row, 1);
        StepFigures* const step = place(rankTable.at(row, 0), rank);
        if (!step) return damaged("a row belongs to no step or rank");
        RankStep& times = step->times.ranks[static_cast<std::size_t>(rank)];
        RankDetail& detail = step->details[static_cast<std::size_t>(rank)];
        takeRank(rankTable, row, times, detail);
        if (!areFigures(times) || !areFigures(detail)) return damaged("a figure is no measurement");
    }
    for (std::size_t row = 0; row < kinds.rows(); ++row) {
        const std::int64_t rank = kinds.at(row, 3);
        StepFigures* const step = place(kinds.at(row, 2), rank);
        const std::int64_t kind = kinds.at(row, 0), stage = kinds.at(row, 1);
        if (!step || kind < 0 || kind > 255 || stage < -1 || stage > std::numeric_limits<std::uint16_t>::max())
            return damaged("a row belongs to no step, rank or kind");
        const KindTime time{static_cast<EventKind>(kind), static_cast<int>(stage), kinds.at(row, 4), kinds.at(row, 5),
                            kinds.at(row, 6)};
        if (!isFigure(time.count) || !isFigure(time.nanoseconds) || !isFigure(time.bytes))
            return damaged("a figure is no measurement");
        step->details[static_cast<std::size_t>(rank)].kinds.push_back(time);
    }
    for (StepFigures& figures : steps) complete(figures.times, flushes);
    return steps;
}

}  // namespace shardlab::trace
