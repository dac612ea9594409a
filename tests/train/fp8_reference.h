// SPDX-License-Identifier: Apache-2.0
// The products of a linear layer in 8 bits once more, in double precision: factors are rounded to a table of the
// format's numbers, and nothing else is rounded.
#pragma once

#include "engine/layout/layout.h"
#include "tests/kernels/reference.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace shardlab::test {

/// All numbers of a format that are not below 0, ascending, by its definition.
inline const std::vector<double>& numbersOf(bool e5m2) {
    static const auto all = [] {
        std::vector<std::vector<double>> made(2);
        for (const bool narrow : {false, true}) {
            const int fraction = narrow ? 2 : 3, bias = narrow ? 15 : 7, codes = narrow ? 0x7c : 0x7f;
            for (int code = 0; code < codes; ++code) {
                const int exponent = code >> fraction, digits = code & ((1 << fraction) - 1);
                made[narrow].push_back(exponent == 0
                                           ? std::ldexp(digits, 1 - bias - fraction)
                                           : std::ldexp((1 << fraction) + digits, exponent - bias - fraction));
            }
        }
        return made;
    }();
    return all[e5m2];
}

/// The number next to x, of two the one at an even place; the largest where x is larger.
inline double roundedTo8(bool e5m2, double x) {
    const std::vector<double>& numbers = numbersOf(e5m2);
    const double size = std::abs(x);
    const auto above = std::ranges::lower_bound(numbers, size);
    if (above == numbers.end()) return std::copysign(numbers.back(), x);
    if (above == numbers.begin() || *above == size) return std::copysign(*above, x);
    const auto below = above - 1;
    const double half = (*below + *above) / 2;
    const bool down = size < half || (size == half && (below - numbers.begin()) % 2 == 0);
    return std::copysign(down ? *below : *above, x);
}

/// A factor of a product, [rows, columns], as its codes stand for it. `scale` 0: the scale comes from each tile.
struct Rounded8 {
    reference::Values values;
    double largest = 0;
    int saturated = 0, flushed = 0;
};
inline Rounded8 rounded8(std::span<const float> x, int rows, int columns, int high, int wide, bool e5m2, bool powers,
                         float scale = 0) {
    Rounded8 made;
    made.values.resize(x.size());
    const float most = e5m2 ? 57344 : 448;
    const double beyond = e5m2 ? 61440 : std::nextafter(464.0, 1000.0);
    for (int top = 0; top < rows; top += high)
        for (int left = 0; left < columns; left += wide) {
            const int bottom = std::min(rows, top + high), right = std::min(columns, left + wide);
            const auto each = [&](const auto& work) {
                for (int r = top; r < bottom; ++r)
                    for (int c = left; c < right; ++c) work(std::size_t(r) * std::size_t(columns) + std::size_t(c));
            };
            float largest = 0;
            each([&](std::size_t i) { largest = std::max(largest, std::abs(x[i])); });
            made.largest = std::max<double>(made.largest, largest);
            float factor = scale > 0 ? scale : largest == 0 ? 1 : most / largest;
            if (powers && scale == 0 && largest != 0)
                factor = float(std::exp2(std::floor(std::log2(double(most) / largest))));
            each([&](std::size_t i) {
                const float scaled = x[i] * factor;
                const double code = roundedTo8(e5m2, scaled);
                made.values[i] = code / factor;
                made.saturated += std::abs(double(scaled)) >= beyond ? 1 : 0;
                made.flushed += code == 0 && x[i] != 0 ? 1 : 0;
            });
        }
    return made;
}

/// One linear layer under one recipe.
class Linear8 {
public:
    explicit Linear8(const PrecisionSpec& precision) : precision_(precision) {}

    Rounded8 input(std::span<const float> x, int rows, int columns, bool downRows) const {
        return factor(x, rows, columns, 0, false, downRows);
    }
    Rounded8 weight(std::span<const float> w, int rows, int columns, bool downRows) const {
        return factor(w, rows, columns, 1, true, downRows);
    }
    Rounded8 gradient(std::span<const float> dy, int rows, int columns, bool downRows) const {
        return factor(dy, rows, columns, 2, false, downRows);
    }
    /// The step's largest magnitudes of x, W and dy.
    void finishStep(const double (&largest)[3]) {
        for (int i = 0; i < 3; ++i) {
            if (!std::isfinite(largest[i])) continue;
            history_[i].push_front(largest[i]);
            if (int(history_[i].size()) > precision_.amaxHistory) history_[i].pop_back();
            const double most = *std::ranges::max_element(history_[i]);
            if (most > 0) scales_[i] = std::ldexp((i == 2 ? 57344.0f : 448.0f) / float(most), -precision_.margin);
        }
    }
    bool delayed() const {
        return precision_.products == ProductFormat::Fp8 && precision_.scaling == ProductScaling::Delayed;
    }
    float scale(int factor) const { return scales_[factor]; }

private:
    Rounded8 factor(std::span<const float> x, int rows, int columns, int which, bool isWeight, bool downRows) const {
        const ProductFormat format = precision_.products;
        if (format == ProductFormat::Fp8)
            return rounded8(x, rows, columns, rows, columns, which == 2, false, delayed() ? scales_[which] : 0);
        const int along = downRows ? rows : columns;
        const int length = format == ProductFormat::MxFp8 ? 32 : format == ProductFormat::Fp8Rows ? along : 128;
        const bool square = isWeight && format == ProductFormat::Fp8Blocks;
        return rounded8(x, rows, columns, square || downRows ? length : 1, square || !downRows ? length : 1, false,
                        true);
    }

    PrecisionSpec precision_;
    float scales_[3] = {1, 1, 1};
    std::deque<double> history_[3];
};

}  // namespace shardlab::test
