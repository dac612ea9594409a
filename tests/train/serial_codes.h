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
#include <map>
#include <string>
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

    bool codesSums() const { return sums_; }

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

/// All replicas of one bucket, where ZeRO may divide several copies: those of a copy are neighbours.
class SerialBucket {
public:
    SerialBucket(const Layout& layout, std::size_t size, bool feedback)
        : full_(layout.precision.exchange == ExchangeFormat::Full), size_(size) {
        const int copies = copyCount(layout.parallel), bits = bitsOf(layout);
        const std::size_t n = std::size_t(layout.parallel.data / copies);
        for (int copy = 0; copy < copies; ++copy)
            copies_.emplace_back(bits, int(n), size, layout.parallel.zero == 0, feedback);
        for (std::size_t k = 0; copies > 1 && k < n; ++k)
            parts_.emplace_back(bits, copies, end(k) - begin(k), true, feedback);
        left_.assign(copies_.size(), Numbers(size));
    }

    /// Takes the gradients of all replicas, and after the `last` ones of a step gives what weights are updated with.
    Numbers exchange(const std::vector<Numbers>& gradients, bool last) {
        const std::size_t n = gradients.size() / copies_.size();
        for (std::size_t copy = 0; copy < copies_.size(); ++copy) {
            const auto first = gradients.begin() + std::ptrdiff_t(copy * n);
            const std::vector<Numbers> own(first, first + std::ptrdiff_t(n));
            Numbers sum(size_);
            if (!full_) sum = copies_[copy].exchange(own);
            else
                for (const Numbers& each : own)
                    for (std::size_t i = 0; i < size_; ++i) sum[i] += each[i];
            for (std::size_t i = 0; i < size_; ++i) left_[copy][i] += sum[i];
        }
        if (!last) return {};
        Numbers result = left_.front();
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            std::vector<Numbers> ofCopies;
            for (const Numbers& left : left_)
                ofCopies.emplace_back(left.begin() + long(begin(k)), left.begin() + long(end(k)));
            std::ranges::copy(parts_[k].exchange(ofCopies), result.begin() + long(begin(k)));
        }
        for (Numbers& left : left_) std::ranges::fill(left, 0.0f);
        return result;
    }

    /// All remainders, by the names that checkpoints have for them.
    std::map<std::string, Numbers> kept() const {
        std::map<std::string, Numbers> kept;
        int replica = 0;
        for (const SerialCodes& copy : copies_) {
            for (const Numbers& remainder : copy.ofWorker) kept["remainder " + std::to_string(replica++)] = remainder;
            if (copy.codesSums()) kept["remainder of sums"] = copy.ofSums;
        }
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const auto put = [&](const std::string& kind, const Numbers& values) {
                Numbers& whole = kept[kind];
                whole.resize(size_);
                std::ranges::copy(values, whole.begin() + long(begin(k)));
            };
            for (std::size_t copy = 0; copy < copies_.size(); ++copy)
                put("remainder of copy " + std::to_string(copy), parts_[k].ofWorker[copy]);
            put("remainder of sums", parts_[k].ofSums);
        }
        return kept;
    }

private:
    std::size_t begin(std::size_t part) const { return size_ * part / copies_.front().ofWorker.size(); }
    std::size_t end(std::size_t part) const { return begin(part + 1); }

    bool full_;
    std::size_t size_;
    std::vector<SerialCodes> copies_, parts_;  ///< parts_ is empty where there is one copy
    std::vector<Numbers> left_;                ///< by copy, of the step so far
};

/// The training of one stage, and all that its exchanges kept.
struct ReenactedCodes {
    Numbers weights;
    std::vector<double> losses;
    std::vector<FlatUnit> units;
    std::vector<SerialBucket> buckets;
    std::vector<double> given, applied, touched;  ///< by element, in all steps: of all replicas; summed magnitudes

    /// All remainders of all buckets, as SerialBucket has them.
    std::map<std::string, Numbers> kept() const {
        std::map<std::string, Numbers> all;
        for (std::size_t b = 0; b < buckets.size(); ++b)
            for (const auto& [kind, values] : buckets[b].kept()) {
                Numbers& whole = all[kind];
                whole.resize(weights.size());
                std::ranges::copy(values, whole.begin() + units[b].begin);
            }
        return all;
    }
};

inline ReenactedCodes reenactCodes(const Layout& layout, bool feedback = true) {
    SerialModel model(layout);
    const int d = layout.parallel.data, each = microbatches(layout);
    const auto optimizer = makeOptimizer({layout.optimizer, layout.run.steps}, model.parameters(), model.arena());
    std::vector<Sampler> samplers;
    for (int replica = 0; replica < d; ++replica) samplers.emplace_back(model.corpus(), layout, replica, d);
    ReenactedCodes made;
    made.weights = model.weights();
    made.given = made.applied = made.touched = std::vector<double>(made.weights.size());
    made.units = reductionUnits(layout.parallel, unitsOf(layout.parallel, model.parameters()), 4);
    for (const FlatUnit& unit : made.units) made.buckets.emplace_back(layout, std::size_t(unit.size), feedback);
    // ZeRO 2 and 3 scatter after each microbatch.
    const int exchanges = layout.parallel.zero >= 2 ? each : 1;
    for (int step = 0; step < layout.run.steps; ++step) {
        double loss = 0;
        Numbers mean(made.weights.size());
        for (int exchange = 0; exchange < exchanges; ++exchange) {
            std::vector<Numbers> gradients;
            for (Sampler& sampler : samplers) {
                const auto gradient = model.gradient(made.weights, sampler, step, each, exchanges > 1 ? exchange : -1);
                loss += gradient.loss / d;
                gradients.push_back(gradient.values);
                for (float& g : gradients.back()) g /= float(d);  // a power of two: the bits are those of a loss ÷ d
            }
            for (std::size_t b = 0; b < made.buckets.size(); ++b) {
                const auto begin = std::size_t(made.units[b].begin), size = std::size_t(made.units[b].size);
                std::vector<Numbers> parts;
                for (const Numbers& gradient : gradients)
                    parts.emplace_back(gradient.begin() + long(begin), gradient.begin() + long(begin + size));
                const Numbers result = made.buckets[b].exchange(parts, exchange + 1 == exchanges);
                for (std::size_t i = 0; i < result.size(); ++i) made.applied[begin + i] += mean[begin + i] = result[i];
                for (std::size_t i = 0; i < result.size(); ++i) made.touched[begin + i] += std::abs(result[i]);
                for (const Numbers& part : parts)
                    for (std::size_t i = 0; i < size; ++i) made.given[begin + i] += part[i];
                for (const Numbers& part : parts)
                    for (std::size_t i = 0; i < size; ++i) made.touched[begin + i] += std::abs(part[i]);
                for (const auto& [kind, values] : made.buckets[b].kept())
                    for (std::size_t i = 0; i < size; ++i) made.touched[begin + i] += 2 * std::abs(values[i]);
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
