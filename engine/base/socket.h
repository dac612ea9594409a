// SPDX-License-Identifier: Apache-2.0
// Descriptors with owners, connections that never block, and wake-ups for a thread that waits in poll(2).
#pragma once

#include "engine/base/wings.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace shardlab::base {

/// Owns a file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Descriptor() { close(); }
    void close();
    bool valid() const { return value_ >= 0; }
    int value() const { return value_; }

private:
    int value_ = -1;
};

/// The next caller of a listener, whether Unix or TCP; empty where there is none, or no descriptor left for it.
std::optional<Descriptor> acceptCall(const Descriptor& listener);

/// Over TCP small frames leave at once, and a host that is gone without a word is noticed in the end.
void tuneForFrames(const Descriptor& socket);

/// Bytes moved now: 0 = nothing to read or no room. Empty: the other side has gone.
std::optional<std::size_t> receiveSome(const Descriptor& socket, std::span<std::byte> room);
std::optional<std::size_t> sendSome(const Descriptor& socket, std::span<const std::byte> bytes);

/// Makes a poll(2) in another thread return.
class WakeUp {
public:
    WakeUp();
    void ring() const;
    /// After the poll: further rings count anew.
    void clear() const;
    int descriptor() const { return event_.value(); }

private:
    Descriptor event_;
};

}  // namespace shardlab::base
