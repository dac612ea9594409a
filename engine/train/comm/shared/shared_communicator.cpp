// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/shared/shared_communicator.h"

#include "engine/base/clock.h"
#include "engine/train/comm/backoff.h"
#include "engine/train/comm/ring_collectives.h"
#include "engine/train/comm/reduction.h"
#include "engine/train/comm/multi_round_request.h"
#include "engine/train/comm/shared/shared_word.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardlab::train {

namespace {

constexpr std::int64_t looksApartNanoseconds = 10'000'000;

/// Gathers every member's `own`, by rank.
template <class T>
std::vector<T> exchange(Communicator& group, T own) {
    static_assert(sizeof(T) % sizeof(std::int32_t) == 0);
    constexpr std::size_t words = sizeof(T) / sizeof(std::int32_t);
    std::vector<T> all(static_cast<std::size_t>(group.size()));
    group.allGather({ConstArray(&own, DType::I32), words}, {Array(all.data(), DType::I32), words * all.size()});
    return all;
}

}  // namespace

/// Where every member's buffers lie, by rank.
struct SharedCommunicator::Buffers {
    std::vector<const std::byte*> input;
    std::vector<std::byte*> output;
};

/// A collective in two stages: every member has announced its buffers; every member has done its part of the work.
class SharedCommunicator::Collective final : public Request {
public:
    Collective(SharedCommunicator& group, std::uint64_t number, ConstArraySpan input, ArraySpan output, Work work)
        : group_(group), window_(group.window_), index_(number % SharedWindow::slots),
          stage_(number / SharedWindow::slots * 2), output_(output), inPlace_(input.data().data == output.data().data),
          out_(window_->heap(), output.bytes()),
          in_(window_->heap(), inPlace_ ? std::span<const std::byte>{} : input.bytes()), work_(std::move(work)) {
        (inPlace_ ? out_ : in_).in(input.bytes());
        test();
    }

    bool test() override {
        for (; !done_; advance()) {
            const int late = firstBehind();
            if (late < 0) continue;
            if (++vain_ % looksApart == 0) requireMember(late);
            return false;
        }
        return true;
    }

    void wait() override {
        const bool sleeps = group_.memory_.oversubscribed;
        for (Backoff idle(false); !sleeps && !test();) idle.pause();
        // Polling would take time from a rank that computes on the same core.
        while (!test())
            if (const int late = firstBehind(); late >= 0) sleepUntilMoved(late);
    }

private:
    /// A member that has not reached stage_; −1 where all have.
    int firstBehind() const {
        for (int k = 0; k < window_->size(); ++k)
            if (window_->slot(k, index_).stage.load(std::memory_order_acquire) < stage_) return k;
        return -1;
    }

    void requireMember(int late) {
        group_.requireMembers();
        if (late == firstBehind()) window_->requireHope(late);
    }

    void sleepUntilMoved(int late) {
        const std::uint64_t seen = window_->slot(late, index_).stage.load(std::memory_order_acquire);
        if (seen >= stage_) return;
        sleepWhile(&window_->slot(late, index_).stage, static_cast<std::uint32_t>(seen));
        requireMember(late);
    }

    /// All members have reached stage_, so this member does what follows.
    void advance() {
        CollectiveSlot& own = window_->slot(window_->rank(), index_);
        switch (step_++) {
        case 0:
            own.input = (inPlace_ ? out_ : in_).offset();
            own.output = out_.offset();
            break;
        case 1: work_(*window_, buffers()); break;
        default:
            out_.out(output_.bytes());
            done_ = true;
            return;
        }
        own.stage.store(++stage_, std::memory_order_release);
        if (group_.memory_.oversubscribed) wakeSleepers(&own.stage);
    }

    Buffers buffers() const {
        Buffers all;
        for (int k = 0; k < window_->size(); ++k) {
            const CollectiveSlot& slot = window_->slot(k, index_);
            all.input.push_back(window_->at(k, slot.input));
            all.output.push_back(window_->at(k, slot.output));
        }
        return all;
    }

    SharedCommunicator& group_;
    std::shared_ptr<SharedWindow> window_;
    std::size_t index_;
    std::uint64_t stage_;
    ArraySpan output_;
    bool inPlace_;
    SharedBuffer out_, in_;
    Work work_;
    int step_ = 0;
    long vain_ = 0;
    bool done_ = false;
};

