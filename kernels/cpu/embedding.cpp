// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <numeric>
#include <vector>

namespace shardlab::kernels {

namespace {

/// The row of the table that has the token, or −1.
std::int64_t rowOf(const EmbeddingShape& shape, std::int32_t token) {
    const std::int32_t row = token - shape.firstToken;
    return row >= 0 && row < shape.tokens ? row : -1;
}

SHARDLAB_HOT void addRow(std::int64_t count, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) to[c] += from[c];
}

}  // namespace

void CpuDevice::embed(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray tokenTable,
                      ConstArray positionTable, Array output) {
    const std::int64_t hidden = shape.hidden;
    const std::int64_t count = std::int64_t{shape.samples} * shape.sequence;
    cpu::shareOut(count, count * hidden, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t token = begin; token < end; ++token) {
            const std::int64_t row = rowOf(shape, tokens[token]);
            const cpu::Floats out(output + token * hidden, cpu::Floats::Access::Write, hidden);
            if (row >= 0) cpu::toFloats(1, hidden, tokenTable + row * hidden, hidden, out.data(), hidden);
            else std::fill_n(out.data(), hidden, 0.0f);
            if (!positionTable) continue;
            const cpu::ConstFloats position(positionTable + token % shape.sequence * hidden, hidden);
            addRow(hidden, position.data(), out.data());
        }
    });
}

// Works row by row of the tables, so that each sum is taken in fp32 and rounded once, in the order of the tokens.
void CpuDevice::embedGrad(const EmbeddingShape& shape, const std::int32_t* tokens, ConstArray outputGradient,
                          Array tokenGradient, Array positionGradient) {
    const std::int64_t hidden = shape.hidden;
    const std::int64_t count = std::int64_t{shape.samples} * shape.sequence;
    const auto addGradient = [&](std::int64_t token, const cpu::Floats& sum) {
        const cpu::ConstFloats gradient(outputGradient + token * hidden, hidden);
        addRow(hidden, gradient.data(), sum.data());
    };

    std::vector<std::int32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int32_t i) { return tokens[i]; });
    std::vector<std::int64_t> groups;  // where the occurrences of another token begin
    for (std::int64_t i = 0; i < count; ++i)
        if (i == 0 || tokens[order[i]] != tokens[order[i - 1]]) groups.push_back(i);
    groups.push_back(count);
    const auto words = static_cast<std::int64_t>(groups.size()) - 1;
    cpu::shareOut(words, count * hidden, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t word = begin; word < end; ++word) {
            const std::int64_t row = rowOf(shape, tokens[order[groups[word]]]);
            if (row < 0) continue;
            const cpu::Floats sum(tokenGradient + row * hidden, cpu::Floats::Access::Update, hidden);
            for (std::int64_t i = groups[word]; i < groups[word + 1]; ++i) addGradient(order[i], sum);
        }
    });
    if (!positionGradient) return;
    cpu::shareOut(shape.sequence, count * hidden, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t position = begin; position < end; ++position) {
            const cpu::Floats sum(positionGradient + position * hidden, cpu::Floats::Access::Update, hidden);
            for (int sample = 0; sample < shape.samples; ++sample)
                addGradient(std::int64_t{sample} * shape.sequence + position, sum);
        }
    });
}

}  // namespace shardlab::kernels
