// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/comm/shared/shared_window.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace shardlab::train {

/// One end of a message within a group whose members share memory. Messages of one key arrive in the order in which
/// they were sent.
class SharedMessage final : public Request {
public:
    struct Place {
        std::shared_ptr<SharedWindow> window;
        Communicator& group;  ///< throws where a member is lost
        bool oversubscribed;  ///< a waiting end sleeps until it is woken
        int peer;
        std::uint64_t key;
    };
    static std::unique_ptr<SharedMessage> send(Place place, std::span<const std::byte> data);
    static std::unique_ptr<SharedMessage> receive(Place place, std::span<std::byte> data);
    ~SharedMessage() override;
    SharedMessage(const SharedMessage&) = delete;
    SharedMessage& operator=(const SharedMessage&) = delete;

    /// Throws a CommunicationError where the peer has ended, or where the two ends are not equally long.
    bool test() override;
    void wait() override;

private:
    enum End : std::uint8_t { Sender, Receiver };
    SharedMessage(Place place, End end, std::span<const std::byte> from, std::span<std::byte> to);

    void meet();
    void copy(MailPost& other);
    void leave();
    MailPost* take(End end, int owner);
    bool withdraw();
    void hold();
    void release();
    bool done() const;
    void look();
    void requirePeer();

    Place place_;
    End end_;
    std::span<const std::byte> from_;  ///< what a sender sends
    std::span<std::byte> to_;          ///< where a receiver wants it
    Mailbox& box_;
    std::unique_ptr<SharedBuffer> buffer_;  ///< only while this end waits
    MailPost* post_ = nullptr;              ///< only while this end waits
    long vain_ = 0;
};

}  // namespace shardlab::train
