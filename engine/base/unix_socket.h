// SPDX-License-Identifier: Apache-2.0
// Unix stream sockets and wake-ups for poll(2): descriptors with owners, never blocking.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

namespace shardlab {

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

/// Errors: a path longer than a socket address holds (107 bytes), nobody listening (`why` is the system's reason).
Result<Descriptor> connectUnix(const std::filesystem::path& socket);
/// Callers that may wait to be accepted, unless a listener asks otherwise.
inline constexpr int listenBacklog = 128;

/// Takes the place of a socket nobody listens on any more. Errors: too long, unwritable, somebody listening,
/// something else lying there. Only this user may connect.
Result<Descriptor> listenUnix(const std::filesystem::path& socket, int backlog = listenBacklog);
/// The next caller; empty where there is none, or no descriptor left for it.
std::optional<Descriptor> acceptUnix(const Descriptor& listener);

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

}  // namespace shardlab
