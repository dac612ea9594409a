// SPDX-License-Identifier: Apache-2.0
// Blocks of a gpt or a llama with any of the parts that a layout may choose.
#pragma once

#include "engine/layout/block_parts.h"
#include "tests/support/wings.h"

#include <iterator>

namespace shardlab::test {

/// `below(n)` draws a whole number from 0 to n − 1. Half of the parts stay what the model's kind has. Heads get an even
/// width where they are turned, of at least `leastWidth` where it is drawn. A third have latents, which count where
/// positions are rotary. Half have sinks, a third modules that predict further tokens. Caps, and the bounds of clamped
/// gates, are such that some numbers reach them.
template <class Below>
void drawBlock(ModelSpec& model, const Below& below, int leastWidth = 2) {
    BlockSpec& block = model.block;
    const auto coin = [&] { return below(2) == 0; };
    const auto draw = [&]<class Kind>(Kind& kind) {
        if (coin()) kind = static_cast<Kind>(below(static_cast<int>(std::size(layoutWords<Kind>))));
    };
    draw(block.norm);
    draw(block.positions);
    draw(block.biases);
    draw(block.activation);
    draw(block.output);
    draw(block.rotary.scaling);
    block.normEpsilon = coin() ? 1e-5 : 1e-2;
    block.rotary.base = coin() ? 10000 : 500000;
    block.rotary.factor = 1 + below(32);
    block.rotary.original = 4 + below(400);
    block.rotary.truncate = coin();
    const int width = model.hidden / model.heads;
    if (coin() || (blockParts(model).rotary && width % 2 != 0)) block.headWidth = leastWidth + 2 * below(5);
    if (coin()) block.window = 1 + below(model.sequence + 2);
    if (coin()) block.fullEvery = below(4);
    // A norm over very few numbers is ill-conditioned.
    block.queryKeyNorms = coin() && headWidth(model) >= 8;
    block.sinks = coin();
    if (below(3) == 0) block.attentionCap = 0.5 + below(8);
    if (below(3) == 0) block.logitCap = 0.5 + below(8);
    block.gluLimit = 0.05 * (1 + below(20));
    block.gluAlpha = 1 + 0.5 * below(3);
    if (below(3) == 0) model.predictedTokens = 1 + below(2);
    model.predictionWeight = 0.25 * (1 + below(4));
    if (below(3) != 0) return;
    block.kvRank = 8 + below(12);
    block.queryRank = coin() ? 8 + below(12) : 0;
    block.ropeWidth = 2 * (1 + below(4));
    block.valueWidth = coin() ? 1 + below(headWidth(model) + block.ropeWidth) : 0;
    block.queryKeyNorms = block.queryKeyNorms && !blockParts(model).latent;
}

}  // namespace shardlab::test
