// SPDX-License-Identifier: Apache-2.0
#include "kernels/cross_entropy.h"

#include "kernels/cpu/vector.h"

#include <cmath>
#include <cstddef>

namespace shardlab {

namespace {

SHARDLAB_HOT float highestOf(int count, const float* values) {
    float highest = values[0];
#pragma omp simd reduction(max : highest)
    for (int i = 0; i < count; ++i) highest = values[i] > highest ? values[i] : highest;
    return highest;
}

SHARDLAB_HOT float sumOfExponentials(int count, const float* values, float highest) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) sum += cpu::expOf(values[i] - highest);
    return sum;
}

/// values := e^(values − highest); returns their sum.
SHARDLAB_HOT float exponentiate(int count, float* values, float highest) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) {
        const float power = cpu::expOf(values[i] - highest);
        values[i] = power;
        sum += power;
    }
    return sum;
}

SHARDLAB_HOT void multiply(int count, float* values, float factor) {
#pragma omp simd
    for (int i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace

double crossEntropy(int rows, int vocabulary, const float* logits, const std::int32_t* targets) {
    double loss = 0;
    for (int r = 0; r < rows; ++r) {
        const float* row = logits + static_cast<std::ptrdiff_t>(r) * vocabulary;
        const float highest = highestOf(vocabulary, row);
        const double sum = sumOfExponentials(vocabulary, row, highest);
        loss += std::log(sum) + highest - row[targets[r]];
    }
    return loss / rows;
}

double crossEntropyWithGradient(int rows, int vocabulary, float* logits, const std::int32_t* targets) {
    double loss = 0;
    const float share = 1.0f / static_cast<float>(rows);
    for (int r = 0; r < rows; ++r) {
        float* row = logits + static_cast<std::ptrdiff_t>(r) * vocabulary;
        const float highest = highestOf(vocabulary, row);
        const float own = row[targets[r]];
        const float sum = exponentiate(vocabulary, row, highest);
        loss += std::log(static_cast<double>(sum)) + highest - own;
        multiply(vocabulary, row, share / sum);
        row[targets[r]] -= share;
    }
    return loss / rows;
}

void largestLogits(const VocabularyPart& part, const float* logits, float* largest) {
    for (int r = 0; r < part.rows; ++r)
        largest[r] = highestOf(part.columns, logits + static_cast<std::ptrdiff_t>(r) * part.columns);
}

void exponentiateLogits(const VocabularyPart& part, const float* largest, const std::int32_t* targets, float* logits,
                        float* sums, float* own) {
    for (int r = 0; r < part.rows; ++r) {
        float* row = logits + static_cast<std::ptrdiff_t>(r) * part.columns;
        const int target = targets[r] - part.first;
        own[r] = target >= 0 && target < part.columns ? row[target] : 0;
        sums[r] = exponentiate(part.columns, row, largest[r]);
    }
}

void crossEntropyGradient(const VocabularyPart& part, const float* sums, const std::int32_t* targets, float* logits) {
    const float share = 1.0f / static_cast<float>(part.rows);
    for (int r = 0; r < part.rows; ++r) {
        float* row = logits + static_cast<std::ptrdiff_t>(r) * part.columns;
        multiply(part.columns, row, share / sums[r]);
        const int target = targets[r] - part.first;
        if (target >= 0 && target < part.columns) row[target] -= share;
    }
}

}  // namespace shardlab
