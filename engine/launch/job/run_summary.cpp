// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_summary.h"

#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/metrics/figure_sum.h"
#include "engine/trace/record/flight_record.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace shardlab::launch {

RunFigures::RunFigures(RunHeader header)
    : header_(std::move(header)), steps_(rankCount(header_.layout), flushes(header_.layout), sentBytesOf(header_)),
      ranks_(static_cast<std::size_t>(rankCount(header_.layout))) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].record.rank = static_cast<int>(rank);
        if (rank < header_.predictedPeak.size()) ranks_[rank].predictedPeak = header_.predictedPeak[rank];
    }
}

void RunFigures::add(std::span<const Event> events) {
    steps_.add(events);
    for (const Event& event : events) {
        if (isRestart(event) && !restarts_.add(event)) continue;  // it was told before
        ++events_;
        if (event.rank < 0 || static_cast<std::size_t>(event.rank) >= ranks_.size()) continue;
        RankFigures& rank = ranks_[static_cast<std::size_t>(event.rank)];
        if (const auto category = memoryCategory(event.kind)) {
            std::int64_t& bytes = rank.memory[static_cast<std::size_t>(*category)];
            bytes = std::max(bytes, event.bytes);
        } else if (event.kind == EventKind::MemoryPeak) {
            rank.peak = std::max(rank.peak, event.bytes);
        } else if (event.kind == EventKind::HostMemory) {
            addHostMemory(event);
        } else if (event.kind == EventKind::Dropped) {
            dropped_ += eventsLost(event);
        }
    }
}

void RunFigures::addHostMemory(const Event& event) {
    const bool known = event.rank >= 0 && static_cast<std::size_t>(event.rank) < ranks_.size();
    const auto category = hostCategory(event);
    if (!known || !category) return;
    std::int64_t& bytes = ranks_[static_cast<std::size_t>(event.rank)].host[static_cast<std::size_t>(*category)];
    bytes = std::max(bytes, event.bytes);
}

void RunFigures::put(const StepFigures& step) {
    for (std::size_t i = 0; i < std::min(ranks_.size(), step.details.size()); ++i) {
        ranks_[i].peak = std::max(ranks_[i].peak, step.times.ranks[i].peakBytes);
        for (std::size_t category = 0; category < memoryCategoryCount; ++category)
            ranks_[i].memory[category] = std::max(ranks_[i].memory[category], step.details[i].memory[category]);
    }
    if (step.times.step < 0) return;
    stored_.push_back(besideOf(step.times));
    StepSummary times = step.times;
    times.ranks = {};  // nothing below asks for them, and a long run has many
    steps_.put(std::move(times));
}

RunFigures::Beside RunFigures::besideOf(const StepSummary& step) {
    Beside beside{.step = step.step};
    for (const RankStep& rank : step.ranks) {
        grow(beside.hidden, asFigure(rank.hidden));
        grow(beside.exposed, asFigure(rank.exposed));
        grow(beside.overrun, asFigure(rank.overrun));
        if (rank.exposed >= 0) ++beside.ranks;
    }
    return beside;
}

void RunFigures::sumBeside(std::span<const Beside> steps, RunSummary& summary) const {
    const auto first = std::ranges::find_if(steps, [](const Beside& step) { return step.ranks > 0; });
    std::int64_t hidden = 0, exposed = 0, overrun = 0, ranks = 0;
    for (const Beside& step : steps) {
        grow(overrun, step.overrun);
        if (first == steps.end() || step.step < first->step + static_cast<int>(warmUpSteps)) continue;
        grow(hidden, step.hidden);
        grow(exposed, step.exposed);
        ranks += step.ranks;
    }
    const DeviceTime device(header_.stretch);
    summary.paceOverrun = device.seconds(toSeconds(overrun));
    if (ranks == 0) return;
    const auto mean = [&](std::int64_t sum) { return device.seconds(toSeconds(sum) / static_cast<double>(ranks)); };
    summary.communication = {mean(hidden), mean(exposed)};
}

void RunFigures::set(const RankRecord& record) {
    if (record.rank >= 0 && static_cast<std::size_t>(record.rank) < ranks_.size())
        ranks_[static_cast<std::size_t>(record.rank)].record = record;
}

