// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (RoPE, 2104.09864) of queries and keys, on their way from the product that makes them to
// the attention that reads them. The numbers i and i + width/2 of a head are a pair, which at position p is turned by
// the angle p·base^(−2i ÷ width): (x, y) becomes (x·cos − y·sin, y·cos + x·sin). Where several heads of queries share
// one of keys and of values (grouped-query attention, 2305.13245), the attention is given one for each of them.
// The tolerance against double precision is 1e-6 of the largest value, that of the gradient 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

struct RotaryShape {
    int samples = 1;
    int sequence = 1;
    int heads = 1;     ///< of queries: a
    int keyHeads = 1;  ///< of keys, and of values: k; divides heads
    int width = 2;     ///< of a head, even
    double base = 10000;
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

struct RotaryOps {
    /// joined: [samples·sequence, (a + 2k)·width], a token's heads group by group: the a ÷ k queries that share a key,
    /// the key, its value. Overwrites apart, [samples·sequence, 3·a·width], as attention.h reads it: the queries of all
    /// heads, turned, then for each of them its key, turned, then its value. T.
    virtual void rotary(const RotaryShape& shape, ConstArray joined, Array apart) = 0;
    static KernelWork rotaryWork(const RotaryShape& shape, ConstArray joined, Array) {
        return {KernelKind::Rotary, bytesOf(joined, shape.elements())};
    }

    /// Overwrites joinedGradient: the gradients that the queries sharing a key make for it are summed up, and queries
    /// and keys are turned back.
    virtual void rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) = 0;
    static KernelWork rotaryGradWork(const RotaryShape& shape, ConstArray apartGradient, Array) {
        return {KernelKind::Rotary, bytesOf(apartGradient, shape.elements())};
    }

protected:
    ~RotaryOps() = default;
};

#define SHARDLAB_ROTARY_OPS(operation) operation(RotaryOps, rotary, 3) operation(RotaryOps, rotaryGrad, 3)

}  // namespace shardlab::kernels
