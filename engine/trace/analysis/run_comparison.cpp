// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/run_comparison.h"

#include "engine/base/clock.h"
#include "engine/layout/mesh/alike.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/trace/analysis/comparison_side.h"
#include "engine/base/units.h"
#include "engine/base/median.h"
#include "engine/trace/event/transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <set>

namespace shardlab::trace {
namespace {

constexpr std::size_t mostDifferences = 10, mostExamples = 3;
constexpr double manifold = 10;  ///< from this change on, as a multiple

bool communicates(const SpanKey& key, const Mesh& mesh) {
    switch (transferOf(key.kind).partners) {
    case Partners::None:
    case Partners::Hop:
    case Partners::Unknown: return false;
    case Partners::Replica: return replicaRanks(mesh, key.rank).size() > 1;  // alone it only reads the gradients
    default: return true;
    }
}

/// Layers of a stage by its number: first and last.
std::vector<std::pair<int, int>> layersOf(const Layout& layout) {
    std::vector<std::pair<int, int>> ranges;
    int next = 0;
    for (const int count : stageLayers(layout)) {
        ranges.emplace_back(next, next + count - 1);
        next += count;
    }
    return ranges;
}

std::pair<int, int> layersOfStage(const std::vector<std::pair<int, int>>& ranges, int stage) {
    return stage >= 0 && static_cast<std::size_t>(stage) < ranges.size() ? ranges[static_cast<std::size_t>(stage)]
                                                                         : std::pair(0, -1);
}

/// The steps of both sides being there, what is said of them; spans come all at once, or a few ranks at a time.
class Comparing {
public:
    Comparing(const ComparisonSide& a, const ComparisonSide& b) : a_(a), b_(b) {}

    /// Before spans are taken. Error: no step is complete on both sides.
    Status begin() {
        if (const Status chosen = chooseSteps(); !chosen) return chosen;
        result_.a = sideOf(a_);
        result_.b = sideOf(b_);
        noteScales();
        addSteps();
        matchRanks();
        return {};
    }

    /// The spans that both sides hold now, of which none was taken before: with those of a rank of one side come those
    /// of the rank in its place on the other.
    void takeSpans() {
        for (const bool second : {false, true}) {
            const ComparisonSide& side = second ? b_ : a_;
            for (const auto& [key, times] : side.spans()) sums_[second ? 1 : 0][key] = side.over(times, steps_);
        }
        compareSpans();
    }

    RunComparison made() {
        result_.sentBytes = medians(&ComparisonSide::sentBytes);
        addKinds();
        addRanks();
        addStages();
        addLayers();
        addDifferences();
        return std::move(result_);
    }

    /// The rank of B in the place of one of A; -1: there is none.
    int rankOfB(int rankOfA) const {
        const auto found = counterpartOfA_.find(rankOfA);
        return found == counterpartOfA_.end() ? -1 : found->second;
    }
    bool hasRankOfA(int rankOfB) const { return counterpartOfB_.contains(rankOfB); }

private:
    static ComparedSide sideOf(const ComparisonSide& side) {
        const RunHeader& header = side.header();
        return {header.layout.name,  side.predicted(),
                header.paced,        header.stretch,
                side.mesh().ranks(), side.predicted() ? 1 : static_cast<int>(side.completeSteps().size())};
    }

    void note(Sentence text) { result_.notes.push_back(std::move(text)); }
    void noteFewerRanks(const Sentence& who, const ComparisonSide& side) {
        if (const int steps = side.stepsWithFewerRanks(); steps > 0)
            note(steps == 1 ? say("1 step that {} did with fewer ranks than its layout's are left out", who)
                            : say("{} steps that {} did with fewer ranks than its layout's are left out", steps, who));
    }

    void noteWithoutDetails(const Sentence& who, const ComparisonSide& side) {
        if (const int steps = side.summary().withoutDetails(); steps > 0)
            note(steps == 1 ? say("1 step of which {} recorded no details is left out", who)
                            : say("{} steps of which {} recorded no details are left out", steps, who));
    }

