// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/search.h"

#include "engine/base/units.h"
#include "engine/layout/exchange.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/search/step_estimate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <iterator>
#include <limits>
#include <ranges>
#include <tuple>

namespace shardlab::predict {
namespace {

constexpr std::size_t mostWorks = 8;  ///< tried by one thread before it tells what it found

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
    candidate.mfu = estimate.mfu;
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
    return one.kind == other.kind && one.inFlight == other.inFlight && one.stages.empty() == other.stages.empty() &&
           one.countEnds == other.countEnds;
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
                      c.choice.inFlight, c.choice.stages.size(), c.choice.countEnds);
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

/// Choices of the same work, in the order of legalChoices().
using Work = std::span<const Choice>;

/// What was found among works that share their lists of actions.
struct Found {
    std::vector<Candidate> candidates;
    std::size_t tried = 0;  ///< or passed over
    MemoryLimit device;
};

/// Tries works whose lists of actions are the same: the estimator remembers those of one such group.
class GroupSearch {
public:
    GroupSearch(const Layout& base, const SearchOptions& options)
        : base_(base), options_(options), estimator_(base, options.measurements) {}

    Found run(std::span<const Work> works) {
        for (const Work work : works) tryWork(work);
        return std::move(found_);
    }

private:
    /// A work's candidates are, of what fits, the quickest of each schedule, and of what does not, what is nearest to
    /// it.
    void tryWork(Work work) {
        struct Remembered {
            const Choice* choice;
            MemoryEstimate memory;
        };
        std::vector<Remembered> fitting, tooLarge;
        // Tries choices from the one that saves most memory on: legalChoices() gives them in the opposite order.
        for (const Choice& choice : work | std::views::reverse) {
            if (options_.stop.stop_requested()) return;
            ++found_.tried;
            const auto standsFor = [&](const Remembered& other) { return needsNoMore(*other.choice, choice); };
            if (std::ranges::any_of(tooLarge, standsFor)) continue;
            const MemoryEstimate memory = estimator_.memory(choice);
            found_.device = memory.device;
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
        const std::size_t first = found_.candidates.size();
        for (const auto& [choice, memory] : kept)
            keep(candidateOf(base_, *choice, estimator_.estimate(*choice, memory)), first);
    }

    /// Where one of the work, whose candidates begin at `first`, has the same figures already, that stands for it.
    void keep(Candidate candidate, std::size_t first) {
        const auto begin = found_.candidates.begin() + static_cast<std::ptrdiff_t>(first);
        const auto like = std::find_if(begin, found_.candidates.end(), [&](const Candidate& other) {
            return sameFigures(other, candidate) && sameButSchedule(other.choice, candidate.choice);
        });
        if (like == found_.candidates.end()) found_.candidates.push_back(std::move(candidate));
        else if (like->choice.kind != candidate.choice.kind) like->alike.push_back(candidate.choice.kind);
    }

    const Layout& base_;
    const SearchOptions& options_;
    StepEstimator estimator_;
    Found found_;
};

auto actionLists(const Layout& base, Work work) {
    const Choice& one = work.front();
    return std::tuple(one.parallel.pipeline, one.chunks, microbatches(base, one));
}

/// The choices by work, those with the same lists of actions after each other.
std::vector<Work> worksOf(const Layout& base, std::span<const Choice> choices) {
    std::vector<Work> works;
    for (std::size_t begin = 0, end = 0; begin < choices.size(); begin = end) {
        while (end < choices.size() && sameWork(choices[begin], choices[end])) ++end;
        works.push_back(choices.subspan(begin, end - begin));
    }
    std::ranges::stable_sort(works, {}, [&](Work work) { return actionLists(base, work); });
    return works;
}

/// Runs of works with the same lists of actions.
std::vector<std::span<const Work>> groupsOf(const Layout& base, std::span<const Work> works) {
    std::vector<std::span<const Work>> groups;
    for (std::size_t begin = 0, end = 0; begin < works.size(); begin = end) {
        while (end < works.size() && end - begin < mostWorks &&
               actionLists(base, works[begin]) == actionLists(base, works[end]))
            ++end;
        groups.push_back(works.subspan(begin, end - begin));
    }
    return groups;
}

/// Groups are tried on all cores, and told in their order.
SearchResult search(const Layout& base, const SearchOptions& options, std::span<const Choice> choices) {
    const std::vector<Work> works = worksOf(base, choices);
    const std::vector<std::span<const Work>> groups = groupsOf(base, works);
    const std::size_t atOnce = 2 * static_cast<std::size_t>(hostCores());  // one may take longer than the next
    std::deque<std::future<Found>> underWay;
    SearchResult result;
    std::size_t begun = 0, tried = 0;
    while (!options.stop.stop_requested()) {
        while (begun < groups.size() && underWay.size() < atOnce)
            underWay.push_back(
                std::async(std::launch::async | std::launch::deferred, [&base, &options, group = groups[begun++]] {
                    return GroupSearch(base, options).run(group);
                }));
        if (underWay.empty()) break;
        Found found = underWay.front().get();
        underWay.pop_front();
        tried += found.tried;
        result.device = found.device;
        if (options.found && !found.candidates.empty())
            options.found(found.candidates, {tried, choices.size(), result.device});
        std::ranges::move(found.candidates, std::back_inserter(result.candidates));
    }
    result.complete = !options.stop.stop_requested() && tried == choices.size();
    rankCandidates(result.candidates);
    return result;
}

}  // namespace

tl::expected<SearchResult, std::vector<Fault>> searchLayouts(const Layout& base, const SearchOptions& options) {
    const auto choices = legalChoices(base, options.stop, &options.measurements);
    if (!choices) return tl::unexpected(choices.error());
    return search(base, options, *choices);
}

}  // namespace shardlab::predict
