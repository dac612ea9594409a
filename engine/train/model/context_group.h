// SPDX-License-Identifier: Apache-2.0
// The members that share the tokens of each sample, as a layer sees them: what one has goes to the next, round a ring.
// parallel/context.h says how. Attention alone needs it; all other layers do their own tokens.
#pragma once

#include "kernels/array.h"

#include <memory>

namespace shardlab {

class ContextGroup {
public:
    /// Under way: what is sent stays untouched, and what is received unread, until wait().
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

    /// The layer whose work comes next, as TensorGroup::visit.
    virtual void visit(int layer) = 0;
    /// Begins to send to the next member, and to receive as much from the one before. Hops that are under way at one
    /// time have different `stream`s, 0 or 1.
    virtual std::unique_ptr<Hop> pass(ConstArraySpan sent, ArraySpan received, int stream) = 0;

protected:
    ContextGroup(int size, int member) : size_(size), member_(member) {}

private:
    int size_;
    int member_;
};

}  // namespace shardlab
