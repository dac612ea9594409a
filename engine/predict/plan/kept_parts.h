// SPDX-License-Identifier: Apache-2.0
// What a stage keeps of a microbatch's forward until its backward, layer by layer and operation by operation, with the
// formula of each: the activations of the ledger, named.
#pragma once

#include "engine/base/sentence.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"

#include <cstdint>
#include <vector>

namespace shardlab::predict {

struct KeptPart {
    int layer = 0;       ///< a block of the model, or embeddingLayer or outputLayer (engine/base/layer_number.h)
    Sentence operation;  ///< "attention: queries, keys and values"
    Sentence formula;    ///< "e·N·(q + 2g)", in the letters of keptLetters()
    std::int64_t bytes = 0;
    bool operator==(const KeptPart&) const = default;
};

/// In the order of the forward, without what is nothing; none for a cnn. Together they are what the stage's forward
/// leaves in Activations (StageBuffers::forward). The input of a stage that is not the first comes from another rank,
/// and is a buffer.
std::vector<KeptPart> keptParts(const Layout& layout, const StageShape& shape, const TensorShare& share);

/// What the formulas' letters stand for: "e = 2 B, N = 2048 tokens, …".
Sentence keptLetters(const Layout& layout, const TensorShare& share);

}  // namespace shardlab::predict
