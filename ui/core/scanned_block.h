// SPDX-License-Identifier: GPL-3.0-or-later
// What was made of a block of a run file on the thread that reads: the model takes it over without looking at its
// spans.
#pragma once

#include "engine/trace/run_file/run_file.h"
#include "ui/store/block_digest.h"

#include <memory>
#include <span>
#include <vector>

namespace shardlab::ui {

struct ScannedBlock {
    BlockPlace place;
    std::shared_ptr<const BlockDigest> digest;
    std::vector<Event> told;     ///< those that PointEvents keep, and peaks of memory; in their order
    std::vector<Event> figured;  ///< everything, where figures of steps have to be made of it; else nothing
};

/// `events` as they were recorded; `figures`: they have to be made of them.
ScannedBlock scanned(const BlockPlace& place, std::span<const Event> events, const DecodedBlock& block, bool figures);

}  // namespace shardlab::ui
