// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (RoPE, 2104.09864) of queries and keys, on their way from the product that makes them to
// the attention that reads them. The numbers i and i + width/2 of a head are a pair, which at position p is turned by
// the angle α = p·fᵢ: (x, y) becomes m·(x·cos α − y·sin α, y·cos α + x·sin α), where m is 1 but for Yarn. Where several
// heads of queries share one of keys and of values (grouped-query attention, 2305.13245), the attention is given one
// for each of them. Heads of queries and of keys may pass an RMSNorm before they are turned, each by itself. The
// tolerance against double precision is 1e-6 of the largest value, that of gradients and with norms 1e-5.
#pragma once

#include "kernels/work.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace shardlab::kernels {

/// The angles fᵢ = base^(−2i ÷ width) of one position. Where they are scaled, an angle of which the share σ is kept
/// becomes fᵢ·(σ + (1 − σ) ÷ factor). A pair turns tᵢ = original·fᵢ ÷ 2π times over the original sequence.
///   ByTurns  σ rises from 0 at tᵢ = low to 1 at tᵢ = high (Llama 3.1)
///   Yarn     σ falls from 1 to 0 between two pairs i, those that turn `high` and `low` times, which with `truncate`
///   are
///            rounded outwards to whole pairs; and m = 1 + ln(factor) ÷ 10 (2309.00071)
struct RotaryAngles {
    enum class Scaling : std::uint8_t { None, ByTurns, Yarn };
    double base = 10000;
    Scaling scaling = Scaling::None;
    double factor = 1;
    double low = 1;
    double high = 4;
    int original = 8192;
    bool truncate = true;

    double kept(int pair, int width, double angle) const {
        if (scaling == Scaling::ByTurns)
            return std::clamp((original * angle / (2 * std::numbers::pi) - low) / (high - low), 0.0, 1.0);
        const auto pairThatTurns = [&](double times) {
            return width * std::log(original / (times * 2 * std::numbers::pi)) / (2 * std::log(base));
        };
        const double from = pairThatTurns(high), to = pairThatTurns(low);
        const double first = std::max(truncate ? std::floor(from) : from, 0.0),
                     last = std::min(truncate ? std::ceil(to) : to, width - 1.0);
        return 1 - std::clamp((pair - first) / (last == first ? 0.001 : last - first), 0.0, 1.0);
    }
    double of(int pair, int width) const {
        const double angle = std::pow(base, -2.0 * pair / width);
        if (scaling == Scaling::None) return angle;
        const double share = kept(pair, width, angle);
        return angle * (share + (1 - share) / factor);
    }
    /// m.
    double magnitude() const { return scaling == Scaling::Yarn && factor > 1 ? 0.1 * std::log(factor) + 1 : 1; }
};

struct RotaryShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;     ///< of queries: a
    int keyHeads = 1;  ///< of keys, and of values: k; divides heads
    int width = 2;     ///< of a head, even
    RotaryAngles angles;
    /// Positions: token t of a sample lies at first + t, from token `split` on at second + t − split.
    int first = 0;
    int split = 0;
    int second = 0;

    int position(int token) const { return token < split ? first + token : second + token - split; }
    int joinedColumns() const { return (heads + 2 * keyHeads) * width; }
    int apartColumns() const { return 3 * heads * width; }
    /// The elements of both matrices together.
    double elements() const { return static_cast<double>(samples) * sequence * (joinedColumns() + apartColumns()); }
};

/// The factors of the norms of queries and of keys, [width] each, P; null where there are none.
struct HeadNorms {
    ConstArray queries;
    ConstArray keys;
    float epsilon = 1e-5f;

    explicit operator bool() const { return static_cast<bool>(queries); }
    auto memory() { return std::tie(queries, keys); }
};

struct RotaryOps {
    /// joined: [samples·sequence, (a + 2k)·width], a token's heads group by group: the a ÷ k queries that share a key,
    /// the key, its value. Overwrites apart, [samples·sequence, 3·a·width], as attention.h reads it: the queries of all
    /// heads, turned, then for each of them its key, turned, then its value. T.
    virtual void rotary(const RotaryShape& shape, ConstArray joined, const HeadNorms& norms, Array apart) = 0;
    static KernelWork rotaryWork(const RotaryShape& shape, ConstArray joined, const HeadNorms&, Array) {
        return {KernelKind::Rotary, bytesOf(joined, shape.elements())};
    }

    /// Overwrites joined, which with norms is what the forward read and else may hold anything, with its gradient: the
    /// gradients that the queries sharing a key make for it are summed up, and queries and keys are turned back. Adds
    /// the gradients of the norms' factors to normGradients, [2, width], fp32: those of queries, then those of keys.
    virtual void rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, const HeadNorms& norms, Array joined,
                            float* normGradients) = 0;
    static KernelWork rotaryGradWork(const RotaryShape& shape, ConstArray apartGradient, const HeadNorms& norms, Array,
                                     const float*) {
        const double read = norms ? static_cast<double>(shape.samples) * shape.sequence * shape.joinedColumns() : 0;
        return {KernelKind::Rotary, bytesOf(apartGradient, shape.elements() + read)};
    }

protected:
    ~RotaryOps() = default;
};

#define SHARDLAB_ROTARY_OPS(operation) operation(RotaryOps, rotary, 4) operation(RotaryOps, rotaryGrad, 5)

}  // namespace shardlab::kernels
