// SPDX-License-Identifier: Apache-2.0
#include "engine/train/optim/coded_moments.h"

#include "kernels/moment_codes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace shardlab::train {

void readMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::size_t from,
                 std::span<float> to) {
    if (to.empty()) return;
    const MomentCodes& codes = state.codes.second ? unsignedMoments : signedMoments;
    const auto first = begin + static_cast<std::int64_t>(from);
    const std::int64_t block = first / momentBlock - begin / momentBlock;
    std::vector<std::uint8_t> read(to.size());
    std::vector<float> scales(static_cast<std::size_t>(momentBlocks(first, static_cast<std::int64_t>(to.size()))));
    device.download(static_cast<const std::uint8_t*>(state.values.data().data) + from, read.data(), read.size());
    device.download(state.codes.scales + block, scales.data(), scales.size() * sizeof(float));
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::int64_t of = (first + static_cast<std::int64_t>(i)) / momentBlock - first / momentBlock;
        to[i] = codes.values[read[i]] * scales[static_cast<std::size_t>(of)];
    }
}

void writeMoments(Device& device, const OptimizerState& state, std::int64_t begin, std::span<const float> from) {
    if (from.empty()) return;
    const auto count = static_cast<std::int64_t>(from.size());
    std::vector<std::uint8_t> written(from.size());
    std::vector<float> scales;
    for (std::int64_t at = 0; at < count;) {
        const std::int64_t end = std::min(count, ((begin + at) / momentBlock + 1) * momentBlock - begin);
        float largest = 0;
        for (std::int64_t i = at; i < end; ++i)
            largest = std::max(largest, std::fabs(from[static_cast<std::size_t>(i)]));
        const float share = shareOfScale(largest);
        scales.push_back(share > 0 ? largest : 0.0f);
        for (; at < end; ++at) {
            const auto i = static_cast<std::size_t>(at);
            written[i] = state.codes.second ? codeOfSecond(from[i], share) : codeOfFirst(from[i], share);
        }
    }
    device.upload(written.data(), state.values.data().data, written.size());
    device.upload(scales.data(), state.codes.scales, scales.size() * sizeof(float));
}

}  // namespace shardlab::train
