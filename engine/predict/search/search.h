// SPDX-License-Identifier: Apache-2.0
// Plan for me: all legal layouts for a model, a cluster and a batch, compared.
#pragma once

#include "engine/layout/memory_limit.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/measurements.h"
#include "engine/predict/search/search_axes.h"

#include <tl/expected.hpp>

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace shardlab::predict {

struct Candidate {
    Choice choice;
    std::vector<std::string> alike;  ///< other schedules with the same figures here, which this one stands for too
    int microbatches = 0;
    double stepSeconds = 0;      ///< of the modelled device, as Plan's
    double tokensPerSecond = 0;  ///< likewise, over all replicas
    double bubble = 0;
    double mfu = 0;              ///< as Plan's
    std::int64_t peakBytes = 0;  ///< of the tensors of the rank that needs most (neededBytes in plan.h)
    bool fits = true;
    Sentence why;        ///< it does not fit: which rank needs how much, and for what
    bool exact = true;   ///< false where a long step was estimated from two shorter ones (step_estimate.h)
    bool front = false;  ///< fits, and none that fits is faster with as little memory
    bool operator==(const Candidate&) const = default;
};

struct SearchProgress {
    std::size_t tried = 0;  ///< or passed over; more than there are candidates: of schedules that are alike one is kept
    std::size_t legal = 0;  ///< to be tried
    MemoryLimit device;     ///< as in the result
};

struct SearchOptions {
    /// Candidates just tried, in the order of trying; `front` is not known yet. May be empty of a function.
    std::function<void(std::span<const Candidate>, const SearchProgress&)> found = {};
    std::stop_token stop = {};
    Measurements measurements = {};  ///< as for makePlan()
};

struct SearchResult {
    std::vector<Candidate> candidates;  ///< best first, see rankCandidates()
    MemoryLimit device;                 ///< what a rank has, and may take: that of the first candidate
    bool complete = true;               ///< false where stopped
};

/// Tries every layout that check() accepts, with degrees, chunks, schedule, microbatch and memory methods chosen anew.
/// What saves memory at the cost of time is tried where less does not fit: of the same work on the same schedule, of
/// two that fit the one is left out that recomputes no less and has a higher ZeRO stage than the other's 1 or 2, or the
/// same. Of what does not fit, only what of the same work comes nearest to it is listed: all else would say the same.
/// The same layout always gives the same answer. Otherwise the faults that no choice could mend.
tl::expected<SearchResult, std::vector<Fault>> searchLayouts(const Layout& base, const SearchOptions& options = {});

/// Sorts: candidates that fit first, then by tokens per second, then by memory, then by the choice; marks the front:
/// throughput against memory of those that fit.
void rankCandidates(std::vector<Candidate>& candidates);

}  // namespace shardlab::predict
