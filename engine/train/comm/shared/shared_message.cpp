// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/shared/shared_message.h"

#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/backoff.h"
#include "engine/train/comm/reduction.h"
#include "engine/train/comm/shared/shared_word.h"

#include <string>
#include <utility>

namespace shardlab::train {

std::unique_ptr<SharedMessage> SharedMessage::send(Place place, std::span<const std::byte> data) {
    return std::unique_ptr<SharedMessage>(new SharedMessage(std::move(place), Sender, data, {}));
}

std::unique_ptr<SharedMessage> SharedMessage::receive(Place place, std::span<std::byte> data) {
    return std::unique_ptr<SharedMessage>(new SharedMessage(std::move(place), Receiver, {}, data));
}

SharedMessage::SharedMessage(Place place, End end, std::span<const std::byte> from, std::span<std::byte> to)
    : place_(std::move(place)), end_(end), from_(from), to_(to),
      box_(end == Sender ? place_.window->mailbox(place_.window->rank(), place_.peer)
                         : place_.window->mailbox(place_.peer, place_.window->rank())) {
    meet();
}

SharedMessage::~SharedMessage() {
    if (!post_) return;
    // The message is given up, which happens where something else has failed. The other end must not find it any more.
    try {
        if (!withdraw())
            while (!done()) look();
    } catch (const CommunicationError&) {  // the peer has ended and will not find it either
    }
    place_.window->heap().release(post_);
}

/// Copies where the other end waits; otherwise leaves this end in the mailbox.
void SharedMessage::meet() {
    hold();
    if (MailPost* const other = take(end_ == Sender ? Receiver : Sender, place_.peer)) {
        release();
        copy(*other);
        return;
    }
    leave();
    release();
}

void SharedMessage::copy(MailPost& other) {
    const std::size_t bytes = end_ == Sender ? from_.size() : to_.size();
    if (other.bytes != bytes)
        throw CommunicationError("a message of " + std::to_string(end_ == Sender ? bytes : other.bytes) +
                                 " bytes meets room for " + std::to_string(end_ == Sender ? other.bytes : bytes));
    std::byte* const theirs = place_.window->at(place_.peer, other.data);
    if (end_ == Sender) copyArray(from_.data(), theirs, bytes);
    else copyArray(theirs, to_.data(), bytes);
    if (other.state.exchange(MailPost::Done, std::memory_order_acq_rel) == MailPost::Asleep) wakeSleepers(&other.state);
}

/// Appends the post behind those that wait already.
void SharedMessage::leave() {
    SharedHeap& heap = place_.window->heap();
    const std::span<const std::byte> data = end_ == Sender ? from_ : std::span<const std::byte>(to_);
    buffer_ = std::make_unique<SharedBuffer>(heap, data);
    if (end_ == Sender) buffer_->in(from_);
    post_ =
        new (heap.allocate(sizeof(MailPost))) MailPost{MailPost::Open, place_.key, buffer_->offset(), data.size(), 0};
    const std::uint64_t offset = *heap.offsetOf({reinterpret_cast<const std::byte*>(post_), sizeof(MailPost)});
    std::uint64_t* last = &box_.waiting[end_];
    while (*last != 0) last = &reinterpret_cast<MailPost*>(heap.at(*last))->next;
    *last = offset;
}

/// Takes the first post of `owner` with this key off the list.
MailPost* SharedMessage::take(End end, int owner) {
    for (std::uint64_t* link = &box_.waiting[end]; *link != 0;) {
        auto* const post = reinterpret_cast<MailPost*>(place_.window->at(owner, *link));
        if (post->key == place_.key) {
            *link = post->next;
            return post;
        }
        link = &post->next;
    }
    return nullptr;
}

/// Takes this end's post off the list; false where the other end has taken it already.
bool SharedMessage::withdraw() {
    hold();
    bool found = false;
    for (std::uint64_t* link = &box_.waiting[end_]; *link != 0 && !found;) {
        auto* const post = reinterpret_cast<MailPost*>(place_.window->heap().at(*link));
        found = post == post_;
        if (found) *link = post->next;
        else link = &post->next;
    }
    release();
    return found;
}

void SharedMessage::hold() {
    for (Backoff idle(place_.oversubscribed); box_.held.exchange(1, std::memory_order_acquire) != 0; idle.pause())
        look();
}

void SharedMessage::release() { box_.held.store(0, std::memory_order_release); }

void SharedMessage::look() {
    if (++vain_ % looksApart == 0) requirePeer();
}

void SharedMessage::requirePeer() {
    place_.group.requireMembers();
    place_.window->requireHope(place_.peer);
}

bool SharedMessage::test() {
    if (!post_) return true;
    if (!done()) {
        look();
        return false;
    }
    if (end_ == Receiver) buffer_->out(to_);
    place_.window->heap().release(std::exchange(post_, nullptr));
    buffer_.reset();
    return true;
}

bool SharedMessage::done() const { return post_->state.load(std::memory_order_acquire) == MailPost::Done; }

void SharedMessage::wait() {
    for (Backoff idle(false); !place_.oversubscribed && !test();) idle.pause();
    // Polling would take time from a rank that computes on the same core.
    while (!test()) {
        std::uint32_t open = MailPost::Open;
        post_->state.compare_exchange_strong(open, MailPost::Asleep);
        sleepWhile(&post_->state, MailPost::Asleep);
        if (!done()) requirePeer();
    }
}

}  // namespace shardlab::train
