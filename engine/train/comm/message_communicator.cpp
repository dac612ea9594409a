// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/message_communicator.h"

#include "engine/train/comm/ring_collectives.h"
#include "engine/train/comm/reduction.h"
#include "engine/train/comm/multi_round_request.h"

#include <algorithm>
#include <cstring>

namespace shardlab::train {

namespace {

/// Block i, where each block has `size` elements.
template <class Span>
Span block(Span whole, int i, std::size_t size) {
    return whole.subspan(static_cast<std::size_t>(i) * size, size);
}

void copy(ConstArraySpan from, ArraySpan to) {
    if (!from.empty()) std::memcpy(to.data().data, from.data().data, from.bytes().size());
}

}  // namespace

// Collectives run in the same order on every member, so that a counter gives both ends the same tag; it wraps around
// below the smallest upper bound that MPI allows for tags.
int MessageCommunicator::nextTag() { return collectives_++ & 0x3fff; }

RequestPtr MessageCommunicator::isend(std::span<const std::byte> data, int peer, int tag) {
    return post(Channel::User, data, peer, tag);
}

RequestPtr MessageCommunicator::ireceive(std::span<std::byte> data, int peer, int tag) {
    return expect(Channel::User, data, peer, tag);
}

RequestPtr MessageCommunicator::iallReduce(ArraySpan data, ReduceOp op) {
    const int n = size(), me = rank(), tag = nextTag();
    std::vector<MultiRoundRequest::Round> rounds;
    for (std::size_t begin = 0; n > 1 && begin < data.size(); begin += pieceElements) {
        const ArraySpan piece = data.subspan(begin, std::min(pieceElements, data.size() - begin));
        auto slots = std::make_shared<Contributions>(static_cast<std::size_t>(n));
        rounds.push_back([=, this] {  // each member's contribution to a part goes to the member that owns the part
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                if (const auto slot = slotOf(*slots, k, partOf(piece, me, n).bytes().size()); !slot.empty())
                    messages.push_back(expect(Channel::Collective, slot, k, tag));
                if (const auto theirs = partOf(piece, k, n); !theirs.empty())
                    messages.push_back(post(Channel::Collective, theirs.bytes(), k, tag));
            }
            return messages;
        });
        rounds.push_back([=, this] {  // the owner sends the sum to all
            const ArraySpan own = partOf(piece, me, n);
            if (!own.empty()) reduceInRankOrder(me, own, *slots, own, op);
            slots->clear();
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                if (const auto theirs = partOf(piece, k, n); !theirs.empty())
                    messages.push_back(expect(Channel::Collective, theirs.bytes(), k, tag));
                if (!own.empty()) messages.push_back(post(Channel::Collective, own.bytes(), k, tag));
            }
            return messages;
        });
    }
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr MessageCommunicator::ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    const int n = size(), me = rank(), tag = nextTag();
    requireSize(input.size() == output.size() * static_cast<std::size_t>(n), "reduce-scatter",
                "input has size() times the elements of output");
    const std::size_t step = std::max<std::size_t>(1, pieceElements / static_cast<std::size_t>(n));
    std::vector<MultiRoundRequest::Round> rounds;
    for (std::size_t begin = 0; begin < output.size(); begin += step) {
        const std::size_t count = std::min(step, output.size() - begin);
        auto slots = std::make_shared<Contributions>(static_cast<std::size_t>(n));
        rounds.push_back([=, this] {
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                const auto slot = slotOf(*slots, k, count * sizeOf(input.type()));
                messages.push_back(expect(Channel::Collective, slot, k, tag));
                const auto theirs = block(input, k, output.size()).subspan(begin, count);
                messages.push_back(post(Channel::Collective, theirs.bytes(), k, tag));
            }
            return messages;
        });
        rounds.push_back([=] {
            const auto own = block(input, me, output.size()).subspan(begin, count);
            reduceInRankOrder(me, own, *slots, output.subspan(begin, count), op);
            return std::vector<RequestPtr>{};
        });
    }
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr MessageCommunicator::iallGather(ConstArraySpan input, ArraySpan output) {
    const int n = size(), me = rank(), tag = nextTag();
    requireSize(output.size() == input.size() * static_cast<std::size_t>(n), "all-gather",
                "output has size() times the elements of input");
    std::vector<MultiRoundRequest::Round> rounds;
    rounds.push_back([=, this] {
        copy(input, block(output, me, input.size()));
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n && !input.empty(); ++k) {
            if (k == me) continue;
            const auto theirs = block(output, k, input.size());
            messages.push_back(expect(Channel::Collective, theirs.bytes(), k, tag));
            messages.push_back(post(Channel::Collective, input.bytes(), k, tag));
        }
        return messages;
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr MessageCommunicator::iallToAllParts(ConstArraySpan input, ArraySpan output,
                                               std::span<const std::size_t> sizes) {
    const int n = size(), me = rank(), tag = nextTag();
    const ExchangedParts parts = exchangedParts(me, n, sizes, input.size(), output.size());
    std::vector<MultiRoundRequest::Round> rounds;
    rounds.push_back([=, this] {
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n; ++k) {
            const ElementRange sent = parts.sent[static_cast<std::size_t>(k)],
                               received = parts.received[static_cast<std::size_t>(k)];
            const ConstArraySpan mine = input.subspan(sent.begin, sent.count);
            const ArraySpan theirs = output.subspan(received.begin, received.count);
            if (k == me) {
                copy(mine, theirs);
                continue;
            }
            if (!theirs.empty()) messages.push_back(expect(Channel::Collective, theirs.bytes(), k, tag));
            if (!mine.empty()) messages.push_back(post(Channel::Collective, mine.bytes(), k, tag));
        }
        return messages;
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

// A binomial tree: the member at distance d from the root receives from distance d without its highest bit, then sends
// to d + every higher power of two.
RequestPtr MessageCommunicator::ibroadcast(std::span<std::byte> data, int root) {
    const int n = size(), tag = nextTag();
    const int distance = (rank() - root + n) % n;
    int above = 1;
    while (above <= distance) above *= 2;
    std::vector<MultiRoundRequest::Round> rounds;
    if (distance > 0 && !data.empty())
        rounds.push_back([=, this] {
            std::vector<RequestPtr> messages;
            messages.push_back(expect(Channel::Collective, data, (root + distance - above / 2) % n, tag));
            return messages;
        });
    if (!data.empty())
        rounds.push_back([=, this] {
            std::vector<RequestPtr> messages;
            for (int hop = above; distance + hop < n; hop *= 2)
                messages.push_back(post(Channel::Collective, data, (root + distance + hop) % n, tag));
            return messages;
        });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

// A dissemination barrier: after round k every member knows that 2^(k+1) members have come.
void MessageCommunicator::barrier() {
    const int n = size(), me = rank(), tag = nextTag();
    std::byte out{1};
    for (int hop = 1; hop < n; hop *= 2) {
        std::byte in{};
        const RequestPtr heard = expect(Channel::Collective, std::span(&in, 1), (me - hop + n) % n, tag);
        const RequestPtr told = post(Channel::Collective, std::span<const std::byte>(&out, 1), (me + hop) % n, tag);
        heard->wait();
        told->wait();
    }
}

}  // namespace shardlab::train