SharedCommunicator::SharedCommunicator(std::unique_ptr<Communicator> messages, SharedMemory memory)
    : messages_(std::move(messages)), memory_(std::move(memory)), window_(open()) {}

SharedCommunicator::~SharedCommunicator() = default;

std::shared_ptr<SharedWindow> SharedCommunicator::open() {
    if (size() < 2) return nullptr;
    Introduction own;
    if (memory_.heap) own = SharedWindow::introduce(*memory_.heap, size());
    const std::vector<Introduction> members = exchange(*messages_, own);
    std::vector<std::shared_ptr<RemoteHeap>> others(members.size());
    bool all = memory_.heap != nullptr;
    for (std::size_t k = 0; k < members.size() && all; ++k) {
        if (static_cast<int>(k) == rank()) continue;
        all = members[k].heap.host == own.heap.host;
        if (!all) break;
        auto reached = memory_.heap->reach(members[k].heap);
        all = reached.has_value();
        if (all) others[k] = std::move(*reached);
        else if (memory_.inform) memory_.inform("collectives of a group go by messages: " + reached.error().text());
    }
    for (const std::int32_t agreed : exchange<std::int32_t>(*messages_, all))
        if (!agreed) return nullptr;
    return std::make_shared<SharedWindow>(*memory_.heap, rank(), std::move(others), members);
}

std::unique_ptr<Communicator> SharedCommunicator::group(std::span<const int> members) {
    return std::make_unique<SharedCommunicator>(messages_->group(members), memory_);
}

RequestPtr SharedCommunicator::start(ConstArraySpan input, ArraySpan output, Work work) {
    return std::make_unique<Collective>(*this, started_++, input, output, std::move(work));
}

RequestPtr SharedCommunicator::isend(std::span<const std::byte> data, int peer, int tag) {
    if (!window_) return messages_->isend(data, peer, tag);
    return SharedMessage::send(place(Channel::User, peer, tag), data);
}

RequestPtr SharedCommunicator::ireceive(std::span<std::byte> data, int peer, int tag) {
    if (!window_) return messages_->ireceive(data, peer, tag);
    return SharedMessage::receive(place(Channel::User, peer, tag), data);
}

SharedMessage::Place SharedCommunicator::place(Channel channel, int peer, int tag) {
    const std::uint64_t key = std::uint64_t{static_cast<std::uint8_t>(channel)} << 32 | static_cast<std::uint32_t>(tag);
    return {window_, *messages_, memory_.oversubscribed, peer, key};
}

RequestPtr SharedCommunicator::iallReduce(ArraySpan data, ReduceOp op) {
    if (!window_) return messages_->iallReduce(data, op);
    return start(data, data,
                 [count = data.size(), type = data.type(), op](const SharedWindow& window, const Buffers& all) {
                     const ElementRange own = partRange(count, window.rank(), window.size());
                     Buffers part = all;
                     for (const std::byte*& from : part.input) from += own.begin * sizeOf(type);
                     for (std::byte*& to : part.output) to += own.begin * sizeOf(type);
                     reduceTo(part.input, part.output, own.count, type, op);
                 });
}

RequestPtr SharedCommunicator::ireduceParts(ArraySpan block) {
    if (!window_) return messages_->ireduceParts(block);
    return start(
        block, block, [count = block.size(), type = block.type()](const SharedWindow& window, const Buffers& all) {
            const ElementRange own = partRange(count, window.rank(), window.size());
            Buffers part = all;
            for (const std::byte*& from : part.input) from += own.begin * sizeOf(type);
            std::byte* const to = all.output[static_cast<std::size_t>(window.rank())] + own.begin * sizeOf(type);
            reduceTo(part.input, std::span(&to, 1), own.count, type, ReduceOp::Sum);
        });
}

