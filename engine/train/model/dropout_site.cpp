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

}  // namespace shardlab::train
