// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/hogwild.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace shardlab::train {
namespace {

float load(float& element) { return std::atomic_ref(element).load(std::memory_order_relaxed); }
void store(float& element, float value) { std::atomic_ref(element).store(value, std::memory_order_relaxed); }

bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

}  // namespace

LockFreeUpdate updateWithoutLock(std::span<float> shared, std::span<const float> gradients, const SgdUpdate& update,
                                 Device& device, const std::function<void(std::size_t first)>& between) {
    assert(shared.size() == gradients.size() && update.momentum == 0 && update.weightDecay == 0);
    LockFreeUpdate done;
    std::array<float, hogwildStretch> before, after;
    for (std::size_t first = 0; first < shared.size(); first += hogwildStretch) {
        const std::size_t count = std::min(hogwildStretch, shared.size() - first);
        const std::span<float> elements = shared.subspan(first, count);
        const std::span<const float> g = gradients.subspan(first, count);
        const auto touched = std::ranges::count_if(g, [](float each) { return each != 0; });
        if (touched == 0) continue;
        for (std::size_t i = 0; i < count; ++i) before[i] = after[i] = g[i] != 0 ? load(elements[i]) : 0;
        device.sgd(static_cast<std::int64_t>(count), update, g.data(), after.data(), nullptr, nullptr);
        if (between) between(first);
        for (std::size_t i = 0; i < count; ++i) {
            if (g[i] == 0) continue;
            done.overwritten += same(load(elements[i]), before[i]) ? 0 : 1;
            store(elements[i], after[i]);
        }
        done.written += touched;
    }
    return done;
}

void readWithoutLock(std::span<float> shared, std::span<float> copy) {
    assert(shared.size() == copy.size());
    for (std::size_t i = 0; i < shared.size(); ++i) copy[i] = load(shared[i]);
}

void writeWithoutLock(std::span<const float> values, std::span<float> shared) {
    assert(values.size() == shared.size());
    for (std::size_t i = 0; i < values.size(); ++i) store(shared[i], values[i]);
}

}  // namespace shardlab::train
