// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/shared/shared_window.h"

#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/reduction.h"

#include <string>
#include <utility>

namespace shardlab::train {

namespace {

/// The launcher sees how a rank ended, says so and ends the others. Only where that does not happen does a rank that
/// waits in vain end itself.
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::seconds patienceWithGpus{2};

/// The introduction is never released: after the last use here, another member may still look at it.
template <class T>
std::uint64_t make(SharedHeap& heap, std::size_t count) {
    void* const data = heap.allocate(count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) new (static_cast<T*>(data) + i) T{};
    return *heap.offsetOf({static_cast<std::byte*>(data), count * sizeof(T)});
}

}  // namespace

Introduction SharedWindow::introduce(SharedHeap& heap, int members) {
    return {heap.address(), make<CollectiveSlot>(heap, slots), make<Mailbox>(heap, static_cast<std::size_t>(members))};
}

SharedWindow::SharedWindow(SharedHeap& heap, int rank, std::vector<std::shared_ptr<RemoteHeap>> others,
                           const std::vector<Introduction>& members)
    : heap_(heap), rank_(rank), others_(std::move(others)) {
    for (int k = 0; k < size(); ++k) {
        const Introduction& member = members[static_cast<std::size_t>(k)];
        slots_.push_back(reinterpret_cast<CollectiveSlot*>(at(k, member.slots)));
        mail_.push_back(reinterpret_cast<Mailbox*>(at(k, member.mail)));
    }
}

void SharedWindow::requireHope(int k) { require(k, patience); }

void SharedWindow::requireMember(int k) { require(k, patienceWithGpus); }

void SharedWindow::require(int k, std::chrono::nanoseconds longest) {
    if (k == rank_ || !others_[static_cast<std::size_t>(k)]->orphaned()) return;
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    std::int64_t since = 0;
    if (lost_.compare_exchange_strong(since, now.count())) since = now.count();
    if (now - std::chrono::nanoseconds(since) > longest)
        throw CommunicationError("rank " + std::to_string(k) + " of its group has ended amid what they do together");
}

SharedBuffer::SharedBuffer(SharedHeap& heap, std::span<const std::byte> bytes) : heap_(heap) {
    if (const auto offset = heap.offsetOf(bytes)) {
        offset_ = *offset;
        return;
    }
    copy_ = static_cast<std::byte*>(heap.allocate(bytes.size()));
    offset_ = *heap.offsetOf({copy_, bytes.size()});
}

void SharedBuffer::in(std::span<const std::byte> from) const {
    if (copy_) copyArray(from.data(), copy_, from.size());
}

void SharedBuffer::out(std::span<std::byte> to) const {
    if (copy_) copyArray(copy_, to.data(), to.size());
}

}  // namespace shardlab::train
