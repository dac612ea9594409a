// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/nccl/direct_link.h"

#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/backoff.h"

#include <algorithm>
#include <string>
#include <utility>

namespace shardlab::train {

namespace {

constexpr int headerTag = 0;

}  // namespace

/// A header takes the shortest way through the processors' memory, because a rank that waits for the data waits for the
/// header too.
class DirectLink::Sent final : public Request {
public:
    Sent(Header header, Communicator& headers, int peer, std::unique_ptr<DeviceExchange> exchange)
        : header_(header), headers_(headers),
          announcement_(headers.isend(std::as_bytes(std::span(&header_, 1)), peer, headerTag)),
          exchange_(std::move(exchange)) {}
    bool test() override {
        if (announcement_->test() && (!exchange_ || exchange_->done())) return true;
        headers_.requireMembers();
        return false;
    }
    void wait() override {
        announcement_->wait();
        if (exchange_) exchange_->precede();
    }
    DeviceSpan span() const override {
        return exchange_ ? DeviceSpan{exchange_->begin(), exchange_->end()} : DeviceSpan{};
    }

private:
    Header header_;
    Communicator& headers_;
    RequestPtr announcement_;
    std::unique_ptr<DeviceExchange> exchange_;
};

class DirectLink::Received final : public Request {
public:
    Received(DirectLink& link, MessagePtr message) : link_(link), message_(std::move(message)) {}
    bool test() override {
        if (!message_->announced) link_.advance();
        if (message_->announced && (!message_->exchange || message_->exchange->done())) return true;
        link_.headers_.requireMembers();
        return false;
    }
    void wait() override {
        for (Backoff idle(false); !message_->announced; idle.pause()) {
            link_.advance();
            link_.headers_.requireMembers();
        }
        if (message_->exchange) message_->exchange->precede();
    }
    DeviceSpan span() const override {
        const auto& exchange = message_->exchange;
        return exchange ? DeviceSpan{exchange->begin(), exchange->end()} : DeviceSpan{};
    }

private:
    DirectLink& link_;
    MessagePtr message_;
};

DirectLink::DirectLink(std::unique_ptr<DeviceGroup> group, Communicator& headers, int peer, Device& device)
    : group_(std::move(group)), headers_(headers), peer_(peer), device_(device) {}

DirectLink::~DirectLink() {
    for (const MessagePtr& message : unexpected_) device_.release(message->data);
}

RequestPtr DirectLink::send(std::span<const std::byte> data, int tag) {
    std::unique_ptr<DeviceExchange> exchange;
    if (!data.empty()) {
        group_->begin();
        group_->send(data.data(), data.size(), 1);
        exchange = group_->end();
    }
    return std::make_unique<Sent>(Header{tag, data.size()}, headers_, peer_, std::move(exchange));
}

RequestPtr DirectLink::receive(std::span<std::byte> data, int tag) {
    advance();
    auto message = std::make_shared<Message>(Message{{tag, data.size()}, data.data(), false, nullptr, nullptr});
    const auto early = std::ranges::find_if(unexpected_, [&](const MessagePtr& m) { return m->header.tag == tag; });
    if (early == unexpected_.end()) {
        message->free = device_.mark();
        expected_.push_back(message);
        expectHeader();
        advance();
        return std::make_unique<Received>(*this, std::move(message));
    }
    const MessagePtr came = *early;
    unexpected_.erase(early);
    if (came->header.bytes != data.size()) {
        device_.release(came->data);
        requireSize(came->header, message->header);
    }
    if (came->exchange) {
        came->exchange->precede();
        device_.copy(came->data, data.data(), data.size());
        device_.release(came->data);
    }
    // The message is done for callers that use the data on the device; the exchange tells when the data came.
    message->announced = true;
    message->exchange = std::move(came->exchange);
    return std::make_unique<Received>(*this, std::move(message));
}

void DirectLink::expectHeader() {
    Announced& next = announced_.emplace_back();
    next.request = headers_.ireceive(std::as_writable_bytes(std::span(&next.header, 1)), peer_, headerTag);
}

void DirectLink::advance() {
    while (!announced_.empty() && announced_.front().request->test()) {
        const Header header = announced_.front().header;
        announced_.pop_front();
        accept(header);
    }
}

/// Exchanges happen in the sender's order: a message that was not asked for yet is received all the same, or it would
/// hold up those behind it.
void DirectLink::accept(const Header& header) {
    const auto wanted =
        std::ranges::find_if(expected_, [&](const MessagePtr& m) { return m->header.tag == header.tag; });
    if (wanted != expected_.end()) {
        const MessagePtr message = *wanted;
        expected_.erase(wanted);
        requireSize(header, message->header);
        begin(*message);
        return;
    }
    auto message = std::make_shared<Message>(Message{header, device_.allocate(header.bytes), false, nullptr, nullptr});
    begin(*message);
    unexpected_.push_back(std::move(message));
    expectHeader();  // the header that was expected for this message announced another one
}

void DirectLink::begin(Message& message) {
    if (message.header.bytes > 0) {
        group_->begin(message.free.get());
        group_->receive(message.data, message.header.bytes, 0);
        message.exchange = group_->end();
    }
    message.announced = true;
}

void DirectLink::requireSize(const Header& came, const Header& wanted) const {
    if (came.bytes == wanted.bytes) return;
    throw CommunicationError("message from member " + std::to_string(peer_) + ", tag " + std::to_string(came.tag) +
                             ": sent " + std::to_string(came.bytes) + " bytes, expected " +
                             std::to_string(wanted.bytes));
}

}  // namespace shardlab::train
