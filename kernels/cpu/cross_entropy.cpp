// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/score_rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace shardlab::kernels {

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

/// values := e^(values − highest)·factor.
SHARDLAB_HOT void softmax(int count, float* values, float highest, float factor) {
#pragma omp simd
    for (int i = 0; i < count; ++i) values[i] = cpu::expOf(values[i] - highest) * factor;
}

SHARDLAB_HOT void multiplyRow(int count, float* values, float factor) {
#pragma omp simd
    for (int i = 0; i < count; ++i) values[i] *= factor;
}

/// Floats of a row's logits that its gradient reads once more.
std::size_t cappedSize(int columns, float cap) { return cap > 0 ? static_cast<std::size_t>(columns) : 0; }

/// The mean loss of the rows, summed in the order of the rows whichever threads compute them.
template <class Operand, class RowLoss>
double meanLoss(const VocabularyPart& whole, const Operand& logits, const RowLoss& lossOf) {
    std::vector<double> losses(static_cast<std::size_t>(whole.rows));
    cpu::byRows(
        whole.rows, whole.rowStride(),
        [&](std::int64_t first, std::int64_t some, auto* block) {
            for (std::int64_t r = 0; r < some; ++r)
                losses[static_cast<std::size_t>(first + r)] = lossOf(first + r, block + r * whole.rowStride());
        },
        logits);
    return std::accumulate(losses.begin(), losses.end(), 0.0) / whole.rows;
}

}  // namespace

void CpuDevice::crossEntropy(const VocabularyPart& whole, ConstArray logits, const std::int32_t* targets,
                             double* loss) {
    *loss = meanLoss(whole, cpu::reads(logits), [&](std::int64_t r, const float* row) {
        if (targets[r] == noTarget) return 0.0;
        const float highest = highestOf(whole.columns, row);
        const double sum = sumOfExponentials(whole.columns, row, highest);
        return std::log(sum) + highest - row[targets[r]];
    });
}

void CpuDevice::crossEntropyWithGradient(const VocabularyPart& whole, Array logits, const std::int32_t* targets,
                                         double* loss) {
    const int vocabulary = whole.columns;
    const float cap = whole.cap;
    *loss = meanLoss(whole, cpu::updates(logits), [&](std::int64_t r, float* row) {
        if (targets[r] == noTarget) {
            std::fill_n(row, vocabulary, 0.0f);
            return 0.0;
        }
        const float highest = highestOf(vocabulary, row);
        const float own = row[targets[r]];
        const cpu::Scratch capped(cappedSize(vocabulary, cap));
        if (cap > 0) std::copy_n(row, vocabulary, capped.data());
        const float sum = exponentiate(vocabulary, row, highest);
        multiplyRow(vocabulary, row, 1.0f / sum);
        row[targets[r]] -= 1.0f;
        if (cap > 0) cpu::multiplyByCapSlope(vocabulary, cap, capped.data(), row);
        return std::log(static_cast<double>(sum)) + highest - own;
    });
}

void CpuDevice::capLogits(std::int64_t count, float cap, Array logits) {
    cpu::byElements(
        count,
        [&](std::int64_t, std::int64_t some, float* values) { cpu::capRow(static_cast<int>(some), cap, values); },
        cpu::updates(logits));
}

void CpuDevice::largestLogits(const VocabularyPart& part, ConstArray logits, float* largest) {
    cpu::byRows(
        part.rows, part.rowStride(),
        [&](std::int64_t first, std::int64_t some, const float* block) {
            for (std::int64_t r = 0; r < some; ++r)
                largest[first + r] = highestOf(part.columns, block + r * part.rowStride());
        },
        cpu::reads(logits));
}

void CpuDevice::sumExponentials(const VocabularyPart& part, const float* largest, const std::int32_t* targets,
                                ConstArray logits, float* sums, float* own) {
    cpu::byRows(
        part.rows, part.rowStride(),
        [&](std::int64_t first, std::int64_t some, const float* block) {
            for (std::int64_t r = 0; r < some; ++r) {
                const float* row = block + r * part.rowStride();
                const int target = targets[first + r] - part.first;
                own[first + r] = target >= 0 && target < part.columns ? row[target] : 0;
                const bool counts = targets[first + r] != noTarget;
                sums[first + r] = counts ? sumOfExponentials(part.columns, row, largest[first + r]) : 0;
            }
        },
        cpu::reads(logits));
}

void CpuDevice::crossEntropyGradient(const VocabularyPart& part, const float* largest, const float* sums,
                                     const std::int32_t* targets, Array logits) {
    cpu::byRows(
        part.rows, part.rowStride(),
        [&](std::int64_t first, std::int64_t some, float* block) {
            for (std::int64_t r = 0; r < some; ++r) {
                float* row = block + r * part.rowStride();
                if (targets[first + r] == noTarget) {
                    std::fill_n(row, part.columns, 0.0f);
                    continue;
                }
                const cpu::Scratch capped(cappedSize(part.columns, part.cap));
                if (part.cap > 0) std::copy_n(row, part.columns, capped.data());
                softmax(part.columns, row, largest[first + r], 1.0f / sums[first + r]);
                const int target = targets[first + r] - part.first;
                if (target >= 0 && target < part.columns) row[target] -= 1.0f;
                if (part.cap > 0) cpu::multiplyByCapSlope(part.columns, part.cap, capped.data(), row);
            }
        },
        cpu::updates(logits));
}

void CpuDevice::sharedLoss(int rows, const float* largest, const float* sums, const float* own, double* loss) {
    double sum = 0;
    for (int r = 0; r < rows; ++r)
        if (sums[r] > 0) sum += std::log(static_cast<double>(sums[r])) + largest[r] - own[r];
    *loss = sum / rows;
}

}  // namespace shardlab::kernels
