// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/scalars.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardlab::train {

namespace {

// An all-gather only copies, so that any 8 bytes may travel as two floats.
template <class Number>
std::vector<Number> gatherBits(Communicator& group, Number value) {
    static_assert(sizeof(Number) == 2 * sizeof(float));
    std::array<float, 2> mine{};
    std::memcpy(mine.data(), &value, sizeof value);
    std::vector<float> all(2 * static_cast<std::size_t>(group.size()));
    group.host().allGather(std::span<const float>(mine), std::span<float>(all));
    std::vector<Number> values(static_cast<std::size_t>(group.size()));
    std::memcpy(values.data(), all.data(), all.size() * sizeof(float));
    return values;
}

}  // namespace

std::vector<double> gather(Communicator& group, double value) { return gatherBits(group, value); }

std::vector<std::int64_t> gather(Communicator& group, std::int64_t value) { return gatherBits(group, value); }

double sum(Communicator& group, double value) {
    double total = 0;
    for (const double part : gather(group, value)) total += part;
    return total;
}

std::int64_t largest(Communicator& group, std::int64_t value) {
    const std::vector<std::int64_t> all = gather(group, value);
    return *std::max_element(all.begin(), all.end());
}

std::int64_t exchanged(Communicator& group, int peer, std::int64_t value) {
    constexpr int tag = 3;
    std::int64_t theirs = 0;
    const RequestPtr received = group.ireceive(std::as_writable_bytes(std::span(&theirs, 1)), peer, tag);
    group.send(std::as_bytes(std::span(&value, 1)), peer, tag);
    received->wait();
    return theirs;
}

}  // namespace shardlab::train
