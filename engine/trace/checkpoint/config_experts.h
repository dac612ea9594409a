// SPDX-License-Identifier: Apache-2.0
// The rows of config_fields.h that tell of experts.
#pragma once

#include "engine/trace/checkpoint/config_rows.h"

namespace shardlab::trace {

class ExpertRows : protected ConfigRows {
protected:
    using ConfigRows::ConfigRows;

    /// The rows of a Mixtral and of a Qwen3-MoE: every block has experts, all of which are as wide.
    void topKExperts();
    /// The rows of a DeepSeek-V3 and its relatives: the lowest layers are dense, and the others have experts, one block
    /// of shared ones among them. In a llama all layers are dense, and what the file says of experts changes nothing.
    void sharedExperts();

private:
    void routedExperts();
    /// The gate of a DeepSeek-V3, and that of a DeepSeek-V2.
    void sigmoids();
    void shares();
};

}  // namespace shardlab::trace
