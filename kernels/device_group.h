// SPDX-License-Identifier: Apache-2.0
// Groups of devices of several processes, which exchange data without passing through the processors' memory.
#pragma once

#include "kernels/array.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace shardlab::kernels {

/// A point in the sequence of a device's calls.
class DeviceMoment {
public:
    virtual ~DeviceMoment() = default;
    /// When the device reached this moment, in nanoseconds of CLOCK_MONOTONIC; empty: not yet. Never blocks.
    virtual std::optional<std::int64_t> reached() = 0;
};

/// An exchange under way.
class DeviceExchange {
public:
    virtual ~DeviceExchange() = default;
    /// Never blocks. std::runtime_error where the exchange has failed.
    virtual bool done() = 0;
    /// Calls of the device made from now on come after the exchange. Does not wait for it.
    virtual void precede() = 0;
    virtual std::shared_ptr<DeviceMoment> begin() const = 0;
    virtual std::shared_ptr<DeviceMoment> end() const = 0;
};

enum class DeviceReduction : std::uint8_t { Sum, Max };

/// One member's end of a group. The calls between begin() and end() are one exchange: it starts when the device has
/// come to `after`, or where that is null has carried out its calls made before begin(), and when the group's earlier
/// exchanges are over. Members ask for matching exchanges in the same order. Addresses are the device's; counts are
/// elements. Throws std::runtime_error, with the library's own words, where a call fails or a member is lost.
class DeviceGroup {
public:
    /// Carries out first what is under way; gives it up where an exception is on its way, or a member is lost.
    virtual ~DeviceGroup() = default;

    virtual void begin(const DeviceMoment* after = nullptr) = 0;
    virtual void send(const void* data, std::size_t bytes, int peer) = 0;
    virtual void receive(void* data, std::size_t bytes, int peer) = 0;
    /// `to` may be `from`. Both have one type; numbers of 16 bits are rounded after each addition.
    virtual void allReduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) = 0;
    /// Only member `root` gets the result in `to`.
    virtual void reduce(ConstArray from, Array to, std::size_t count, DeviceReduction reduction, int root) = 0;
    /// `from` holds `count` elements for each member, `to` holds `count`.
    virtual void reduceScatter(ConstArray from, Array to, std::size_t count, DeviceReduction reduction) = 0;
    /// `from` holds `count` elements, `to` holds `count` from each member.
    virtual void allGather(ConstArray from, Array to, std::size_t count) = 0;
    virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
    /// May wait for the other member where two members exchange their first message; later it never waits.
    virtual std::unique_ptr<DeviceExchange> end() = 0;
};

/// Names a group while it is made: one member draws the id, and all members give it.
struct DeviceGroupId {
    std::array<std::byte, 128> bytes{};
};

/// Makes groups of one device with others.
class DeviceGroups {
public:
    virtual ~DeviceGroups() = default;
    /// "NCCL 2.28.9".
    virtual std::string name() const = 0;
    virtual DeviceGroupId newId() = 0;
    /// Returns when all members have come. No two members may share a device. Throws std::runtime_error where the group
    /// cannot be made.
    virtual std::unique_ptr<DeviceGroup> join(const DeviceGroupId& id, int rank, int size) = 0;
    /// While `look` lives, the host calls it some times a second while it waits for the device, one thread at a time,
    /// because no library tells that another process has ended. It throws where a member of any group is lost: all
    /// groups are given up then, so that nothing waits any more, and the wait and all later calls of the groups throw
    /// std::runtime_error with its words.
    virtual void watch(std::weak_ptr<const std::function<void()>> look) = 0;
};

}  // namespace shardlab::kernels
