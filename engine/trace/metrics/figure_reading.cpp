// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/metrics/figure_reading.h"

#include "engine/trace/metrics/figure_codec.h"

#include <limits>

namespace shardlab::trace {
namespace {

/// Block by block from the key `first` on, until `take` returns false.
template <class Take>
Status eachBlock(MetricStore& shelf, FigureTable table, int first, const Take& take) {
    for (;;) {
        const auto block = shelf.from(table, first);
        if (!block) return fail(block.error());
        if (!*block) return {};
        const Result<bool> more = take((*block)->data);
        if (!more) return fail(more.error());
        if (!*more || (*block)->first == std::numeric_limits<int>::max()) return {};
        first = (*block)->first + 1;
    }
}

}  // namespace

Status eachStep(MetricStore& shelf, int ranks, bool flushes, const Restarts& restarts, int first,
                const std::function<bool(const StepFigures&)>& sink) {
    const int key = first < 0 ? -1 : first - first % stepsPerBlock(ranks);
    return eachBlock(shelf, FigureTable::RankSteps, key, [&](const Bytes& data) -> Result<bool> {
        const auto steps = unpackFigures(data, ranks, flushes, restarts);
        if (!steps) return fail(steps.error());
        for (const StepFigures& step : *steps)
            if (step.times.step >= first && !sink(step)) return false;
        return true;
    });
}

Result<std::vector<StepOverview>> allOverviews(MetricStore& shelf) {
    std::vector<StepOverview> all;
    const Status read = eachBlock(shelf, FigureTable::Steps, 0, [&](const Bytes& data) -> Result<bool> {
        const auto steps = unpackOverviews(data);
        if (!steps) return fail(steps.error());
        all.insert(all.end(), steps->begin(), steps->end());
        return true;
    });
    if (!read) return fail(read.error());
    return all;
}

}  // namespace shardlab::trace
