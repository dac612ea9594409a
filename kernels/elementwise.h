// SPDX-License-Identifier: Apache-2.0
// Operations on elements, whatever the shape of the array.
#pragma once

#include "kernels/work.h"

#include <array>
#include <span>
#include <tuple>

namespace shardlab::kernels {

struct ArrayPart {
    ConstArray values;
    std::int64_t count = 0;
    auto memory() { return std::tie(values); }
};

/// How many values have which size: bin i counts those with 2^(first+i) ≤ |value| < 2^(first+i+1); smaller values go
/// into the first bin, larger ones into the last.
struct ExponentHistogram {
    static constexpr int first = -64;
    static constexpr int bins = 96;
    std::array<std::int64_t, bins> counts{};
    std::int64_t zeros = 0;
    std::int64_t notFinite = 0;
};

struct ElementwiseOps {
    /// Σ values² over all parts, summed in double: off by at most 1e-12 of itself, the same bits for the same values,
    /// and not finite where a value is not.
    virtual double sumOfSquares(std::span<const ArrayPart> parts) = 0;
    static KernelWork sumOfSquaresWork(std::span<const ArrayPart> parts) {
        KernelWork work{KernelKind::Elementwise};
        for (const ArrayPart& part : parts) work.bytes += bytesOf(part.values, static_cast<double>(part.count));
        return work;
    }

    /// to := from, rounded to nearest where `to` has fewer bits.
    virtual void convert(std::int64_t count, ConstArray from, Array to) = 0;
    static KernelWork convertWork(std::int64_t count, ConstArray from, Array to) {
        const auto elements = static_cast<double>(count);
        return {KernelKind::Elementwise, bytesOf(from, elements) + bytesOf(to, elements)};
    }

    /// to += from.
    virtual void add(std::int64_t count, ConstArray from, Array to) = 0;
    static KernelWork addWork(std::int64_t count, ConstArray from, Array to) {
        const auto elements = static_cast<double>(count);
        return {KernelKind::Elementwise, bytesOf(from, elements) + bytesOf(to, 2 * elements)};
    }

    /// values *= factor.
    virtual void multiply(std::int64_t count, float factor, Array values) = 0;
    static KernelWork multiplyWork(std::int64_t count, float, Array values) {
        return {KernelKind::Elementwise, bytesOf(values, 2 * static_cast<double>(count))};
    }

    /// Where a value is not finite and *first is 0: *first := number, which is not 0. `first` lies on the device.
    virtual void noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) = 0;
    static KernelWork noteNotFiniteWork(std::int64_t count, ConstArray values, const auto&...) {
        return {KernelKind::Elementwise, bytesOf(values, static_cast<double>(count))};
    }

    /// Counts each value in `histogram`, which lies on the host; waits for it.
    virtual void addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) = 0;
    static KernelWork addExponentsWork(std::int64_t count, ConstArray values, const ExponentHistogram&) {
        return {KernelKind::Elementwise, bytesOf(values, static_cast<double>(count))};
    }

protected:
    ~ElementwiseOps() = default;
};

#define SHARDLAB_ELEMENTWISE_OPS(operation)                                                                            \
    operation(ElementwiseOps, sumOfSquares, 1) operation(ElementwiseOps, convert, 3) operation(ElementwiseOps, add, 3) \
        operation(ElementwiseOps, multiply, 3) operation(ElementwiseOps, noteNotFinite, 4)                             \
            operation(ElementwiseOps, addExponents, 3)

}  // namespace shardlab::kernels
