// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/floats.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardlab::kernels {

namespace {

/// Adds g² to sums[j], and returns Σ g² of the row.
SHARDLAB_HOT float addSquares(std::int64_t columns, float factor, const float* __restrict gradient,
                              float* __restrict sums) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < columns; ++j) {
        const float g = gradient[j] * factor;
        sums[j] += g * g;
        sum += g * g;
    }
    return sum;
}

/// Σ (g·scale)².
SHARDLAB_HOT float sumSquares(std::int64_t columns, float factor, const float* __restrict gradient,
                              const float* __restrict scales) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < columns; ++j) {
        const float u = gradient[j] * factor * scales[j];
        sum += u * u;
    }
    return sum;
}

SHARDLAB_HOT void updateRow(std::int64_t columns, float keep, float rate, const float* __restrict gradient,
                            const float* __restrict scales, float* __restrict value) {
#pragma omp simd
    for (std::int64_t j = 0; j < columns; ++j) value[j] = keep * value[j] - rate * gradient[j] * scales[j];
}

SHARDLAB_HOT void inverseRoots(std::int64_t count, const float* __restrict values, float* __restrict roots) {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j) roots[j] = 1.0f / std::sqrt(values[j]);
}

/// Rows are cut into chunks that follow from the shape alone, so that any number of threads adds up the sums alike.
struct Chunks {
    static constexpr std::int64_t most = 32;
    explicit Chunks(std::int64_t all)
        : rows(all), each(std::max<std::int64_t>(64, (all + most - 1) / most)), count((all + each - 1) / each) {}
    std::int64_t rows, each, count;

    /// Calls body(chunk, row, gradient of the row) for all rows of all chunks.
    template <class Body>
    void forRows(const AdafactorPart& part, const Body& body) const {
        const std::int64_t columns = part.columns;
        cpu::shareOut(count, rows * columns, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t chunk = begin; chunk < end; ++chunk)
                cpu::inBlocks(
                    chunk * each, std::min(rows, (chunk + 1) * each),
                    cpu::blockElements / std::max<std::int64_t>(columns, 1) + 1, columns,
                    [&](std::int64_t first, std::int64_t some, const float* gradient) {
                        for (std::int64_t i = 0; i < some; ++i) body(chunk, first + i, gradient + i * columns);
                    },
                    cpu::reads(part.gradient));
        });
    }
};

double sumOf(const float* values, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    return sum;
}

/// √(1ᵀR ÷ R) of a row, 1 for a vector; times 1/√C of the column it is 1/√V.
float rowScale(const AdafactorPart& part, std::int64_t row) {
    return part.rowSums ? std::sqrt(*part.total) / std::sqrt(part.rowSums[row]) : 1.0f;
}

/// 1/√C of each column.
class ColumnScales {
public:
    explicit ColumnScales(const AdafactorPart& part) : scales_(static_cast<std::size_t>(part.columns)) {
        inverseRoots(part.columns, part.columnSums, scales_.data());
    }
    const float* data() const { return scales_.data(); }

private:
    cpu::Scratch scales_;
};

}  // namespace

void CpuDevice::adafactorSums(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    for (const AdafactorPart& part : parts) {
        const std::int64_t columns = part.columns;
        const Chunks chunks(part.rows);
        const float rest = 1.0f - update.beta2;
        const float keepRows = part.freshRows ? 0.0f : update.beta2,
                    keepColumns = part.freshColumns ? 0.0f : update.beta2;
        const cpu::Scratch sums(static_cast<std::size_t>(chunks.count * columns));
        std::fill_n(sums.data(), chunks.count * columns, 0.0f);
        chunks.forRows(part, [&](std::int64_t chunk, std::int64_t row, const float* gradient) {
            const float sum = addSquares(columns, update.gradientScale, gradient, sums.data() + chunk * columns);
            if (!part.rowSums) return;
            float& kept = part.rowSums[row];
            kept = keepRows * kept + rest * (sum + adafactorEpsilon * static_cast<float>(columns));
        });
        for (std::int64_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk)
                sum += static_cast<double>(sums.data()[chunk * columns + j]);
            const float all = static_cast<float>(sum) + adafactorEpsilon * static_cast<float>(part.rows);
            part.columnSums[j] = keepColumns * part.columnSums[j] + rest * all;
        }
    }
}

void CpuDevice::adafactorNorms(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    for (const AdafactorPart& part : parts) {
        const bool ofColumns = part.rowsAreParts || !part.rowSums;
        *part.total =
            static_cast<float>(ofColumns ? sumOf(part.columnSums, part.columns) : sumOf(part.rowSums, part.rows));
        const ColumnScales scales(part);
        const Chunks chunks(part.rows);
        std::array<double, Chunks::most> squares{};
        chunks.forRows(part, [&](std::int64_t chunk, std::int64_t row, const float* gradient) {
            const float factor = update.gradientScale * rowScale(part, row);
            squares[static_cast<std::size_t>(chunk)] +=
                static_cast<double>(sumSquares(part.columns, factor, gradient, scales.data()));
        });
        double sum = 0;
        for (const double some : squares) sum += some;
        *part.squares = static_cast<float>(sum);
    }
}

void CpuDevice::adafactor(const AdafactorUpdate& update, std::span<const AdafactorPart> parts) {
    for (const AdafactorPart& part : parts) {
        if (part.rows == 0 || part.columns == 0) continue;
        const std::int64_t columns = part.columns;
        const ColumnScales scales(part);
        const double rms = std::sqrt(static_cast<double>(*part.squares) / static_cast<double>(part.elements));
        const float clipped =
            update.learningRate / static_cast<float>(std::max(1.0, rms / static_cast<double>(update.clipThreshold)));
        const float keep = 1.0f - update.learningRate * part.weightDecay;
        const Array updated = part.master ? Array(part.master) : part.value;
        cpu::byRows(
            part.rows, columns,
            [&](std::int64_t first, std::int64_t some, const float* gradient, float* value) {
                for (std::int64_t i = 0; i < some; ++i)
                    updateRow(columns, keep, clipped * update.gradientScale * rowScale(part, first + i),
                              gradient + i * columns, scales.data(), value + i * columns);
                const std::int64_t count = some * columns;
                if (part.master) cpu::fromFloats(1, count, value, count, part.value + first * columns, count);
            },
            cpu::reads(part.gradient), cpu::updates(updated));
    }
}

}  // namespace shardlab::kernels
