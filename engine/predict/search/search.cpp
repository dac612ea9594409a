// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/search.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/predict/search/step_estimate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <ranges>
#include <tuple>

namespace shardlab::predict {
namespace {

constexpr std::size_t batch = 32;  ///< candidates told at once

Sentence whyNot(const MemoryEstimate& estimate) {
    const MemoryBytes& bytes = estimate.worst.bytes;
    const auto most = std::ranges::max_element(bytes);
    const auto category = static_cast<MemoryCategory>(most - bytes.begin());
    const Sentence why =
        say("pipeline rank {} needs {}, {} too much: its device has {}; most are {}, {}", estimate.worst.rank,
            formatBytes(estimate.neededBytes), formatBytes(-estimate.device.spareBytes(estimate.neededBytes)),
            toText(estimate.device), termOf(name(category)), formatBytes(*most));
    if (category != MemoryCategory::Activations) return why;
    const int inFlight = estimate.worst.microbatchesInFlight;
    return inFlight == 1 ? say("{} for 1 microbatch in flight", why)
                         : say("{} for {} microbatches in flight", why, inFlight);
}

int microbatches(const Layout& base, const Choice& choice) {
    return base.batch.global / (std::max(1, workers(choice.parallel)) * choice.micro);
}

Candidate candidateOf(const Layout& base, const Choice& choice, const StepEstimate& estimate) {
    Candidate candidate;
    candidate.choice = choice;
    candidate.microbatches = microbatches(base, choice);
    candidate.stepSeconds = estimate.stepSeconds;
    candidate.tokensPerSecond = static_cast<double>(tokensPerStep(base)) / estimate.stepSeconds;
    candidate.bubble = estimate.bubble;
    candidate.peakBytes = estimate.memory.neededBytes;
    candidate.fits = estimate.memory.fits();
    if (!candidate.fits) candidate.why = whyNot(estimate.memory);
    candidate.exact = estimate.exact;
    return candidate;
}

bool sameButSchedule(Choice one, const Choice& other) {
    one.kind = other.kind;
    one.inFlight = other.inFlight;
    return one == other;
}

/// Whether two choices of the same work differ at most in what saves memory.
bool sameSchedule(const Choice& one, const Choice& other) {
    return one.kind == other.kind && one.inFlight == other.inFlight && one.stages.empty() == other.stages.empty();
}

std::ptrdiff_t recomputed(const Choice& choice) {
    return std::ranges::find(searchedRecompute, choice.recompute) - searchedRecompute.begin();
}

/// Whether, for the same work, `one` saves at least as much memory as `other` by each method.
bool savesNoLess(const Choice& one, const Choice& other) {
    return sameSchedule(one, other) && one.parallel.zero >= other.parallel.zero &&
           one.parallel.sequence >= other.parallel.sequence && recomputed(one) >= recomputed(other) &&
           one.partition >= other.partition;
}

/// For the same work, `one` saves at least as much memory and takes none for it. ZeRO 2 and 3 have room for whole
/// gradients and weights on their way, of which a stage of few layers may need more than they save. Recomputation holds
/// its inputs beside what it computes again, and between the two halves of a backward all of that: with few
/// microbatches in flight it needs more. So may stages that were balanced for another cost of their layers.
bool needsNoMore(const Choice& one, const Choice& other) {
    return savesNoLess(one, other) && recomputed(one) == recomputed(other) && one.stages == other.stages &&
           (one.parallel.zero == other.parallel.zero || one.parallel.zero <= 1);
}

/// Whether, for the same work, `one` spends no more time than `other` on saving memory. Recomputation takes time,
/// gathering partitioned inputs too, and so do ZeRO 2, which scatters the gradients of each microbatch, and ZeRO 3.
bool takesNoMore(const Choice& one, const Choice& other) {
    const int zero = one.parallel.zero, otherZero = other.parallel.zero;
    return sameSchedule(one, other) && one.stages == other.stages && one.parallel.sequence == other.parallel.sequence &&
           recomputed(one) <= recomputed(other) && one.partition <= other.partition &&
           (zero == otherZero || (zero >= 1 && zero < otherZero));
}

/// Sums in another order may differ in their last digits.
bool near(double one, double other) {
    return std::abs(one - other) <= 1e-12 * std::max(std::abs(one), std::abs(other));
}

bool sameFigures(const Candidate& one, const Candidate& other) {
    return one.peakBytes == other.peakBytes && near(one.stepSeconds, other.stepSeconds) &&
           std::abs(one.bubble - other.bubble) <= 1e-12;
}

/// Best is least.
auto rankOf(const Candidate& c) {
    const ParallelSpec& p = c.choice.parallel;
    return std::tuple(!c.fits, -c.tokensPerSecond, c.peakBytes, p.pipeline, p.data, p.tensor, p.expert, p.expertTensor,
                      p.shard, p.context, p.contextKind, p.sequence, p.zero, c.choice.chunks, c.choice.micro,
                      std::string_view(c.choice.kind), wordOf(c.choice.recompute), c.choice.partition,
                      c.choice.inFlight, c.choice.stages.size());
}

}  // namespace

void rankCandidates(std::vector<Candidate>& candidates) {
    std::ranges::sort(candidates, {}, rankOf);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (Candidate& candidate : candidates) {
        candidate.front = candidate.fits && candidate.peakBytes < least;
        if (candidate.front) least = candidate.peakBytes;
    }
}

namespace {

class Search {
public:
    Search(const Layout& base, const SearchOptions& options, std::span<const Choice> choices)
        : base_(base), options_(options), choices_(choices), estimator_(base, options.measurements) {}