    Status chooseSteps() {
        const Sentence b = a_.predicted() ? say("the run") : "B";
        noteFewerRanks(b, b_);
        noteWithoutDetails(b, b_);
        if (!a_.predicted()) {
            noteFewerRanks("A", a_);
            noteWithoutDetails("A", a_);
        }
        const std::vector<int> ofB = b_.completeSteps();
        both_ = ofB;
        if (!a_.predicted()) {
            const std::vector<int> ofA = a_.completeSteps();
            both_.clear();
            std::ranges::set_intersection(ofA, ofB, std::back_inserter(both_));
            std::vector<int> onlyA, onlyB;
            std::ranges::set_difference(ofA, ofB, std::back_inserter(onlyA));
            std::ranges::set_difference(ofB, ofA, std::back_inserter(onlyB));
            if (!onlyA.empty()) note(say("steps only in {}: {}", "A", rankList(onlyA)));
            if (!onlyB.empty()) note(say("steps only in {}: {}", "B", rankList(onlyB)));
        }
        const auto none =
            a_.predicted() ? say("no step of the run is complete") : say("no step is complete in both runs");
        if (both_.empty()) return fail({say("cannot compare"), "", none, ""});
        // The first steps warm caches and pages: they count only where there are no others.
        const auto skipped = static_cast<std::ptrdiff_t>(both_.size() > warmUpSteps ? warmUpSteps : 0);
        steps_.assign(both_.begin() + skipped, both_.end());
        result_.firstStep = steps_.front();
        result_.lastStep = steps_.back();
        result_.stepCount = static_cast<int>(steps_.size());
        return {};
    }

    void noteScales() {
        const bool paced = a_.header().paced;
        if (paced != b_.header().paced)
            note(say("{} is paced: its times are those of the devices that it models, the other side's those of the "
                     "machine that it ran on",
                     paced ? "A" : "B"));
    }

    double perStep(double sum) const { return sum / static_cast<double>(steps_.size()); }

    void addSteps() {
        for (const int step : both_)
            result_.steps.push_back(
                {step, {a_.stepSeconds(step), b_.stepSeconds(step)}, {a_.loss(step), b_.loss(step)}});
        if (!a_.predicted())
            result_.losses = compareLosses(result_.steps, lossTolerance(a_.header().layout, b_.header().layout));
        result_.stepSeconds = medians(&ComparisonSide::stepSeconds);
        result_.bubble = medians(&ComparisonSide::bubble);
    }

    /// The medians of a figure over the steps that count, on both sides.
    Compared medians(double (ComparisonSide::*figure)(int) const) const {
        std::vector<double> a, b;
        for (const int step : steps_) {
            a.push_back((a_.*figure)(step));
            b.push_back((b_.*figure)(step));
        }
        return {median(std::move(a)), median(std::move(b))};
    }

    template <class Use>
    void eachSum(Use use) const {
        for (const bool second : {false, true}) {
            const ComparisonSide& side = second ? b_ : a_;
            for (const auto& [key, sum] : sums_[second ? 1 : 0]) use(second, side, key, sum);
        }
    }

    void addKinds() {
        std::map<EventKind, RunComparison::Kind> kinds;
        eachSum([&](bool second, const ComparisonSide& side, const SpanKey& key, const SpanSum& sum) {
            if (sum.steps == 0) return;
            RunComparison::Kind& kind = kinds[key.kind];
            kind.kind = key.kind;
            auto& seconds = second ? kind.seconds.b : kind.seconds.a;
            auto& count = second ? kind.count.b : kind.count.a;
            seconds = seconds.value_or(0) + perStep(sum.seconds) / side.mesh().ranks();
            count = count.value_or(0) + perStep(static_cast<double>(sum.count));
        });
        for (auto& [kind, figures] : kinds) result_.kinds.push_back(figures);
    }

    void matchRanks() {
        std::vector<int> onlyA, onlyB;
        std::vector<bool> taken(static_cast<std::size_t>(b_.mesh().ranks()), false);
        for (int rank = 0; rank < a_.mesh().ranks(); ++rank) {
            const int other = counterpart(a_.header().layout, rank, b_.header().layout);
            if (other < 0) {
                onlyA.push_back(rank);
                continue;
            }
            taken[static_cast<std::size_t>(other)] = true;
            rowOfA_[rank] = rowOfB_[other] = result_.ranks.size();
            counterpartOfA_[rank] = other;
            counterpartOfB_[other] = rank;
            const std::string label = a_.mesh().label(rank);
            RunComparison::Rank row{rank, other, label.empty() ? b_.mesh().label(other) : label, {}, {}, {}, {}};
            for (Compared* figure : {&row.computing, &row.waiting, &row.communicating, &row.updating})
                *figure = {0.0, 0.0};
            result_.ranks.push_back(row);
        }
        for (int rank = 0; rank < b_.mesh().ranks(); ++rank)
            if (!taken[static_cast<std::size_t>(rank)]) onlyB.push_back(rank);
        if (!onlyA.empty())
            note(say("ranks of {} whose place in the mesh {} does not have: {}", "A", "B", rankList(onlyA)));
        if (!onlyB.empty())
            note(say("ranks of {} whose place in the mesh {} does not have: {}", "B", "A", rankList(onlyB)));
    }

