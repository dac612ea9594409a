// SPDX-License-Identifier: Apache-2.0
// Devices of several processes that exchange data without passing through the processor's memory.
#pragma once

#include "kernels/array.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace shardlab {

/// A point in the order of what a device is asked for.
class DeviceMoment {
public:
    virtual ~DeviceMoment() = default;
    /// When the device came to it, in nanoseconds of CLOCK_MONOTONIC; empty: not yet. Never blocks.
    virtual std::optional<std::int64_t> reached() = 0;
};

/// An exchange under way.
class DeviceExchange {
public:
    virtual ~DeviceExchange() = default;
    /// Never blocks. std::runtime_error where the exchange has failed.
    virtual bool done() = 0;
    /// What the device is asked for from now on comes after the exchange. Does not wait for it.
    virtual void precede() = 0;
    virtual std::shared_ptr<DeviceMoment> begin() const = 0;
    virtual std::shared_ptr<DeviceMoment> end() const = 0;
};

enum class DeviceReduction : std::uint8_t { Sum, Max };

/// One member's end of a group. The calls between begin() and end() are one exchange: it starts when the device has
/// done what it was asked for until begin() and the group's exchanges before it are over. Members ask for matching
/// exchanges in the same order. Addresses are the device's; counts are elements. std::runtime_error, with the library's
/// own words, where a call fails or a member is lost.
class DeviceGroup {
public:
    /// What is under way is carried out first; given up where an exception is on its way, or a member is lost.
    virtual ~DeviceGroup() = default;

    virtual void begin() = 0;
    virtual void send(const void* data, std::size_t bytes, int peer) = 0;
    virtual void receive(void* data, std::size_t bytes, int peer) = 0;
    /// `to` may be `from`. Arrays of one type; numbers of 16 bits are rounded after each addition.
    virtual void allReduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) = 0;
    /// `to` of the member `root` alone is written.
    virtual void reduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction, int root) = 0;
    /// `from` holds `count` elements for each member, `to` count.
    virtual void reduceScatter(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) = 0;
    /// `from` holds `count` elements, `to` count of each member.
    virtual void allGather(ConstArray from, Array to, std::size_t count) = 0;
    virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
    /// May wait for the other where two members exchange their first message; never again.
    virtual std::unique_ptr<DeviceExchange> end() = 0;
};

/// Names a group while it is made: one member draws it, all bring it.
struct DeviceGroupId {
    std::array<std::byte, 128> bytes{};
};

/// What makes groups of one device with others.
class DeviceGroups {
public:
    virtual ~DeviceGroups() = default;
    /// "NCCL 2.28.9".
    virtual std::string name() const = 0;
    virtual DeviceGroupId newId() = 0;
    /// Returns when all members have come. No two members on one device. std::runtime_error where it cannot be made.
    virtual std::unique_ptr<DeviceGroup> join(const DeviceGroupId& id, int rank, int size) = 0;
};

}  // namespace shardlab
