// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace shardlab {

struct CheckpointSpec {
    int every = 0;     ///< steps between checkpoints, and one at the end; 0 = only when asked for
    int keep = 2;      ///< newest ones that stay
    std::string path;  ///< folder, relative to the layout file; empty = beside the run file
    bool operator==(const CheckpointSpec&) const = default;
};

}  // namespace shardlab