    void addRanks() {
        eachSum([&](bool second, const ComparisonSide& side, const SpanKey& key, const SpanSum& sum) {
            const auto& rows = second ? rowOfB_ : rowOfA_;
            const auto found = rows.find(key.rank);
            if (found == rows.end()) return;
            RunComparison::Rank& row = result_.ranks[found->second];
            Compared* figure = nullptr;
            if (isCompute(key.kind)) figure = &row.computing;
            else if (key.kind == EventKind::Wait) figure = &row.waiting;
            else if (communicates(key, side.mesh())) figure = &row.communicating;
            else if (key.kind == EventKind::Optimizer || key.kind == EventKind::ReduceNorm) figure = &row.updating;
            if (!figure) return;
            auto& value = second ? figure->b : figure->a;
            value = *value + perStep(sum.seconds);
        });
    }

    void addStages() {
        struct Held {
            double seconds = 0;
            std::set<int> ranks;
        };
        std::map<int, std::array<Held, 2>> stages;
        eachSum([&](bool second, const ComparisonSide&, const SpanKey& key, const SpanSum& sum) {
            if (!isCompute(key.kind) || key.action == 0 || sum.steps == 0) return;
            Held& held = stages[actionFromId(key.action).stage][second ? 1 : 0];
            held.seconds += perStep(sum.seconds);
            held.ranks.insert(key.rank);
        });
        const auto layersA = layersOf(a_.header().layout);
        const auto layersB = layersOf(b_.header().layout);
        for (const auto& [stage, sides] : stages) {
            RunComparison::Stage row{stage, layersOfStage(layersA, stage), layersOfStage(layersB, stage), {}};
            if (!sides[0].ranks.empty()) row.seconds.a = sides[0].seconds / static_cast<double>(sides[0].ranks.size());
            if (!sides[1].ranks.empty()) row.seconds.b = sides[1].seconds / static_cast<double>(sides[1].ranks.size());
            result_.stages.push_back(row);
        }
        if (layersA != layersB)
            note(say("stages do not hold the same layers in A and B: compare layers rather than stages"));
    }

    void addLayers() {
        std::map<int, RunComparison::Layer> layers;
        for (const RunComparison::Stage& stage : result_.stages) {
            for (const bool second : {false, true}) {
                const auto [first, last] = second ? stage.layersB : stage.layersA;
                const std::optional<double> seconds = second ? stage.seconds.b : stage.seconds.a;
                for (int layer = first; layer <= last; ++layer) {
                    RunComparison::Layer& row = layers[layer];
                    row.layer = layer;
                    (second ? row.stageB : row.stageA) = stage.stage;
                    if (seconds) (second ? row.seconds.b : row.seconds.a) = *seconds / (last - first + 1);
                }
            }
        }
        for (const auto& [layer, row] : layers) result_.layers.push_back(row);
    }

    /// Actions that one side alone has.
    struct Lone {
        std::int64_t count = 0;
        std::set<std::string> examples;
        void add(const SpanKey& key) {
            ++count;
            if (key.action != 0 && examples.size() < mostExamples) examples.insert(toText(actionFromId(key.action)));
        }
    };

    void compareSpans() {
        for (const auto& [key, times] : a_.spans()) {
            const auto other = counterpartOfA_.find(key.rank);
            if (other == counterpartOfA_.end()) continue;
            const auto found = b_.spans().find({static_cast<std::int16_t>(other->second), key.kind, key.action});
            if (found == b_.spans().end()) {
                if (key.kind != EventKind::Wait) onlyA_.add(key);
                continue;
            }
            if (auto difference = differenceOf(key, other->second, times, found->second)) {
                result_.alignedActions += difference->steps;
                if (key.kind != EventKind::Wait) differences_.push_back(*difference);
            }
        }
        for (const auto& [key, times] : b_.spans()) {
            const auto other = counterpartOfB_.find(key.rank);
            if (other == counterpartOfB_.end() || key.kind == EventKind::Wait) continue;
            if (!a_.spans().contains({static_cast<std::int16_t>(other->second), key.kind, key.action})) onlyB_.add(key);
        }
    }

