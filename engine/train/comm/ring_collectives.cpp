// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/ring_collectives.h"

#include "engine/base/ranges.h"
#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/reduction.h"
#include "engine/train/comm/multi_round_request.h"

#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace shardlab::train {
namespace {

// Messages of one tag between two members arrive in order, so that one tag for each kind is enough.
enum Tag : int { reduceTag = 1, gatherTag = 2, ringTag = 3 };

}  // namespace

ElementRange partRange(std::size_t size, int member, int members) {
    return {rangeBegin(size, members, member), rangeSize(size, members, member)};
}

ArraySpan partOf(ArraySpan block, int member, int members) {
    const ElementRange range = partRange(block.size(), member, members);
    return block.subspan(range.begin, range.count);
}

void requireSize(bool right, const char* call, const char* rule) {
    if (!right) throw CommunicationError(std::string(call) + ": wrong buffer size; " + rule);
}

ExchangedParts exchangedParts(int member, int members, std::span<const std::size_t> sizes, std::size_t input,
                              std::size_t output) {
    const auto me = static_cast<std::size_t>(member), n = static_cast<std::size_t>(members);
    requireSize(sizes.size() == n * n, "all-to-all", "there is a size for each pair of members");
    ExchangedParts parts;
    std::size_t sent = 0, received = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::span<const std::size_t> theirs = sizes.subspan(k * n, n);
        parts.sent.push_back({sent, sizes[me * n + k]});
        parts.received.push_back({received, theirs[me]});
        parts.theirs.push_back({std::accumulate(theirs.begin(), theirs.begin() + member, std::size_t{0}), theirs[me]});
        sent += sizes[me * n + k];
        received += theirs[me];
    }
    requireSize(sent == input && received == output, "all-to-all", "the parts fill input and output");
    return parts;
}

RequestPtr Communicator::ireduceParts(ArraySpan block) {
    const int n = size(), me = rank();
    const ArraySpan own = partOf(block, me, n);
    auto received = std::make_shared<Contributions>(static_cast<std::size_t>(n));
    std::vector<MultiRoundRequest::Round> rounds;
    rounds.push_back([=, this] {
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n; ++k) {
            if (k == me) continue;
            messages.push_back(ireceive(slotOf(*received, k, own.bytes().size()), k, reduceTag));
            messages.push_back(isend(partOf(block, k, n).bytes(), k, reduceTag));
        }
        return messages;
    });
    rounds.push_back([=] {
        reduceInRankOrder(me, own, *received, own, ReduceOp::Sum);
        received->clear();
        return std::vector<RequestPtr>{};
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr Communicator::ireduceTo(ArraySpan block, int owner) {
    const int n = size(), me = rank();
    auto received = std::make_shared<Contributions>(static_cast<std::size_t>(n));
    std::vector<MultiRoundRequest::Round> rounds;
    rounds.push_back([=, this] {
        std::vector<RequestPtr> messages;
        if (me != owner) messages.push_back(isend(block.bytes(), owner, reduceTag));
        for (int k = 0; me == owner && k < n; ++k) {
            if (k == me) continue;
            messages.push_back(ireceive(slotOf(*received, k, block.bytes().size()), k, reduceTag));
        }
        return messages;
    });
    rounds.push_back([=] {
        if (me == owner) reduceInRankOrder(me, block, *received, block, ReduceOp::Sum);
        received->clear();
        return std::vector<RequestPtr>{};
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr Communicator::igatherParts(ArraySpan block) {
    const int n = size(), me = rank();
    std::vector<MultiRoundRequest::Round> rounds;
    rounds.push_back([=, this] {
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n; ++k) {
            if (k == me) continue;
            messages.push_back(ireceive(partOf(block, k, n).bytes(), k, gatherTag));
            messages.push_back(isend(partOf(block, me, n).bytes(), k, gatherTag));
        }
        return messages;
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

RequestPtr iring(RingWay way, Communicator& group, ArraySpan block, std::vector<RingHop>* hops,
                 const std::function<std::int64_t()>& clock) {
    const int n = group.size(), me = group.rank();
    const int next = (me + 1) % n, last = (me + n - 1) % n;
    const auto incoming = std::make_shared<std::vector<std::byte>>();
    const auto begun = std::make_shared<std::int64_t>(0);
    // In each hop the part goes on that came in the one before; with hop n − 1, in which parts begin to go round, the
    // member's own.
    const auto sent = [=](int hop) { return partOf(block, (me - hop - 1 + 2 * n) % n, n); };
    // Ends the hop before. In the first half the part that came is added; in the second half it already lies in its
    // place.
    const auto end = [=](int hop) {
        if (hop < n - 1) add(*incoming, sent(hop + 1));
        if (hops) hops->push_back({*begun, clock ? clock() : 0, static_cast<std::int64_t>(sent(hop).bytes().size())});
    };
    const int first = way == RingWay::GatherParts ? n - 1 : 0, behind = (way == RingWay::ReduceParts ? 1 : 2) * (n - 1);
    std::vector<MultiRoundRequest::Round> rounds;
    for (int hop = first; hop < behind; ++hop)
        rounds.push_back([=, &group] {
            if (hop > first) end(hop - 1);
            if (clock) *begun = clock();
            const ArraySpan taken = sent(hop + 1);
            incoming->resize(taken.bytes().size());
            const std::span<std::byte> into = hop < n - 1 ? std::span(*incoming) : taken.bytes();
            std::vector<RequestPtr> messages;
            messages.push_back(group.ireceive(into, last, ringTag));
            messages.push_back(group.isend(sent(hop).bytes(), next, ringTag));
            return messages;
        });
    if (n > 1)
        rounds.push_back([=] {
            end(behind - 1);
            return std::vector<RequestPtr>{};
        });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

}  // namespace shardlab::train
