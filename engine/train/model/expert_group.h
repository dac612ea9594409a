// SPDX-License-Identifier: Apache-2.0
// The members that each hold other experts of every layer and have other tokens, as a layer sees them: it sends rows of
// tokens to them and gets rows back, as parallel/expert.h carries out.
#pragma once

#include "engine/base/wings.h"

#include "kernels/array.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::train {

enum class ExpertExchange : std::uint8_t {
    Dispatch,  ///< from the members that have the tokens to those that hold the experts
    Combine,   ///< the way back
};

class ExpertGroup {
public:
    virtual ~ExpertGroup() = default;
    ExpertGroup(const ExpertGroup&) = delete;
    ExpertGroup& operator=(const ExpertGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    /// By how many samples of the run a member's microbatch begins after the previous member's with the same number,
    /// where no context group divides samples.
    std::int64_t samplesApart() const { return samplesApart_; }

    /// Names the layer whose work comes next, as TensorGroup::visit does.
    virtual void visit(int layer) = 0;
    /// Every member's counts, one behind the other.
    virtual std::vector<std::int32_t> gather(std::span<const std::int32_t> counts) = 0;
    /// Sends part m of `sent` to member m, and receives part m of `received` from it. `sizes` has the elements from
    /// each member to each, as Communicator::iallToAllParts takes them; empty: all parts are equal. With a limit on the
    /// places of experts all of them travel, taken or not, so that no member needs to know how many are taken.
    virtual void exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received,
                          std::span<const std::size_t> sizes) = 0;

protected:
    ExpertGroup(int size, int member, std::int64_t samplesApart)
        : size_(size), member_(member), samplesApart_(samplesApart) {}

private:
    int size_;
    int member_;
    std::int64_t samplesApart_;
};

}  // namespace shardlab::train
