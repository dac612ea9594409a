// SPDX-License-Identifier: Apache-2.0
// What a search varies, and which values are legal together.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"
#include "engine/predict/plan/measurements.h"

#include <tl/expected.hpp>

#include <array>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

/// What is recomputed, from the least to the most; longer segments lie between none and full.
inline constexpr std::array searchedRecompute{RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full};

/// The fields of a layout that a search chooses; all others stay.
struct Choice {
    ParallelSpec parallel;
    std::string kind;
    int chunks = 1;
    int micro = 1;
    RecomputeKind recompute = RecomputeKind::None;
    std::vector<int> stages;  ///< layers of each stage; empty = an even split
    bool countEnds = false;   ///< the even split counts the embedding and the output as a layer each
    int inFlight = 0;         ///< of a schedule that takes a limit; 0 = its own
    bool partition = false;   ///< inputs of segments, over the tensor group; only where that has an effect
    bool operator==(const Choice&) const = default;
};

Choice choiceOf(const Layout& layout);
/// Sets the chosen fields of `layout`.
void apply(const Choice& choice, Layout& layout);

/// Whether two choices differ at most in the schedule and in what saves memory.
bool sameWork(const Choice& one, const Choice& other);

/// Limits of microbatches in flight to try: none of its own, and for methods that take one half as many as there are
/// ranks and twice as many, where the step has enough microbatches for that to differ.
std::vector<int> searchedLimits(const ScheduleMethod& method, const ScheduleShape& shape);

/// Two layouts of one question have the same choices, and each of them the same figures.
bool sameQuestion(const Layout& one, const Layout& other);

/// Every choice that check() accepts for the model, cluster and batch of `base`, in a fixed order: those with the same
/// degrees, context method, chunks and microbatch follow each other, by ZeRO, sequence parallelism and recomputation
/// from the least on. Layers are split evenly; by the partitioner (partition_layout.h) where they do not divide, then
/// with one or two chunks, or are of several widths. Where they do not divide over the pipeline, but do with the
/// embedding and the output counted as a layer each, that split is tried too, with all chunks that divide it. An axis
/// takes the values that its field may have, so that a method is tried as soon as check() lets it pass; tensor groups
/// are tried up to the devices of the smallest host, expert groups that divide both replicas and experts, each expert
/// cut over its tensor group or whole on one rank of it, with ZeRO 3 a copy on each host beside a single one. One
/// pipeline rank waits for nobody: it is tried with 1F1B alone, in one chunk. Asynchronous schedules train otherwise
/// than one rank would; they are tried only where that of `base` is one. Where `base` models another software stack,
/// only schedules which that has are tried. Otherwise what no choice could mend: the faults of all that stays; where
/// there are none, those of pure data parallelism. Stopped: those found so far. `measurements` are for the partitioner;
/// without them it takes all layers for equally long.
tl::expected<std::vector<Choice>, std::vector<Fault>> legalChoices(const Layout& base, std::stop_token stop = {},
                                                                   const Measurements* measurements = nullptr);

}  // namespace shardlab::predict