    void addDifferences() {
        noteLone("A", onlyA_);
        noteLone("B", onlyB_);
        const auto larger = [](const RunComparison::Difference& x, const RunComparison::Difference& y) {
            const auto size = [](const RunComparison::Difference& d) {
                return std::abs(*d.seconds.difference()) * d.steps;
            };
            if (size(x) != size(y)) return size(x) > size(y);
            return std::tuple(x.rankA, x.kind, x.action) < std::tuple(y.rankA, y.kind, y.action);
        };
        const auto kept = static_cast<std::ptrdiff_t>(std::min(mostDifferences, differences_.size()));
        std::ranges::partial_sort(differences_, differences_.begin() + kept, larger);
        result_.largest.assign(differences_.begin(), differences_.begin() + kept);
    }

    std::optional<RunComparison::Difference> differenceOf(const SpanKey& key, int rankB,
                                                          const std::vector<SpanTime>& ofA,
                                                          const std::vector<SpanTime>& ofB) const {
        RunComparison::Difference row{key.kind, key.action, key.rank, rankB, 0, {}, 0, 0};
        double a = 0, b = 0;
        for (const int step : steps_) {
            const auto inA = a_.in(ofA, step);
            const auto inB = b_.in(ofB, step);
            if (!inA || !inB) continue;
            ++row.steps;
            a += toSeconds(*inA);
            b += toSeconds(*inB);
            const double difference = toSeconds(*inB - *inA);
            if (row.steps == 1 || std::abs(difference) > std::abs(row.worst)) {
                row.worst = difference;
                row.worstStep = step;
            }
        }
        if (row.steps == 0) return std::nullopt;
        row.seconds = {a / row.steps, b / row.steps};
        return row;
    }

    void noteLone(const char* side, const Lone& lone) {
        const auto& [count, examples] = lone;
        if (count == 0) return;
        const std::string names = fmt::format("{}", fmt::join(examples, ", "));
        const Sentence only = count == 1 ? say("1 action only in {}", side) : say("{} actions only in {}", count, side);
        note(names.empty()                                        ? only
             : count > static_cast<std::int64_t>(examples.size()) ? say("{}, such as {}", only, names)
                                                                  : say("{}: {}", only, names));
    }