RequestPtr SharedCommunicator::igatherParts(ArraySpan block) {
    if (!window_) return messages_->igatherParts(block);
    return start(
        block, block, [count = block.size(), type = block.type()](const SharedWindow& window, const Buffers& all) {
            for (int k = 0; k < window.size(); ++k) {
                if (k == window.rank()) continue;
                const ElementRange theirs = partRange(count, k, window.size());
                const std::size_t begin = theirs.begin * sizeOf(type);
                copyArray(all.input[static_cast<std::size_t>(k)] + begin,
                          all.output[static_cast<std::size_t>(window.rank())] + begin, theirs.count * sizeOf(type));
            }
        });
}

RequestPtr SharedCommunicator::ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    if (!window_) return messages_->ireduceScatter(input, output, op);
    requireSize(input.size() == output.size() * static_cast<std::size_t>(size()), "reduce-scatter",
                "input has size() times the elements of output");
    return start(input, output,
                 [count = output.size(), type = output.type(), op](const SharedWindow& window, const Buffers& all) {
                     const auto me = static_cast<std::size_t>(window.rank());
                     Buffers block = all;
                     for (const std::byte*& from : block.input) from += me * count * sizeOf(type);
                     reduceTo(block.input, std::span(&all.output[me], 1), count, type, op);
                 });
}

RequestPtr SharedCommunicator::iallGather(ConstArraySpan input, ArraySpan output) {
    if (!window_) return messages_->iallGather(input, output);
    requireSize(output.size() == input.size() * static_cast<std::size_t>(size()), "all-gather",
                "output has size() times the elements of input");
    return start(input, output, [bytes = input.bytes().size()](const SharedWindow& window, const Buffers& all) {
        std::byte* const to = all.output[static_cast<std::size_t>(window.rank())];
        for (std::size_t k = 0; k < all.input.size(); ++k) copyArray(all.input[k], to + k * bytes, bytes);
    });
}

RequestPtr SharedCommunicator::iallToAllParts(ConstArraySpan input, ArraySpan output,
                                              std::span<const std::size_t> sizes) {
    if (!window_) return messages_->iallToAllParts(input, output, sizes);
    ExchangedParts parts = exchangedParts(rank(), size(), sizes, input.size(), output.size());
    return start(
        input, output,
        [parts = std::move(parts), each = sizeOf(input.type())](const SharedWindow& window, const Buffers& all) {
            const auto me = static_cast<std::size_t>(window.rank());
            for (std::size_t k = 0; k < all.input.size(); ++k)
                copyArray(all.input[k] + parts.theirs[k].begin * each, all.output[me] + parts.received[k].begin * each,
                          parts.received[k].count * each);
        });
}

RequestPtr SharedCommunicator::ibroadcast(std::span<std::byte> data, int root) {
    if (!window_) return messages_->ibroadcast(data, root);
    // Messages of one pair keep their order, so they need no numbers.
    return std::make_unique<MultiRoundRequest>(std::vector<MultiRoundRequest::Round>{[this, data, root] {
        std::vector<RequestPtr> messages;
        if (rank() != root) messages.push_back(SharedMessage::receive(place(Channel::Broadcast, root, 0), data));
        for (int k = 0; k < size() && rank() == root; ++k)
            if (k != root) messages.push_back(SharedMessage::send(place(Channel::Broadcast, k, 0), data));
        return messages;
    }});
}

std::span<std::byte> SharedCommunicator::reach(std::span<std::byte> block, int owner) {
    if (!window_) return messages_->reach(block, owner);
    struct Place {
        std::uint64_t offset = 0, bytes = 0;
    } place;
    if (rank() == owner)
        if (const auto offset = memory_.heap->offsetOf(block)) place = {*offset, block.size()};
    broadcast(std::as_writable_bytes(std::span(&place, 1)), owner);
    return place.bytes == 0 ? std::span<std::byte>() : std::span(window_->at(owner, place.offset), place.bytes);
}

void SharedCommunicator::requireMembers() {
    messages_->requireMembers();
    // Callers ask between two tests of a request, and each answer is a call of the system.
    const std::int64_t now = monotonicNanoseconds(), last = looked_;
    if (now - last < looksApartNanoseconds) return;
    looked_ = now;
    for (int k = 0; window_ && k < size(); ++k) window_->requireMember(k);
}

void SharedCommunicator::barrier() {
    if (!window_) return messages_->barrier();
    start({}, {}, [](const SharedWindow&, const Buffers&) {})->wait();
}

}  // namespace shardlab::train
