// SPDX-License-Identifier: Apache-2.0
// Every collective of arrays, to be run on two communicators that must agree.
#pragma once

#include "engine/train/comm/communicator.h"
#include "tests/train/communicator_suite.h"
#include "tests/support/wings.h"

#include <cstring>
#include <functional>
#include <vector>

namespace shardlab::test {

/// Random values of a type, the same for every rank that asks for `what` of `rank`.
inline std::vector<std::byte> numbers(std::int64_t seed, int what, int rank, std::size_t count, DType type) {
    const std::vector<float> values = conformance::values(seed, what, rank, count);
    std::vector<std::byte> made(count * sizeOf(type));
    for (std::size_t i = 0; i < count; ++i) {
        const auto half = static_cast<_Float16>(values[i]);
        const auto* bits = reinterpret_cast<const std::byte*>(&values[i]);
        std::byte* const to = made.data() + i * sizeOf(type);
        if (type == DType::F16) std::memcpy(to, &half, 2);
        else std::memcpy(to, type == DType::BF16 ? bits + 2 : bits, sizeOf(type));
    }
    return made;
}

/// A collective, the same of every communicator, by name. Addresses are the processor's.
struct CollectiveRow {
    const char* name;
    bool manyIn, manyOut;  ///< as many times the elements as there are members
    std::function<void(Communicator&, ArraySpan, ArraySpan)> run;
};

inline void copyIn(ArraySpan from, ArraySpan to) {
    std::memcpy(to.bytes().data(), from.bytes().data(), from.bytes().size());
}

inline const std::vector<CollectiveRow>& allCollectives() {
    static const std::vector<CollectiveRow> all{
        {"sum", false, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             copyIn(in, out);
             group.allReduce(out, ReduceOp::Sum);
         }},
        {"largest", false, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             copyIn(in, out);
             group.allReduce(out, ReduceOp::Max);
         }},
        {"reduce-scatter", true, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) { group.reduceScatter(in, out, ReduceOp::Sum); }},
        {"all-gather", false, true, [](Communicator& group, ArraySpan in, ArraySpan out) { group.allGather(in, out); }},
        {"all-to-all", true, true, [](Communicator& group, ArraySpan in, ArraySpan out) { group.allToAll(in, out); }},
        {"all-to-all of parts", true, true,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             // To the next member less, and to itself more: everybody sends as much as comes.
             const auto n = static_cast<std::size_t>(group.size());
             const std::size_t each = in.size() / n, less = n > 2 ? each / 3 : 0;
             std::vector<std::size_t> sizes(n * n, each);
             for (std::size_t i = 0; i < n && n > 2; ++i) {
                 sizes[i * n + (i + 1) % n] -= less;
                 sizes[i * n + i] += less;
             }
             group.allToAllParts(in, out, sizes);
         }},
        {"reduced parts", false, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             copyIn(in, out);
             group.ireduceParts(out)->wait();
         }},
        {"reduced to the last", false, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             copyIn(in, out);
             group.ireduceTo(out, group.size() - 1)->wait();
         }},
        {"gathered parts", false, false,
         [](Communicator& group, ArraySpan in, ArraySpan out) {
             copyIn(in, out);
             group.igatherParts(out)->wait();
         }},
    };
    return all;
}

}  // namespace shardlab::test
