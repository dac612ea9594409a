// SPDX-License-Identifier: Apache-2.0
// Messages from one rank's GPU to another's. The GPUs exchange them in the order in which they were sent and know no
// tags, so a header goes ahead of each message through the processors' memory, and the receiver sorts them.
#pragma once

#include "engine/train/comm/communicator.h"
#include "kernels/device.h"

#include <cstdint>
#include <deque>
#include <list>
#include <memory>

namespace shardlab::train {

/// One direction between two members. In the group, member 0 is the sender and member 1 the receiver.
class DirectLink {
public:
    /// `headers` carries nothing else between the two; `peer` is the other end's rank in it. All arguments outlive the
    /// link.
    DirectLink(std::unique_ptr<DeviceGroup> group, Communicator& headers, int peer, Device& device);
    ~DirectLink();
    DirectLink(const DirectLink&) = delete;
    DirectLink& operator=(const DirectLink&) = delete;

    // Addresses are the device's. Waiting for a request returns when later calls of the device come after the message,
    // which may still be on its way.

    RequestPtr send(std::span<const std::byte> data, int tag);
    /// `data` is free once the device has carried out the calls made until now: the message waits for no later ones.
    /// The request throws a CommunicationError where the message that came has another size.
    RequestPtr receive(std::span<std::byte> data, int tag);

private:
    struct Header {
        std::int64_t tag = 0;
        std::uint64_t bytes = 0;
    };
    struct Announced {
        Header header;
        RequestPtr request;
    };
    /// A message that a receiver waits for, or that came before it was asked for.
    struct Message {
        Header header;
        void* data = nullptr;
        bool announced = false;
        std::shared_ptr<DeviceMoment> free;        ///< from which `data` may be written; null: from now on
        std::unique_ptr<DeviceExchange> exchange;  ///< null before the exchange begins, and for an empty message
    };
    using MessagePtr = std::shared_ptr<Message>;
    class Sent;
    class Received;

    void expectHeader();
    /// Begins to receive the announced messages.
    void advance();
    void accept(const Header& header);
    void begin(Message& message);
    void requireSize(const Header& came, const Header& wanted) const;

    std::unique_ptr<DeviceGroup> group_;
    Communicator& headers_;
    int peer_;
    Device& device_;
    std::deque<Announced> announced_;   ///< in the order of posting
    std::list<MessagePtr> expected_;    ///< asked for, not yet announced
    std::list<MessagePtr> unexpected_;  ///< announced, not yet asked for; the link owns their memory
};

}  // namespace shardlab::train
