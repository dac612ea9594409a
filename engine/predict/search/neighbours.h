// SPDX-License-Identifier: Apache-2.0
// The legal layouts that are one change away from a layout.
#pragma once

#include "engine/base/sentence.h"
#include "engine/predict/plan/measurements.h"
#include "engine/predict/search/search_axes.h"

#include <string>
#include <vector>

namespace shardlab::predict {

enum class Move : std::uint8_t { Microbatch, Schedule, Stages, Degrees, Recompute };

struct Neighbour {
    Move move = Move::Microbatch;
    Choice choice;
    Sentence change;  ///< "micro 1 instead of 2"
};

/// The legal neighbours of a legal layout:
/// Microbatch – the next smaller and the next larger that divides a replica's share of the batch.
/// Schedule   – each other kind that the software stack has, with the number of chunks nearest to the present one that
/// it
///              works with.
/// Stages     – the balanced split of the layers (partition_layout.h), where it is not the present one.
/// Degrees    – a prime factor of one degree of data, pipeline and tensor given to another; what then has no meaning
///              (sequence parallelism without a tensor group, ZeRO without replicas) is switched off.
/// Recompute  – less of it: none, or selective instead of whole blocks.
/// Where a change does not leave as many stages as there were, the layers are split evenly or else balanced.
std::vector<Neighbour> neighbours(const Layout& layout, const Measurements& measurements = {});

}  // namespace shardlab::predict
