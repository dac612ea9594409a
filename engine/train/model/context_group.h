// SPDX-License-Identifier: Apache-2.0
// The members that share the tokens of each sample, as a layer sees them: what one member has goes to the next round a
// ring, or each member sends a part to every other, as parallel/context.h carries out. Only attention needs it, and a
// gate for the places of experts and for what its balance loss counts; all other layers work on their own tokens.
#pragma once

#include "engine/base/wings.h"

#include "engine/layout/kinds.h"
#include "kernels/array.h"

#include <memory>

namespace shardlab::train {

class ContextGroup {
public:
    /// A hop under way. Until wait() nobody may write what is sent, or read what is received.
    class Hop {
    public:
        virtual ~Hop() = default;
        virtual void wait() = 0;
    };

    virtual ~ContextGroup() = default;
    ContextGroup(const ContextGroup&) = delete;
    ContextGroup& operator=(const ContextGroup&) = delete;

    int size() const { return size_; }
    int member() const { return member_; }
    ContextKind kind() const { return kind_; }

    /// Names the layer whose work comes next, as TensorGroup::visit does.
    virtual void visit(int layer) = 0;
    /// Begins to send to the next member and to receive as much from the previous one. Hops that are under way at the
    /// same time must have different `stream`s, 0 or 1.
    virtual std::unique_ptr<Hop> pass(ConstArraySpan sent, ArraySpan received, int stream) = 0;
    /// Sends part m of `sent` to member m, and receives part m of `received` from it; the parts are equal.
    virtual void exchange(ConstArraySpan sent, ArraySpan received) = 0;
    /// What a gate asks for before it gives out places: `received` are the numbers of all members, one behind the
    /// other.
    virtual void gatherChoices(ConstArraySpan own, ArraySpan received) = 0;
    /// Sums in place over the members.
    virtual void sumOverMembers(ArraySpan values) = 0;

protected:
    ContextGroup(int size, int member, ContextKind kind) : size_(size), member_(member), kind_(kind) {}

private:
    int size_;
    int member_;
    ContextKind kind_;
};

}  // namespace shardlab::train