RunSummary RunFigures::summary() const {
    RunSummary summary;
    summary.layout = header_.layout;
    summary.created = header_.created;
    summary.paced = header_.paced;
    summary.stretch = header_.stretch;
    summary.origin = header_.origin;
    summary.hasLayout = header_.hasLayout();
    summary.stepsAsked = header_.origin.empty() ? header_.layout.run.steps : 0;
    summary.stepsDone = static_cast<int>(std::ranges::count_if(steps_.steps(), &StepSummary::complete));
    summary.withoutDetails = steps_.withoutDetails();
    const bool own = header_.origin.empty();
    std::size_t known = 0;
    for (const StepSummary& step : steps_.steps()) {
        const bool number = std::isfinite(step.loss);
        if (own && !number && !step.complete) break;
        summary.losses.push_back(step.loss);
        // A complete step's loss may have diverged. Another program need not tell it of each step.
        const bool diverged = step.complete && (own || (known > 0 && header_.hasLayout() && step.detailed()));
        if (number || diverged) known = summary.losses.size();
    }
    summary.losses.resize(known);
    summary.validations = steps_.validations();
    const DeviceTime device(header_.stretch);
    summary.stepSeconds = device.seconds(steps_.medianStepSeconds());
    summary.bubble = steps_.medianBubble();
    summary.computes = steps_.computes() || steps_.steps().empty();
    summary.sentBytes = steps_.medianSentBytes();
    if (summary.stepSeconds > 0 && header_.hasLayout())
        summary.tokensPerSecond = static_cast<double>(tokensPerStep(header_.layout)) / summary.stepSeconds;
    if (header_.hasLayout()) summary.counted = countedInputs(header_.layout.model);
    summary.peak = header_.peak;
    summary.mfu = header_.utilisation(steps_.medianStepSeconds());
    summary.predictedMfu = header_.utilisation(header_.predictedStepSeconds);
    std::vector<Beside> beside = stored_;
    if (beside.empty()) std::ranges::transform(steps_.steps(), std::back_inserter(beside), besideOf);
    sumBeside(beside, summary);
    summary.predictedStepSeconds = device.seconds(header_.predictedStepSeconds);
    summary.predictedBubble = header_.predictedBubble;
    summary.theoreticalBubble = header_.theoreticalBubble;
    summary.ranks = ranks_;
    summary.capacityBytes = header_.capacityBytes;
    summary.events = events_;
    summary.droppedEvents = dropped_;
    summary.restarts = restarts_.all();
    summary.end = end_;
    return summary;
}

namespace {

/// The first that a rank tells of its host from this time on.
Status addHostMemory(const RunReader& run, int rank, std::int64_t from, RunFigures& figures) {
    auto blocks = run.blocks({.rank = rank, .lane = Lane::Host, .endsAtOrAfter = from});
    if (!blocks) return fail(blocks.error());
    std::vector<Event> events;
    for (bool found = false, last = false; !last;) {
        const auto more = blocks->next(events);
        if (!more || !*more) break;  // a damaged block does not concern the figures that were asked for
        last = found;                // they may lie across the end of a block
        for (const Event& event : events)
            if (event.kind == EventKind::HostMemory && event.begin >= from) {
                figures.addHostMemory(event);
                found = true;
            }
    }
    return {};
}

/// What is on the hosts is told once, in a rank's first step, and in its first after a restart: figures of steps do not
/// have it.
Status addHostMemory(const RunReader& run, RunFigures& figures) {
    if (!run.header().hasLayout() || !usesHost(run.header().layout.memory)) return {};
    std::vector<std::int64_t> starts{std::numeric_limits<std::int64_t>::min()};
    for (const Event& restart : run.restarts()) starts.push_back(restart.begin);
    for (const RankRecord& rank : run.ranks())
        for (const std::int64_t from : starts)
            if (const Status read = addHostMemory(run, rank.rank, from, figures); !read) return read;
    return {};
}

}  // namespace

Result<RunSummary> summarize(const RunReader& run) {
    RunFigures figures(run.header());
    StragglerWatch watch(run.header());
    const auto predicted = run.predicted();
    if (!predicted) return fail(predicted.error());
    watch.addPredicted(*predicted);
    const Status read = run.readFigures([&](const StepFigures& step) {
        figures.put(step);
        watch.put(step);
        return true;
    });
    if (!read) return fail(read.error());
    if (const Status hosts = addHostMemory(run, figures); !hosts) return fail(hosts.error());
    for (const RankRecord& record : run.ranks()) figures.set(record);
    figures.set(run.end());
    RunSummary summary = figures.summary();
    summary.events = run.eventCount();
    summary.droppedEvents = run.droppedEvents();
    summary.restarts = run.restarts();
    std::ranges::stable_sort(summary.restarts, {}, &Event::begin);
    summary.clocks = run.clocks();
    summary.thinning = run.thinning();
    summary.stragglers = watch.stragglers();
    const auto log = run.log();
    if (!log) return fail(log.error());
    for (const LogLine& line : *log) summary.checkpoints.add(line);
    const std::int64_t lastStart = summary.restarts.empty() ? 0 : summary.restarts.back().begin;
    std::ranges::copy_if(*log, std::back_inserter(summary.flight), [&](const LogLine& line) {
        return line.time >= lastStart && line.text.starts_with(flightPrefix);
    });
    return summary;
}

}  // namespace shardlab::launch
