// SPDX-License-Identifier: Apache-2.0
// Whether a run that failed goes on, and from where.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::launch {

struct RestartPoint {
    std::filesystem::path checkpoint;
    std::int64_t step = 0;            ///< the first that is done again
    int number = 0;                   ///< the restart's, from 1; 0: nothing failed
    std::vector<std::string> broken;  ///< newer checkpoints that cannot be read, each with the reason; the newest first
};

class RestartPolicy {
public:
    /// Before ranks start: checkpoints that lie in `folder` by then are another run's. `resume`: what the run itself
    /// goes on from; may be empty.
    RestartPolicy(Layout layout, std::filesystem::path folder, std::filesystem::path resume);

    bool wanted() const { return layout_.run.maxRestarts > 0; }
    int most() const { return layout_.run.maxRestarts; }
    /// The run's newest whole checkpoint that it can go on from: its manifest, and sizes and headers of its shards, are
    /// right; what they hold is checked by the ranks that read it. `stepped`: it did a step since its last start; where
    /// it did not, an older checkpoint is preferred to the one that it started from. Error::why: no restart is left, or
    /// there is no checkpoint.
    Result<RestartPoint> next(bool stepped);
    /// The newest whole checkpoint where nothing failed and the run is to go on with other ranks, which is not counted.
    /// `trained`: some step was ended; otherwise there may be no checkpoint, and the run begins anew.
    Result<RestartPoint> newest(bool trained);

private:
    /// The newest checkpoint to go on from; `again`: the one that the run started from last counts as any other.
    RestartPoint find(bool again) const;

    Layout layout_;
    std::filesystem::path folder_;
    std::filesystem::path resume_;
    std::filesystem::path last_;  ///< what the run went on from last
    int before_ = 0;              ///< the number of the newest checkpoint of another run
    int used_ = 0;
};

}  // namespace shardlab::launch
