// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (RoPE, 2104.09864) of queries and keys, on their way from the product that makes them to
// the attention that reads them. The numbers i and i + width/2 of a head are a pair, which at position p is turned by
// the angle p·base^(−2i ÷ width): (x, y) becomes (x·cos − y·sin, y·cos + x·sin). Where several heads of queries share
// one of keys and of values (grouped-query attention, 2305.13245), the attention is given one for each of them.
// Tolerance against double precision: 1e-6 of the largest value, gradient 1e-5.
#pragma once

#include "kernels/array.h"

namespace shardlab {

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
};

struct RotaryOps {
    /// joined: [samples·sequence, (a + 2k)·width], a token's heads group by group: the a ÷ k queries that share a key,
    /// the key, its value. Overwrites apart, [samples·sequence, 3·a·width], as attention.h reads it: the queries of all
    /// heads, turned, then for each of them its key, turned, then its value. T.
    virtual void rotary(const RotaryShape& shape, ConstArray joined, Array apart) = 0;
    /// Overwrites joinedGradient: what the queries that share a key make of its gradient is summed up, and all is
    /// turned back.
    virtual void rotaryGrad(const RotaryShape& shape, ConstArray apartGradient, Array joinedGradient) = 0;

protected:
    ~RotaryOps() = default;
};

}  // namespace shardlab
