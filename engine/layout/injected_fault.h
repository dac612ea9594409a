// SPDX-License-Identifier: Apache-2.0
// Faults on purpose (run.faults): what a rank does to itself when so many steps are done, so that a person can see what
// the run makes of it. Written as "kill 1 after 12", "hang 1 after 12" or "slow 1 after 12 by 2.5".
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

enum class InjectedFaultKind : std::uint8_t {
    Kill,  ///< SIGKILL, as the kernel does where memory runs out; once
    Hang,  ///< SIGSTOP: the process is there and does nothing any more; once
    Slow,  ///< from then on computing takes `factor` times as long
};
std::string_view name(InjectedFaultKind kind);  ///< "kill"

struct InjectedFault {
    InjectedFaultKind kind = InjectedFaultKind::Kill;
    int rank = 0;
    int after = 0;      ///< steps that are done before: it happens as the next one begins
    double factor = 1;  ///< how many times longer Slow computes, 1 to largestSlowdown
    bool operator==(const InjectedFault&) const = default;

    /// A restart does not bring it back.
    bool happensOnce() const { return kind != InjectedFaultKind::Slow; }
};

inline constexpr double largestSlowdown = 1000;

std::string toText(const InjectedFault& fault);
/// The inverse; spaces may be any number. Error::why says which part is wrong, Error::legal what would be right.
Result<InjectedFault> parseInjectedFault(std::string_view text);
/// The faults that the run.faults of a checked layout say.
std::vector<InjectedFault> injectedFaults(std::span<const std::string> texts);

}  // namespace shardlab::layout
