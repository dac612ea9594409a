// SPDX-License-Identifier: Apache-2.0
// The rows of config_fields.h of a GPT-OSS.
#pragma once

#include "engine/trace/checkpoint/config_alibi.h"

namespace shardlab::trace {

class GptOssRows : protected AlibiRows {
protected:
    using AlibiRows::AlibiRows;

    /// A GPT-OSS has experts in every block, whose gate scores with a bias, clamped gates, biases of all products and
    /// heads with sinks; layers with a window and layers without take turns, as layer_types says. How its positions are
    /// turned, and whether its output is tied, are rows of any llama.
    void gptOss();
    /// Which layers have the family's window; where the sequence is no longer than it, that changes nothing.
    void layerTypes();
};

}  // namespace shardlab::trace
