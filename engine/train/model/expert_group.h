// SPDX-License-Identifier: Apache-2.0
// The members that each hold other experts of every layer, and have other samples: where a layer sends the rows of its
// tokens, and gets them back. parallel/expert.h says how.
#pragma once

#include "kernels/array.h"

#include <cstdint>

namespace shardlab {

enum class ExpertExchange : std::uint8_t {
    Dispatch,  ///< from the members whose tokens they are to those that hold their experts
    Combine,   ///< and back
};

class ExpertGroup {
public:
    virtual ~ExpertGroup() = default;
    ExpertGroup(const ExpertGroup&) = delete;
    ExpertGroup& operator=(const ExpertGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    /// Member m's microbatch begins so many samples of the run after member m−1's of the same number.
    std::int64_t samplesApart() const { return samplesApart_; }

    /// The layer whose work comes next, as TensorGroup::visit.
    virtual void visit(int layer) = 0;
    /// Of equal blocks, one for each member, block m goes to member m; block m of `received` is the one from there. All
    /// places of experts travel, taken or not: the members need not tell each other how many are.
    virtual void exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received) = 0;

protected:
    ExpertGroup(int size, int member, std::int64_t samplesApart)
        : size_(size), member_(member), samplesApart_(samplesApart) {}

private:
    int size_;
    int member_;
    std::int64_t samplesApart_;
};

}  // namespace shardlab
