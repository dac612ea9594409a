// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/message_communicator.h"

#include "engine/comm/communication_error.h"
#include "engine/comm/rounds.h"

#include <algorithm>
#include <string>

namespace shardlab {

namespace {

/// Part i of a range cut into n parts that differ by at most one element.
template <class T>
std::span<T> part(std::span<T> whole, int i, int n) {
    const std::size_t begin = whole.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(n);
    const std::size_t end = whole.size() * static_cast<std::size_t>(i + 1) / static_cast<std::size_t>(n);
    return whole.subspan(begin, end - begin);
}

/// Block i of blocks of `size` elements.
template <class T>
std::span<T> block(std::span<T> whole, int i, std::size_t size) {
    return whole.subspan(static_cast<std::size_t>(i) * size, size);
}

void accumulate(std::span<float> into, std::span<const float> from, ReduceOp op) {
    float* a = into.data();
    const float* b = from.data();
    const std::size_t n = into.size();
    if (op == ReduceOp::Sum)
        for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
    else
        for (std::size_t i = 0; i < n; ++i) a[i] = std::max(a[i], b[i]);
}

/// What one member received of its part: slot k holds the contribution of member k; its own is in `own`.
/// Reduces in rank order, so that the bits do not depend on who reduces, and writes the result into `result`
/// (which may be `own`).
void reduceInRankOrder(int rank, int size, std::span<const float> own, std::vector<std::vector<float>>& slots,
                       std::span<float> result, ReduceOp op) {
    std::vector<float> sum;
    if (rank == 0)
        sum.assign(own.begin(), own.end());
    else
        sum.swap(slots[0]);
    for (int k = 1; k < size; ++k) accumulate(sum, k == rank ? own : slots[static_cast<std::size_t>(k)], op);
    std::copy(sum.begin(), sum.end(), result.begin());
}

void requireSize(bool right, const char* call, const char* rule) {
    if (!right) throw CommunicationError(std::string(call) + ": wrong buffer size; " + rule);
}

}  // namespace

// Collectives run in the same order on every member, so a counter gives both ends the same tag; it wraps below the
// smallest upper bound of tags that MPI allows.
int MessageCommunicator::nextTag() { return collectives_++ & 0x3fff; }

RequestPtr MessageCommunicator::isend(std::span<const std::byte> data, int peer, int tag) {
    return post(Channel::User, data, peer, tag);
}

RequestPtr MessageCommunicator::ireceive(std::span<std::byte> data, int peer, int tag) {
    return expect(Channel::User, data, peer, tag);
}

RequestPtr MessageCommunicator::iallReduce(std::span<float> data, ReduceOp op) {
    const int n = size(), me = rank(), tag = nextTag();
    std::vector<Rounds::Round> rounds;
    for (std::size_t begin = 0; n > 1 && begin < data.size(); begin += pieceFloats) {
        const std::span<float> piece = data.subspan(begin, std::min(pieceFloats, data.size() - begin));
        auto slots = std::make_shared<std::vector<std::vector<float>>>(static_cast<std::size_t>(n));
        rounds.push_back([=, this] {  // everybody's contribution to a part goes to the member that owns the part
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                std::vector<float>& slot = (*slots)[static_cast<std::size_t>(k)];
                slot.resize(part(piece, me, n).size());
                if (!slot.empty())
                    messages.push_back(expect(Channel::Collective, std::as_writable_bytes(std::span(slot)), k, tag));
                if (const auto theirs = part(piece, k, n); !theirs.empty())
                    messages.push_back(post(Channel::Collective, std::as_bytes(theirs), k, tag));
            }
            return messages;
        });
        rounds.push_back([=, this] {  // the owner hands the sum to all
            const std::span<float> own = part(piece, me, n);
            if (!own.empty()) reduceInRankOrder(me, n, own, *slots, own, op);
            slots->clear();
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                if (const auto theirs = part(piece, k, n); !theirs.empty())
                    messages.push_back(expect(Channel::Collective, std::as_writable_bytes(theirs), k, tag));
                if (!own.empty()) messages.push_back(post(Channel::Collective, std::as_bytes(own), k, tag));
            }
            return messages;
        });
    }
    return std::make_unique<Rounds>(std::move(rounds));
}

