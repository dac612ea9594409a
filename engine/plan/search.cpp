// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/search.h"

#include "engine/base/units.h"
#include "engine/plan/step_estimate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace shardlab {
namespace {

constexpr std::size_t batch = 32;  ///< candidates told at once

std::string whyNot(const StepEstimate& estimate) {
    const MemoryBytes& bytes = estimate.worst.bytes;
    const auto most = std::ranges::max_element(bytes);
    const auto category = static_cast<MemoryCategory>(most - bytes.begin());
    std::string text = fmt::format("pipeline rank {} needs {}, {} more than a device has; most are {}, {}",
                                   estimate.worst.rank, formatBytes(estimate.worst.peak),
                                   formatBytes(estimate.worst.peak - estimate.capacityBytes), name(category),
                                   formatBytes(*most));
    if (category == MemoryCategory::Activations)
        text += fmt::format(" for {} microbatches in flight", estimate.worst.microbatchesInFlight);
    return text;
}

Candidate candidateOf(const Layout& base, const Choice& choice, const StepEstimate& estimate) {
    Candidate candidate;
    candidate.choice = choice;
    candidate.microbatches = base.batch.global / (choice.parallel.data * choice.micro);
    candidate.stepSeconds = estimate.stepSeconds;
    candidate.tokensPerSecond = static_cast<double>(tokensPerStep(base)) / estimate.stepSeconds;
    candidate.bubble = estimate.bubble;
    candidate.peakBytes = estimate.worst.peak;
    candidate.fits = estimate.worst.peak <= estimate.capacityBytes;
    if (!candidate.fits) candidate.why = whyNot(estimate);
    candidate.exact = estimate.exact;
    return candidate;
}

bool sameButSchedule(Choice one, const Choice& other) {
    one.kind = other.kind;
    one.inFlight = other.inFlight;
    return one == other;
}

bool sameStage(const Choice& one, const Choice& other) {
    return one.parallel == other.parallel && one.chunks == other.chunks && one.micro == other.micro;
}

/// Sums in another order may differ in their last digits.
bool near(double one, double other) { return std::abs(one - other) <= 1e-12 * std::max(std::abs(one), std::abs(other)); }

bool sameFigures(const Candidate& one, const Candidate& other) {
    return one.peakBytes == other.peakBytes && near(one.stepSeconds, other.stepSeconds) &&
           std::abs(one.bubble - other.bubble) <= 1e-12;
}

/// Best is least.
auto rankOf(const Candidate& c) {
    const ParallelSpec& p = c.choice.parallel;
    return std::tuple(!c.fits, -c.tokensPerSecond, c.peakBytes, p.pipeline, p.data, p.tensor, p.expert, p.context,
                      p.sequence, p.zero, c.choice.chunks, c.choice.micro, std::string_view(c.choice.kind),
                      std::string_view(c.choice.recompute), c.choice.inFlight, c.choice.stages.size());
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

tl::expected<SearchResult, std::vector<Fault>> searchLayouts(const Layout& base, const SearchOptions& options) {
    auto choices = legalChoices(base, options.stop, options.measurements);
    if (!choices) return tl::unexpected(std::move(choices.error()));
    SearchResult result;
    StepEstimator estimator(base, options.measurements);
    std::size_t told = 0, tried = 0;
    const auto tell = [&] {
        const auto news = std::span<const Candidate>(result.candidates).subspan(told);
        if (options.found && !news.empty()) options.found(news, {tried, choices->size(), result.capacityBytes});
        told = result.candidates.size();
    };
    std::size_t group = 0;  ///< first candidate that differs from the next choice in the schedule only
    std::vector<Choice> fitting;  ///< of those that follow each other with the same stages; recomputation left out
    for (const Choice& choice : *choices) {
        if (options.stop.stop_requested()) break;
        Choice keeping = choice;
        keeping.recompute.clear();
        if (!choice.stages.empty()) keeping.stages = {0};  // balanced, which depends on what is recomputed
        if (!fitting.empty() && !sameStage(fitting.front(), choice)) fitting.clear();
        if (std::ranges::find(fitting, keeping) != fitting.end()) {
            ++tried;
            continue;
        }
        if (group < result.candidates.size() && !sameButSchedule(result.candidates[group].choice, choice)) {
            // A candidate is told when no other can be like it any more.
            if (result.candidates.size() - told >= batch) tell();
            group = result.candidates.size();
        }
        const StepEstimate estimate = estimator.estimate(choice);
        if (tried++ == 0) result.capacityBytes = estimate.capacityBytes;
        Candidate candidate = candidateOf(base, choice, estimate);
        if (candidate.fits) fitting.push_back(std::move(keeping));
        const auto first = result.candidates.begin() + static_cast<std::ptrdiff_t>(group);
        const auto like = std::find_if(first, result.candidates.end(),
                                       [&](const Candidate& other) { return sameFigures(other, candidate); });
        if (like == result.candidates.end()) result.candidates.push_back(std::move(candidate));
        else if (like->choice.kind != choice.kind) like->alike.push_back(choice.kind);
    }
    tell();
    result.complete = !options.stop.stop_requested() && tried == choices->size();
    rankCandidates(result.candidates);
    return result;
}

}  // namespace shardlab