    SearchResult run() {
        for (const std::span<const Choice> work : works()) {
            if (options_.stop.stop_requested()) break;
            tryWork(work);
        }
        tell();
        result_.complete = !options_.stop.stop_requested() && tried_ == choices_.size();
        rankCandidates(result_.candidates);
        return std::move(result_);
    }

private:
    /// The choices by work, those with the same lists of actions after each other: of them the estimator remembers one.
    std::vector<std::span<const Choice>> works() const {
        std::vector<std::span<const Choice>> works;
        for (std::size_t begin = 0, end = 0; begin < choices_.size(); begin = end) {
            while (end < choices_.size() && sameWork(choices_[begin], choices_[end])) ++end;
            works.push_back(choices_.subspan(begin, end - begin));
        }
        std::ranges::stable_sort(works, {}, [&](std::span<const Choice> work) {
            const Choice& one = work.front();
            return std::tuple(one.parallel.pipeline, one.chunks, microbatches(base_, one));
        });
        return works;
    }

    /// Choices of the same work: of what fits the quickest of each schedule, of what does not what comes nearest to it.
    void tryWork(std::span<const Choice> work) {
        struct Remembered {
            const Choice* choice;
            MemoryEstimate memory;
        };
        std::vector<Remembered> fitting, tooLarge;
        // Tries choices from the one that saves most memory on: legalChoices() gives them in the opposite order.
        for (const Choice& choice : work | std::views::reverse) {
            if (options_.stop.stop_requested()) return;
            ++tried_;
            const auto standsFor = [&](const Remembered& other) { return needsNoMore(*other.choice, choice); };
            if (std::ranges::any_of(tooLarge, standsFor)) continue;
            const MemoryEstimate memory = estimator_.memory(choice);
            result_.device = memory.device;
            (memory.fits() ? fitting : tooLarge).push_back({&choice, memory});
        }
        std::vector<Remembered> kept;
        for (const Remembered& one : fitting | std::views::reverse)
            if (std::ranges::none_of(kept,
                                     [&](const Remembered& other) { return takesNoMore(*other.choice, *one.choice); }))
                kept.push_back(one);
        const auto needed = [](const Remembered& one) { return one.memory.neededBytes; };
        if (!tooLarge.empty()) {
            const std::int64_t nearest = std::ranges::min(tooLarge, {}, needed).memory.neededBytes;
            std::erase_if(tooLarge, [&](const Remembered& one) { return needed(one) > nearest; });
            std::ranges::copy_if(tooLarge, std::back_inserter(kept), [&](const Remembered& one) {
                return std::ranges::none_of(tooLarge, [&](const Remembered& other) {
                    return other.choice != one.choice && savesNoLess(*other.choice, *one.choice);
                });
            });
        }
        first_ = result_.candidates.size();
        for (const auto& [choice, memory] : kept)
            keep(candidateOf(base_, *choice, estimator_.estimate(*choice, memory)));
        // A candidate is told when no other can be like it any more.
        if (result_.candidates.size() - told_ >= batch) tell();
    }

    /// Where one with the same figures is there already, that stands for it.
    void keep(Candidate candidate) {
        const auto first = result_.candidates.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto like = std::find_if(first, result_.candidates.end(), [&](const Candidate& other) {
            return sameFigures(other, candidate) && sameButSchedule(other.choice, candidate.choice);
        });
        if (like == result_.candidates.end()) result_.candidates.push_back(std::move(candidate));
        else if (like->choice.kind != candidate.choice.kind) like->alike.push_back(candidate.choice.kind);
    }

    void tell() {
        const auto news = std::span<const Candidate>(result_.candidates).subspan(told_);
        if (options_.found && !news.empty()) options_.found(news, {tried_, choices_.size(), result_.device});
        told_ = result_.candidates.size();
    }

    const Layout& base_;
    const SearchOptions& options_;
    std::span<const Choice> choices_;
    StepEstimator estimator_;
    SearchResult result_;
    std::size_t first_ = 0;  ///< candidate of the work under way
    std::size_t told_ = 0, tried_ = 0;
};

}  // namespace

tl::expected<SearchResult, std::vector<Fault>> searchLayouts(const Layout& base, const SearchOptions& options) {
    const auto choices = legalChoices(base, options.stop, &options.measurements);
    if (!choices) return tl::unexpected(choices.error());
    return Search(base, options, *choices).run();
}

}  // namespace shardlab::predict
