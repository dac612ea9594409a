// SPDX-License-Identifier: Apache-2.0
// The one measure of traffic: bytes that a rank sends over links.
#pragma once

#include "engine/layout/layout.h"
#include "engine/trace/event/transfer.h"

#include <cstdint>
#include <vector>

namespace shardlab::trace {

/// A message counts where it is sent. A collective counts as a ring carries it, whichever way it was made: of a buffer
/// of S bytes each of n members sends 2(n−1)/n·S for a sum, (n−1)/n·S for a reduce-scatter or an all-gather, and
/// (n−1)/n·S of what it holds for an all-to-all. The hops of Shardlab's own rings are there in place of the collective,
/// each with the part that it sends.
class SentBytes {
public:
    /// For a run without a layout: sends and collectives count with the bytes that their events hold.
    SentBytes() = default;
    explicit SentBytes(const Layout& layout);

    /// The bytes that the event's rank sent: 0 for what sends nothing, and for receives.
    std::int64_t operator()(const Event& event) const;
    /// Whether a stage's piece is reduced, or gathered, by the ranks that hold the same experts alone.
    bool ofExperts(const Event& event) const;

private:
    int membersOf(Partners partners, const Event& event) const;

    bool known_ = false;
    int sameWeights_ = 1, sameCopy_ = 1, sameExperts_ = 1, copies_ = 1, tensor_ = 1, expert_ = 1, context_ = 1,
        replica_ = 1;
    bool tiedApart_ = false;     ///< first and last stage lie on two ranks
    bool sharesMemory_ = false;  ///< Hogwild: workers read the weights where they lie
    /// Which pieces of a stage belong to experts, by the order in which they are reduced, gathered for a forward and
    /// for a backward.
    struct StagePieces {
        std::vector<bool> reduced, forward, backward;
    };
    std::vector<StagePieces> pieces_;  ///< by stage; empty where no experts are spread
};

}  // namespace shardlab::trace
