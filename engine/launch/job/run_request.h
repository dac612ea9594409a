// SPDX-License-Identifier: Apache-2.0
// How another program asks something of a run that goes on: a file beside the run file, which the run's job takes away
// when it has read it. The run obeys its own user and root: a link, or a file of somebody else, is removed where that
// is possible, and ignored.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/injected_fault.h"

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

namespace shardlab::launch {

/// Another number of data replicas.
struct ResizeRequest {
    int data = 0;
    bool operator==(const ResizeRequest&) const = default;
};
/// A fault that is to befall a rank now.
struct FaultRequest {
    InjectedFaultKind kind = InjectedFaultKind::Kill;  ///< of the kinds that happen once
    int rank = 0;                                      ///< as the run file numbers it
    bool operator==(const FaultRequest&) const = default;
};
using RunRequest = std::variant<ResizeRequest, FaultRequest>;

/// "resize 6", "kill 2", "hang 2".
std::string toText(const RunRequest& request);

/// Requests to the run "first.shardlab" are written to "first.shardlab.request".
std::filesystem::path runRequestFile(const std::filesystem::path& runFile);
/// Replaces a request that was not taken. Error: the place cannot be written.
Status writeRunRequest(const std::filesystem::path& runFile, const RunRequest& request);
/// The job's side: hands out a request once; none where nobody asks. Errors: it cannot be understood; it is not from
/// this user or root; it cannot be removed, and then is there at the next call too.
Result<std::optional<RunRequest>> takeRunRequest(const std::filesystem::path& runFile);

}  // namespace shardlab::launch
