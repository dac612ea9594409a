// SPDX-License-Identifier: Apache-2.0
// Training with gradients in codes, in one process and by the book: what the header of the exchange says, in the
// plainest words.
#pragma once

#include "engine/layout/coded_exchange.h"
#include "engine/train/optim/optimizer.h"
#include "engine/train/parallel/shards.h"
#include "tests/kernels/coded_reference.h"
#include "tests/train/run_in_process.h"
#include "tests/train/serial_model.h"
#include "tests/support/wings.h"

#include <cmath>
#include <limits>
#include <vector>

namespace shardlab::test {

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
    std::vector<std::vector<float>> ofWorker;  ///< remainders, by replica
    std::vector<float> ofSums;                 ///< likewise of all owners, one behind the other
};

inline int bitsOf(const Layout& layout) { return codeBits(layout.precision.exchange); }

/// The training of one stage, and all that its exchanges kept.
struct ReenactedCodes {
    Numbers weights;
    std::vector<double> losses;
    std::vector<FlatUnit> buckets;
    std::vector<SerialCodes> codes;               ///< by bucket
    std::vector<double> given, applied, touched;  ///< by element, in all steps: of all replicas; summed magnitudes
};

inline ReenactedCodes reenactCodes(const Layout& layout, bool feedback = true) {
    SerialModel model(layout);
    const int d = layout.parallel.data, each = microbatches(layout);
    const auto optimizer = makeOptimizer({layout.optimizer, layout.run.steps}, model.parameters(), model.arena());
    std::vector<Sampler> samplers;
    for (int replica = 0; replica < d; ++replica) samplers.emplace_back(model.corpus(), layout, replica, d);
    ReenactedCodes made;
    const bool full = layout.precision.exchange == ExchangeFormat::Full;
    made.weights = model.weights();
    made.given = made.applied = made.touched = std::vector<double>(made.weights.size());
    made.buckets = reductionUnits(layout.parallel, unitsOf(layout.parallel, model.parameters()), 4);
    for (const FlatUnit& bucket : made.buckets)
        made.codes.emplace_back(bitsOf(layout), d, std::size_t(bucket.size), layout.parallel.zero == 0, feedback);
    const bool scatters = layout.parallel.zero >= 2;  // after each microbatch
    for (int step = 0; step < layout.run.steps; ++step) {
        double loss = 0;
        Numbers mean(made.weights.size());
        for (int scatter = 0; scatter < (scatters ? each : 1); ++scatter) {
            std::vector<Numbers> gradients;
            for (Sampler& sampler : samplers) {
                const auto gradient = model.gradient(made.weights, sampler, step, each, scatters ? scatter : -1);
                loss += gradient.loss / d;
                gradients.push_back(gradient.values);
                for (float& g : gradients.back()) g /= float(d);  // a power of two: the bits are those of a loss ÷ d
            }
            for (std::size_t b = 0; b < made.buckets.size(); ++b) {
                const auto begin = std::size_t(made.buckets[b].begin), size = std::size_t(made.buckets[b].size);
                std::vector<Numbers> parts;
                for (const Numbers& gradient : gradients)
                    parts.emplace_back(gradient.begin() + long(begin), gradient.begin() + long(begin + size));
                Numbers result(size);
                if (full)
                    for (const Numbers& part : parts)
                        for (std::size_t i = 0; i < size; ++i) result[i] += part[i];
                else result = made.codes[b].exchange(parts);
                for (std::size_t i = 0; i < size; ++i) {
                    const std::size_t at = begin + i;
                    mean[at] = scatters ? mean[at] + result[i] : result[i];
                    made.applied[at] += result[i];
                    made.touched[at] += std::abs(result[i]) + std::abs(made.codes[b].ofSums[i]);
                    for (int w = 0; w < d; ++w) {
                        made.given[at] += parts[std::size_t(w)][i];
                        made.touched[at] += std::abs(parts[std::size_t(w)][i]) +
                                            2 * std::abs(made.codes[b].ofWorker[std::size_t(w)][i]);
                    }
                }
            }
        }
        made.losses.push_back(loss);
        model.load(made.weights);
        model.loadGradient(mean);
        optimizer->update(model.parameters(), step + 1, model.clipping(layout.optimizer.clip));
        made.weights = model.weights();
    }
    return made;
}

}  // namespace shardlab::test
