// SPDX-License-Identifier: Apache-2.0
// Over elements, whatever their shape.
#pragma once

#include "kernels/array.h"

#include <array>
#include <cstdint>
#include <span>

namespace shardlab {

struct ArrayPart {
    ConstArray values;
    std::int64_t count = 0;
};

/// How many values have which size: bin i counts those with 2^(first+i) ≤ |value| < 2^(first+i+1); what is smaller or
/// larger than all bins goes into the first or last.
struct ExponentHistogram {
    static constexpr int first = -64;
    static constexpr int bins = 96;
    std::array<std::int64_t, bins> counts{};
    std::int64_t zeros = 0;
    std::int64_t notFinite = 0;
};

struct ElementwiseOps {
    /// Σ values² over all parts, summed in double: 1e-12 of itself off at most; the same bits for the same values. Not
    /// finite where a value is not.
    virtual double sumOfSquares(std::span<const ArrayPart> parts) = 0;
    /// to := from, rounded to nearest where `to` has fewer bits.
    virtual void convert(std::int64_t count, ConstArray from, Array to) = 0;
    /// to += from.
    virtual void add(std::int64_t count, ConstArray from, Array to) = 0;
    /// values *= factor.
    virtual void multiply(std::int64_t count, float factor, Array values) = 0;
    /// Where a value is not finite and *first is 0: *first := number, which is not 0. `first` lies on the device.
    virtual void noteNotFinite(std::int64_t count, ConstArray values, std::int32_t number, std::int32_t* first) = 0;
    virtual void addExponents(std::int64_t count, ConstArray values, ExponentHistogram& histogram) = 0;

protected:
    ~ElementwiseOps() = default;
};

}  // namespace shardlab
