// SPDX-License-Identifier: Apache-2.0
// How far the clocks of a run's hosts are apart, as it was measured during the run and is kept in its file.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct HostClock {
    std::string host;
    std::int64_t time = 0;         ///< of the measurement; run clock, nanoseconds
    std::int64_t offset = 0;       ///< nanoseconds that this host's monotonic clock is ahead of the launcher's
    std::int64_t uncertainty = 0;  ///< nanoseconds, either way
    double drift = 0;              ///< seconds that it gains in a second
    bool operator==(const HostClock&) const = default;
};

/// "+1.2 ms ± 15 µs".
std::string toText(const HostClock& clock);

/// The measurements of a run: the first and the last of each host, and between them ever fewer, at most `most` of each.
class HostClocks {
public:
    static constexpr std::size_t most = 128;

    void add(const HostClock& clock);
    /// By host in the order they came first, then by time.
    std::vector<HostClock> all() const;
    bool empty() const { return hosts_.empty(); }

private:
    struct Host {
        std::string name;
        std::vector<HostClock> kept;  ///< the last one always
        std::size_t seen = 0;
        std::size_t stride = 1;  ///< every so many is kept
    };
    std::vector<Host> hosts_;
};

/// The last of each host, in the order hosts came first.
std::vector<HostClock> latestOf(std::span<const HostClock> clocks);

std::string writeClocks(std::span<const HostClock> clocks);
Status readClocks(std::string_view json, std::vector<HostClock>& clocks);

}  // namespace shardlab::trace
