// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/dropout_site.h"

#include "engine/base/random.h"

namespace shardlab::train {

DropoutSite::DropoutSite(double share, std::int64_t seed, const std::string& name)
    : share_(static_cast<float>(share)), key_(RandomStream(seed, name + ".dropout").bitsAt(0)) {}

DropoutMask DropoutSite::mask(const LayerState& state, std::int64_t rowsOfSample, std::int64_t row) const {
    if (share_ == 0 || !state.firstSample) return {};
    return {key_, *state.firstSample * rowsOfSample + row, share_};
}

DropoutMask DropoutSite::ofOwnTokens(const LayerContext& context, const LayerState& state) const {
    const int first = context.tensor.firstOwnToken(context.tokens()), sequence = context.wholeSequence();
    if (!context.context) return mask(state, sequence, first);
    DropoutMask made = mask(state, sequence, 0);
    made.rows = {context.sequence, first, sequence, context.positionsOf(context.context->member())};
    return made;
}

}  // namespace shardlab::train