    const ComparisonSide& a_;
    const ComparisonSide& b_;
    RunComparison result_;
    std::vector<int> both_;   ///< complete on both sides
    std::vector<int> steps_;  ///< of these, those compared
    std::map<int, int> counterpartOfA_, counterpartOfB_;
    std::map<int, std::size_t> rowOfA_, rowOfB_;
    std::array<std::unordered_map<SpanKey, SpanSum, SpanKeyHash>, 2> sums_;
    std::vector<RunComparison::Difference> differences_;
    Lone onlyA_, onlyB_;
};

tl::unexpected<Error> stopped() { return fail({say("the comparison was cancelled"), "", "", ""}); }

Status readSteps(const RunReader& run, ComparisonSide& side, const std::function<bool()>& cancelled) {
    bool stop = false;
    side.addSpans(run.restarts());
    const Status read = run.readFigures([&](const StepFigures& step) {
        // A thinned step has no spans.
        if (step.times.step >= 0 && !run.thinning().thinned(step.times.step)) side.put(step.times);
        stop = cancelled && cancelled();
        return !stop;
    });
    return stop ? stopped() : read;
}

/// Reads the spans of one rank.
Status readSpans(const RunReader& run, int rank, ComparisonSide& side, const std::function<bool()>& cancelled) {
    auto cursor = run.blocks({.rank = rank});
    if (!cursor) return fail(cursor.error());
    return cursor->each([&](std::span<const Event> block) -> Result<bool> {
        side.addSpans(block);
        if (cancelled && cancelled()) return stopped();
        return true;
    });
}

/// Rank by rank, so that of a large run the spans of one are held at a time. `readA` adds those of a rank to side A.
Result<RunComparison> compareByRank(ComparisonSide& a, ComparisonSide& b, const RunReader& runB,
                                    const std::function<bool()>& cancelled, const std::function<Status(int)>& readA) {
    Comparing comparing(a, b);
    if (const Status begun = comparing.begin(); !begun) return fail(begun.error());
    const auto take = [&](int rankOfA, int rankOfB) -> Status {
        if (rankOfA >= 0)
            if (const Status read = readA(rankOfA); !read) return read;
        if (rankOfB >= 0)
            if (const Status read = readSpans(runB, rankOfB, b, cancelled); !read) return read;
        comparing.takeSpans();
        a.forgetSpans();
        b.forgetSpans();
        return {};
    };
    for (int rank = 0; rank < a.mesh().ranks(); ++rank)
        if (const Status taken = take(rank, comparing.rankOfB(rank)); !taken) return fail(taken.error());
    for (int rank = 0; rank < b.mesh().ranks(); ++rank)
        if (!comparing.hasRankOfA(rank))
            if (const Status taken = take(-1, rank); !taken) return fail(taken.error());
    return comparing.made();
}

}  // namespace

std::optional<double> Compared::difference() const { return a && b ? std::optional(*b - *a) : std::nullopt; }

std::optional<double> Compared::relative() const {
    return a && b && *a != 0 ? std::optional((*b - *a) / *a) : std::nullopt;
}

int counterpart(const Layout& from, int rank, const Layout& to) {
    const Mesh there(to);
    const Coordinates place = Mesh(from).coordinates(rank);
    for (int axis = 0; axis < axisCount; ++axis)
        if (placesRanks(static_cast<Axis>(axis)) &&
            place[static_cast<std::size_t>(axis)] >= there.size(static_cast<Axis>(axis)))
            return -1;
    return there.rank(place);
}

std::string formatChange(const Compared& figure) {
    const auto share = figure.relative();
    if (!share) return "–";
    if (*share >= manifold) return fmt::format("×{:.{}f}", 1 + *share, 1 + *share < 100 ? 1 : 0);
    return (*share < 0 ? "−" : "+") + formatPercent(std::abs(*share));
}

std::string formatDifference(const Compared& figure) {
    const auto difference = figure.difference();
    if (!difference) return "–";
    return (*difference < 0 ? "−" : "+") + formatSeconds(std::abs(*difference));
}

struct RunComparer::Impl {
    ComparisonSide a;
    ComparisonSide b;
};

RunComparer::RunComparer(const RunHeader& a, bool aPredicted, const RunHeader& b)
    : impl_(std::make_unique<Impl>(ComparisonSide(a, aPredicted), ComparisonSide(b, false))) {}
RunComparer::~RunComparer() = default;

void RunComparer::add(Side side, std::span<const Event> events) { (side == Side::A ? impl_->a : impl_->b).add(events); }

Result<RunComparison> RunComparer::comparison() const {
    Comparing comparing(impl_->a, impl_->b);
    if (const Status begun = comparing.begin(); !begun) return fail(begun.error());
    comparing.takeSpans();
    return comparing.made();
}

Result<RunComparison> compareRuns(const RunReader& a, const RunReader& b, const std::function<bool()>& cancelled) {
    ComparisonSide sideA(a.header(), false), sideB(b.header(), false);
    if (const Status read = readSteps(a, sideA, cancelled); !read) return fail(read.error());
    if (const Status read = readSteps(b, sideB, cancelled); !read) return fail(read.error());
    return compareByRank(sideA, sideB, b, cancelled, [&](int rank) { return readSpans(a, rank, sideA, cancelled); });
}

Result<RunComparison> compareWithPrediction(const RunReader& run, const std::function<bool()>& cancelled) {
    const auto predicted = run.predicted();
    if (!predicted) return fail(predicted.error());
    if (predicted->empty())
        return fail({say("cannot compare"), "", say("this run has no prediction"),
                     say("name a second run to compare it with")});
    ComparisonSide prediction(run.header(), true), measured(run.header(), false);
    if (const Status read = readSteps(run, measured, cancelled); !read) return fail(read.error());
    return compareByRank(prediction, measured, run, cancelled, [&](int rank) -> Status {
        std::vector<Event> ofRank;
        std::ranges::copy_if(*predicted, std::back_inserter(ofRank),
                             [rank](const Event& event) { return event.rank == rank; });
        prediction.addSpans(ofRank);
        return {};
    });
}

}  // namespace shardlab::trace