RequestPtr MessageCommunicator::ireduceScatter(std::span<const float> input, std::span<float> output, ReduceOp op) {
    const int n = size(), me = rank(), tag = nextTag();
    requireSize(input.size() == output.size() * static_cast<std::size_t>(n), "reduce-scatter",
                "input has size() times the elements of output");
    const std::size_t step = std::max<std::size_t>(1, pieceFloats / static_cast<std::size_t>(n));
    std::vector<Rounds::Round> rounds;
    for (std::size_t begin = 0; begin < output.size(); begin += step) {
        const std::size_t count = std::min(step, output.size() - begin);
        auto slots = std::make_shared<std::vector<std::vector<float>>>(static_cast<std::size_t>(n));
        rounds.push_back([=, this] {
            std::vector<RequestPtr> messages;
            for (int k = 0; k < n; ++k) {
                if (k == me) continue;
                std::vector<float>& slot = (*slots)[static_cast<std::size_t>(k)];
                slot.resize(count);
                messages.push_back(expect(Channel::Collective, std::as_writable_bytes(std::span(slot)), k, tag));
                const auto theirs = block(input, k, output.size()).subspan(begin, count);
                messages.push_back(post(Channel::Collective, std::as_bytes(theirs), k, tag));
            }
            return messages;
        });
        rounds.push_back([=] {
            const auto own = block(input, me, output.size()).subspan(begin, count);
            reduceInRankOrder(me, n, own, *slots, output.subspan(begin, count), op);
            return std::vector<RequestPtr>{};
        });
    }
    return std::make_unique<Rounds>(std::move(rounds));
}

RequestPtr MessageCommunicator::iallGather(std::span<const float> input, std::span<float> output) {
    const int n = size(), me = rank(), tag = nextTag();
    requireSize(output.size() == input.size() * static_cast<std::size_t>(n), "all-gather",
                "output has size() times the elements of input");
    std::vector<Rounds::Round> rounds;
    rounds.push_back([=, this] {
        std::copy(input.begin(), input.end(), block(output, me, input.size()).begin());
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n && !input.empty(); ++k) {
            if (k == me) continue;
            const auto theirs = block(output, k, input.size());
            messages.push_back(expect(Channel::Collective, std::as_writable_bytes(theirs), k, tag));
            messages.push_back(post(Channel::Collective, std::as_bytes(input), k, tag));
        }
        return messages;
    });
    return std::make_unique<Rounds>(std::move(rounds));
}

RequestPtr MessageCommunicator::iallToAll(std::span<const float> input, std::span<float> output) {
    const int n = size(), me = rank(), tag = nextTag();
    requireSize(input.size() == output.size() && input.size() % static_cast<std::size_t>(n) == 0, "all-to-all",
                "input and output have the same size, a multiple of size()");
    const std::size_t count = input.size() / static_cast<std::size_t>(n);
    std::vector<Rounds::Round> rounds;
    rounds.push_back([=, this] {
        const auto own = block(input, me, count);
        std::copy(own.begin(), own.end(), block(output, me, count).begin());
        std::vector<RequestPtr> messages;
        for (int k = 0; k < n && count > 0; ++k) {
            if (k == me) continue;
            const auto theirs = block(output, k, count);
            messages.push_back(expect(Channel::Collective, std::as_writable_bytes(theirs), k, tag));
            messages.push_back(post(Channel::Collective, std::as_bytes(block(input, k, count)), k, tag));
        }
        return messages;
    });
    return std::make_unique<Rounds>(std::move(rounds));
}

// A binomial tree: the member at distance d from the root hears from d without its highest bit, then tells d + every
// higher power of two.
RequestPtr MessageCommunicator::ibroadcast(std::span<std::byte> data, int root) {
    const int n = size(), tag = nextTag();
    const int distance = (rank() - root + n) % n;
    int above = 1;
    while (above <= distance) above *= 2;
    std::vector<Rounds::Round> rounds;
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
    return std::make_unique<Rounds>(std::move(rounds));
}

// Dissemination: after round k everybody knows of 2^(k+1) members.
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

}  // namespace shardlab
