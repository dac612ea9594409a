// SPDX-License-Identifier: GPL-3.0-or-later
// What a run records of single moments, counters and instants: each kind apart and ascending, so that what is drawn is
// found by halving, not by walking all.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/event/restarts.h"
#include "ui/core/counters.h"
#include "ui/core/gone_steps.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace shardlab::ui {

/// The order of such events and of spans on the time axis.
inline bool byBegin(const Event& a, const Event& b) { return a.begin < b.begin; }

class PointEvents {
public:
    /// All instants, and the counters that views ask for by kind. Others are in counters(), or in the figures of steps
    /// alone.
    static constexpr std::array kinds{EventKind::Command,          EventKind::Fault,
                                      EventKind::Overflow,         EventKind::Dropped,
                                      EventKind::Restart,          EventKind::Mark,
                                      EventKind::InjectedFault,    EventKind::Loss,
                                      EventKind::ValidationLoss,   EventKind::GradientNorm,
                                      EventKind::LearningRate,     EventKind::LossScale,
                                      EventKind::PaceOverrun,      EventKind::Staleness,
                                      EventKind::ElasticDistance,  EventKind::OverwrittenUpdates,
                                      EventKind::WeightVersions,   EventKind::LargestFree,
                                      EventKind::HostMemory,       EventKind::GradientExponents,
                                      EventKind::ExpertLoad,       EventKind::ExpertDropped,
                                      EventKind::UntakenTokens,    EventKind::ExpertsOfToken,
                                      EventKind::AssignmentRounds, EventKind::PackedActivations,
                                      EventKind::Fp8Scale,         EventKind::Fp8Saturated,
                                      EventKind::Fp8Flushed,       EventKind::PredictionLoss,
                                      EventKind::TokensPerSecond};
    static constexpr std::span instants = std::span(kinds).first<7>();
    static bool keeps(EventKind kind);  ///< in either way

    explicit PointEvents(int ranks = 0) : overflows_(static_cast<std::size_t>(ranks)) {}

    /// Adds events in any order; where they come in ascending order this takes O(1) amortised for each event. Left out
    /// are other kinds, ranks that the run does not have, and counters and overflows of steps that were done again.
    void add(std::span<const Event> events, const Restarts& restarts);
    /// After a restart: leaves out what it supersedes.
    void drop(const Restarts& restarts);
    /// Leaves out the counters of steps that are gone; instants stay (GoneSteps::leaveOut).
    void leaveOut(const GoneSteps& gone, std::size_t many);

    /// The events of a kind, ascending by begin; empty for kinds that are not in `kinds`.
    const std::vector<Event>& of(EventKind kind) const;
    /// The overflows of one rank, ascending by begin.
    const std::vector<Event>& overflows(int rank) const { return overflows_.at(static_cast<std::size_t>(rank)); }
    const Counters& counters() const { return counters_; }

private:
    std::array<std::vector<Event>, kinds.size()> byKind_;
    std::vector<std::vector<Event>> overflows_;  ///< by rank
    Counters counters_;
};

}  // namespace shardlab::ui
