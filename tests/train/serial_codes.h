// SPDX-License-Identifier: Apache-2.0
// The exchange of gradients in codes, in one process and by the book: what its header says, in the plainest words.
#pragma once

#include "engine/layout/coded_exchange.h"
#include "tests/support/wings.h"

#include <cmath>
#include <limits>
#include <vector>

namespace shardlab::test {

/// What a receiver reads where `a` was sent, a part of a bucket.
inline std::vector<float> afterCoding(int bits, const std::vector<float>& a) {
    std::vector<float> read(a.size());
    for (std::size_t first = 0; first < a.size(); first += 256) {
        const std::size_t last = std::min(first + 256, a.size());
        double magnitudes = 0;
        float largest = 0;
        bool finite = true;
        for (std::size_t i = first; i < last; ++i) {
            magnitudes += std::abs(a[i]);
            largest = std::fmax(largest, std::abs(a[i]));
            finite = finite && std::isfinite(a[i]);
        }
        const float levels = bits == 8 ? 127 : 7;
        float scale = bits == 1 ? float(magnitudes / double(last - first)) : largest / levels;
        if (std::fpclassify(scale) != FP_NORMAL) scale = 0;
        const float perLevel = scale == 0 ? 0 : 1 / scale;
        for (std::size_t i = first; i < last; ++i)
            read[i] = !finite     ? std::numeric_limits<float>::quiet_NaN()
                      : bits == 1 ? std::copysign(scale, a[i] < 0 ? -1.0f : 1.0f)
                                  : std::nearbyint(a[i] * perLevel) * scale;
    }
    return read;
}

/// All replicas of one bucket.
class SerialCodes {
public:
    /// `feedback` false: nothing that is lost is kept. `sums`: sums are coded once more.
    SerialCodes(int bits, int replicas, std::size_t size, bool sums, bool feedback = true)
        : bits_(bits), sums_(sums), feedback_(feedback), ofWorker(std::size_t(replicas), std::vector<float>(size)),
          ofSums(size) {}

    /// The gradient that every replica has afterwards.
    std::vector<float> exchange(const std::vector<std::vector<float>>& gradients) {
        const std::size_t n = ofSums.size(), d = ofWorker.size();
        std::vector<float> result(n);
        for (std::size_t k = 0; k < d; ++k) {
            const std::size_t begin = n * k / d, end = n * (k + 1) / d;
            std::vector<float> sum(end - begin, 0.0f);
            for (std::size_t w = 0; w < d; ++w) {
                const std::vector<float> read =
                    coded(gradients[w].data() + begin, ofWorker[w].data() + begin, end - begin);
                for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += read[i];
            }
            if (sums_) sum = coded(sum.data(), ofSums.data() + begin, sum.size());
            std::copy(sum.begin(), sum.end(), result.begin() + std::ptrdiff_t(begin));
        }
        return result;
    }

private:
    int bits_;
    bool sums_, feedback_;

    std::vector<float> coded(const float* from, float* kept, std::size_t count) const {
        std::vector<float> a(count);
        for (std::size_t i = 0; i < count; ++i) a[i] = from[i] + kept[i];
        std::vector<float> read = afterCoding(bits_, a);
        for (std::size_t i = 0; i < count; ++i)
            if (feedback_ && std::isfinite(read[i])) kept[i] = a[i] - read[i];
        return read;
    }

public:
    std::vector<std::vector<float>> ofWorker;  ///< residuals, by replica
    std::vector<float> ofSums;                 ///< likewise of all owners, one behind the other
};

}  // namespace shardlab::test
