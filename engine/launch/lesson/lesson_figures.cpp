// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_figures.h"

#include "engine/base/parameter_count.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::launch {
namespace {

using Value = std::optional<double>;

/// Unknown where no steady step was measured.
Value steady(const MeasuredRun& run, double value) { return run.summary.stepSeconds > 0 ? Value(value) : std::nullopt; }

/// The memory peak of the rank that has most.
template <MemoryCategory category>
Value mostMeasured(const MeasuredRun& run) {
    std::int64_t most = 0;
    for (const RankFigures& rank : run.summary.ranks)
        most = std::max(most, rank.memory[static_cast<std::size_t>(category)]);
    return most > 0 ? Value(static_cast<double>(most)) : std::nullopt;
}

template <MemoryCategory category>
Value mostPlanned(const PlannedRun& run) {
    std::int64_t most = 0;
    for (const RankMemory& rank : run.plan.memory)
        most = std::max(most, rank.bytes[static_cast<std::size_t>(category)]);
    return static_cast<double>(most);
}

Value hostMeasured(const MeasuredRun& run) {
    std::int64_t most = 0;
    for (const RankFigures& rank : run.summary.ranks) most = std::max(most, total(rank.host));
    return static_cast<double>(most);
}

Value hostPlanned(const PlannedRun& run) {
    std::int64_t most = 0;
    for (const RankMemory& rank : run.plan.memory) most = std::max(most, total(rank.host));
    return static_cast<double>(most);
}

Value peakMeasured(const MeasuredRun& run) {
    std::int64_t most = 0;
    for (const RankFigures& rank : run.summary.ranks) most = std::max(most, rank.peak);
    return most > 0 ? Value(static_cast<double>(most)) : std::nullopt;
}

Value peakPlanned(const PlannedRun& run) {
    std::int64_t most = 0;
    for (const RankMemory& rank : run.plan.memory) most = std::max(most, rank.peak);
    return static_cast<double>(most);
}

Value inFlight(const PlannedRun& run) {
    int most = 0;
    for (const RankMemory& rank : run.plan.memory) most = std::max(most, rank.microbatchesInFlight);
    return most;
}

Value hidden(const MeasuredRun& run) {
    return run.summary.communication ? Value(run.summary.communication->hidden) : std::nullopt;
}

/// A figure of the tally, which measured and planned runs have alike.
template <auto RunTally::*figure, class Run>
Value tallied(const Run& run) {
    return Value(run.tally.*figure);
}

using M = const MeasuredRun&;
using P = const PlannedRun&;

constexpr std::array table{
    LessonFigure{
        "bubble",
        "share of a step, from its first forward to its last backward, in which ranks are idle; mean over ranks",
        FigureUnit::Share, [](M run) { return steady(run, run.summary.bubble); },
        [](P run) { return Value(run.plan.bubble); }, [](P run) { return Value(run.plan.bubbleTheory); }},
    LessonFigure{"step_time", "how long a step takes on the devices, or on those that a paced run models",
                 FigureUnit::Seconds, [](M run) { return steady(run, run.summary.stepSeconds); },
                 [](P run) { return Value(run.plan.stepSeconds); }},
    LessonFigure{"tokens_per_second", "tokens that are learned from in a second", FigureUnit::Count,
                 [](M run) { return steady(run, run.summary.tokensPerSecond); },
                 [](P run) { return Value(run.plan.tokensPerSecond); }},
    LessonFigure{"peak_memory", "most memory that any rank holds", FigureUnit::Size, peakMeasured, peakPlanned},
    LessonFigure{"weights", "bytes of weights on the rank that holds most", FigureUnit::Size,
                 mostMeasured<MemoryCategory::Parameters>, mostPlanned<MemoryCategory::Parameters>},
    LessonFigure{"gradients", "bytes of gradients on the rank that holds most", FigureUnit::Size,
                 mostMeasured<MemoryCategory::Gradients>, mostPlanned<MemoryCategory::Gradients>},
    LessonFigure{"optimizer_state", "bytes of optimizer state on the rank that holds most", FigureUnit::Size,
                 mostMeasured<MemoryCategory::Optimizer>, mostPlanned<MemoryCategory::Optimizer>},
    LessonFigure{"activations", "most bytes of activations that any rank holds", FigureUnit::Size,
                 mostMeasured<MemoryCategory::Activations>, mostPlanned<MemoryCategory::Activations>},
    LessonFigure{"host_memory", "most memory that any rank has on its host, beside that of its device",
                 FigureUnit::Size, hostMeasured, hostPlanned},
    LessonFigure{"traffic", "bytes that cross links in a step, over all ranks", FigureUnit::Size,
                 tallied<&RunTally::bytesPerStep>, tallied<&RunTally::bytesPerStep>},
    LessonFigure{"most_sent", "bytes that the rank which sends most sends in a step", FigureUnit::Size,
                 tallied<&RunTally::mostSentPerStep>, tallied<&RunTally::mostSentPerStep>},
    LessonFigure{"traffic_between_nodes", "bytes of the traffic that go from one node to another in a step",
                 FigureUnit::Size, tallied<&RunTally::betweenNodesPerStep>, tallied<&RunTally::betweenNodesPerStep>},
    LessonFigure{"hops", "hops of a step's all-reduces where these are rings of Shardlab's own, over all ranks",
                 FigureUnit::Count, tallied<&RunTally::hopsPerStep>, tallied<&RunTally::hopsPerStep>},
    LessonFigure{"messages", "messages between stages in a step, over all ranks", FigureUnit::Count,
                 tallied<&RunTally::messagesPerStep>, tallied<&RunTally::messagesPerStep>},
    LessonFigure{"hidden_communication",
                 "seconds of a step in which gradients or parameters travel between ranks, or anything to the host or "
                 "back, while a rank computes",
                 FigureUnit::Seconds, hidden},
    LessonFigure{
        "exposed_communication",
        "seconds of a step in which a rank waits for gradients or parameters, or for copies to its host or back",
        FigureUnit::Seconds, tallied<&RunTally::exposedSeconds>, tallied<&RunTally::exposedSeconds>},
    LessonFigure{"recompute_time", "seconds of a step in which a rank computes activations again", FigureUnit::Seconds,
                 tallied<&RunTally::recomputeSeconds>, tallied<&RunTally::recomputeSeconds>},
    LessonFigure{"weight_versions", "most versions of its weights that a rank holds at once", FigureUnit::Count,
                 [](M run) { return run.tally.weightVersions > 0 ? Value(run.tally.weightVersions) : std::nullopt; },
                 tallied<&RunTally::weightVersions>},
    LessonFigure{"uneven_load", "tokens that choose a layer's busiest expert, as a multiple of an average one's",
                 FigureUnit::Count, tallied<&RunTally::unevenLoad>},
    LessonFigure{"dropped_tokens", "share of the tokens' choices whose expert has no place left", FigureUnit::Share,
                 tallied<&RunTally::droppedShare>},
    LessonFigure{"untaken_tokens", "share of a layer's tokens that no expert takes, where experts choose",
                 FigureUnit::Share, tallied<&RunTally::untakenShare>},
    LessonFigure{"experts_of_token", "most experts that take one token, where experts choose", FigureUnit::Count,
                 tallied<&RunTally::expertsOfToken>},
    LessonFigure{"assignment_rounds", "most rounds that the assignment of a sample's tokens to experts takes",
                 FigureUnit::Count, tallied<&RunTally::assignmentRounds>},
    LessonFigure{"epochs", "how often the training part of the data is gone through", FigureUnit::Mean,
                 tallied<&RunTally::epochs>},
    LessonFigure{"samples", "samples that the run trains on", FigureUnit::Count, tallied<&RunTally::samples>},
    LessonFigure{"differing_replicas",
                 "replicas whose weights differ in any bit from those of the first one, at checkpoints and at the end",
                 FigureUnit::Count, tallied<&RunTally::differingReplicas>},
    LessonFigure{"vanishing_gradients",
                 "share of the numbers of gradients, times the loss scale, that are below the smallest number of fp16",
                 FigureUnit::Share, tallied<&RunTally::vanishing>},
    LessonFigure{"server_busy",
                 "share of its time in which a parameter server takes gradients, updates and sends weights",
                 FigureUnit::Share, tallied<&RunTally::serverBusy>, tallied<&RunTally::serverBusy>},
    LessonFigure{"staleness",
                 "updates of others between the reading of weights and the use of their gradient, mean over updates",
                 FigureUnit::Mean, tallied<&RunTally::staleness>, tallied<&RunTally::staleness>},
    LessonFigure{"overwritten",
                 "share of the elements that updates without a lock wrote in which they overwrote another worker's",
                 FigureUnit::Share, tallied<&RunTally::overwritten>},
    LessonFigure{"elastic_distance", "how far a replica's weights were from the centre in the last exchange",
                 FigureUnit::Loss, tallied<&RunTally::elasticDistance>},
    LessonFigure{"restarts", "times that the run went on from a checkpoint after a fault", FigureUnit::Count,
                 tallied<&RunTally::restarts>},
    LessonFigure{"repeated_steps", "steps done twice, as they came after the checkpoint that the run went on from",
                 FigureUnit::Count, tallied<&RunTally::repeatedSteps>},
    LessonFigure{"standstill",
                 "time on the run's clock, from the last step before each restart to the first one after it",
                 FigureUnit::Seconds, tallied<&RunTally::standstillSeconds>},
    LessonFigure{
        "ranks_left", "ranks that train at the end", FigureUnit::Count,
        [](M run) { return Value(run.tally.ranksAtEnd.value_or(static_cast<int>(run.summary.ranks.size()))); }},
    LessonFigure{"first_loss", "loss of the first step, nats a token or image", FigureUnit::Loss,
                 [](M run) { return run.summary.losses.empty() ? std::nullopt : Value(run.summary.losses.front()); }},
    LessonFigure{"last_loss", "loss of the last step, nats a token or image", FigureUnit::Loss,
                 [](M run) { return run.summary.losses.empty() ? std::nullopt : Value(run.summary.losses.back()); }},
    LessonFigure{"skipped_steps", "steps left out because gradients overflowed", FigureUnit::Count,
                 tallied<&RunTally::skippedSteps>},
    LessonFigure{"first_scale", "loss scale of the first step", FigureUnit::Count, tallied<&RunTally::firstScale>},
    LessonFigure{"last_scale", "loss scale of the last step", FigureUnit::Count, tallied<&RunTally::lastScale>},
    LessonFigure{"saturated", "numbers that were larger than the largest of their format of 8 bits, in the whole run",
                 FigureUnit::Count, tallied<&RunTally::saturated>},
    LessonFigure{"flushed", "numbers that became 0 in a format of 8 bits, in the whole run", FigureUnit::Count,
                 tallied<&RunTally::flushed>},
    // What follows from the layout alone.
    LessonFigure{"ranks", "ranks that train", FigureUnit::Count, nullptr,
                 [](P run) { return Value(run.plan.mesh.ranks()); }},
    LessonFigure{"microbatches", "microbatches of a step in each replica", FigureUnit::Count, nullptr,
                 [](P run) { return Value(microbatches(run.plan.layout)); }},
    LessonFigure{"in_flight", "most microbatches whose activations a rank holds at once", FigureUnit::Count, nullptr,
                 inFlight},
    LessonFigure{"steps", "steps of the run", FigureUnit::Count, nullptr,
                 [](P run) { return Value(run.plan.layout.run.steps); }},
    LessonFigure{"parameters", "parameters of the model", FigureUnit::Parameters, nullptr,
                 [](P run) { return Value(static_cast<double>(run.plan.parameters)); }},
};

}  // namespace

