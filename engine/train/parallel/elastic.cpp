// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/elastic.h"

#include <vector>

namespace shardlab::train {
namespace {

constexpr int elasticTag = 2;

}  // namespace

void swapWeights(ConstArraySpan own, ArraySpan other, int peer, Communicator& group) {
    const RequestPtr received = group.ireceive(other.bytes(), peer, elasticTag);
    group.isend(own.bytes(), peer, elasticTag)->wait();
    received->wait();
}

void differ(ConstArraySpan own, ArraySpan other, Device& device) {
    const auto count = static_cast<std::int64_t>(own.size());
    device.multiply(count, -1, other.data());
    device.add(count, own.data(), other.data());
}

void pull(ArraySpan own, ArraySpan difference, float alpha, Device& device) {
    const auto count = static_cast<std::int64_t>(own.size());
    device.multiply(count, -alpha, difference.data());
    device.add(count, difference.data(), own.data());
}

double squaredDistance(Stage& stage, ConstArraySpan difference) {
    const ConstArraySpan block = stage.parameterBlock();
    const auto* begin = static_cast<const std::byte*>(block.data().data);
    std::vector<ArrayPart> parts;
    for (const Parameter& parameter : stage.parameters()) {
        if (!parameter.owner || parameter.value.empty()) continue;
        const auto bytes = static_cast<const std::byte*>(parameter.value.data().data) - begin;
        const auto first = static_cast<std::size_t>(bytes) / sizeOf(block.type());
        parts.push_back({difference.subspan(first, parameter.value.size()).data(),
                         static_cast<std::int64_t>(parameter.value.size())});
    }
    return parts.empty() ? 0 : stage.arena().device().sumOfSquares(parts);
}

}  // namespace shardlab::train
