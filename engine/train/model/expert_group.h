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

/// Says whose samples the members of an expert group have: neighbouring replicas, the first of which has the number
/// `first`; `sharers` neighbours, the members of a context group, share the tokens of their samples.
struct MemberSamples {
    std::int64_t apart = 0;  ///< of the run: from the first one of a microbatch to that of the next context group
    int sharers = 1;
    int first = 0;
    /// By how many samples of the run the microbatch of member `other` begins after that of `member`.
    std::int64_t between(int member, int other) const {
        return ((first + other) / sharers - (first + member) / sharers) * apart;
    }
};

class ExpertGroup {
public:
    virtual ~ExpertGroup() = default;
    ExpertGroup(const ExpertGroup&) = delete;
    ExpertGroup& operator=(const ExpertGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    const MemberSamples& samples() const { return samples_; }

    /// Names the layer whose work comes next, as TensorGroup::visit does.
    virtual void visit(int layer) = 0;
    /// Every member's counts, one behind the other.
    virtual std::vector<std::int32_t> gather(std::span<const std::int32_t> counts) = 0;
    /// Sends part m of `sent` to member m, and receives part m of `received` from it. `sizes` has the elements from
    /// each member to each, as Communicator::iallToAllParts takes them; empty: all parts are equal. With a limit on the
    /// places of experts that no context group shares, all of them travel, taken or not, so that no member needs to
    /// know how many are taken.
    virtual void exchange(ExpertExchange direction, ConstArraySpan sent, ArraySpan received,
                          std::span<const std::size_t> sizes) = 0;

protected:
    ExpertGroup(int size, int member, const MemberSamples& samples) : size_(size), member_(member), samples_(samples) {}

private:
    int size_;
    int member_;
    MemberSamples samples_;
};

}  // namespace shardlab::train