std::string_view name(FigureOrigin origin) {
    return origin == FigureOrigin::Measured ? "measured" : origin == FigureOrigin::Predicted ? "predicted" : "theory";
}

bool LessonFigure::has(FigureOrigin origin) const {
    return origin == FigureOrigin::Measured ? measured != nullptr
           : origin == FigureOrigin::Theory ? theory != nullptr
                                            : predicted != nullptr;
}

std::string LessonFigure::text(double value) const {
    switch (unit) {
    case FigureUnit::Share: return formatPercent(value);
    case FigureUnit::Seconds: return formatSeconds(value);
    case FigureUnit::Size: return formatBytes(std::llround(value));
    case FigureUnit::Mean: return fmt::format("{:.2f}", value);
    case FigureUnit::Loss: return std::isfinite(value) ? fmt::format("{:.4f}", value) : "not a number";
    case FigureUnit::Count:
    case FigureUnit::Parameters: break;
    }
    // Below a hundred thousand a count is a number of things, and whole ones are read whole.
    if (std::abs(value) < 1e5 && value == std::floor(value)) return fmt::format("{:.0f}", value);
    return unit == FigureUnit::Parameters ? formatParameters(value) : formatCount(value);
}

std::span<const LessonFigure> lessonFigures() { return table; }

const LessonFigure* findLessonFigure(std::string_view name) {
    const auto found = std::ranges::find(table, name, &LessonFigure::name);
    return found == table.end() ? nullptr : &*found;
}

Value figureValue(const LessonFigure& figure, FigureOrigin origin, const KnownExperiment& known) {
    if (origin == FigureOrigin::Measured) return known.measured ? figure.measured(*known.measured) : std::nullopt;
    if (!known.planned) return std::nullopt;
    return origin == FigureOrigin::Theory ? figure.theory(*known.planned) : figure.predicted(*known.planned);
}

Sentence figureText(const LessonFigure& figure, FigureOrigin origin, const KnownExperiment& known) {
    if (const Value value = figureValue(figure, origin, known)) return figure.text(*value);
    return origin == FigureOrigin::Measured && !known.measured ? say("– (run it)") : Sentence("–");
}

}  // namespace shardlab::launch
