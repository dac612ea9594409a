// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_request.h"

#include "engine/base/file.h"
#include "engine/base/own_file.h"
#include "engine/base/parse_text.h"

#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::launch {
namespace {

constexpr std::size_t longestRequest = 64;  ///< bytes

/// Nothing where the line is none of a request.
std::optional<RunRequest> requestOf(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || !line.ends_with('\n')) return std::nullopt;
    const std::string_view word = line.substr(0, space);
    const auto number = parseNumber<int>(line.substr(space + 1, line.size() - space - 2));
    if (!number) return std::nullopt;
    if (word == "resize") return ResizeRequest{*number};
    for (const InjectedFaultKind kind : {InjectedFaultKind::Kill, InjectedFaultKind::Hang})
        if (word == name(kind)) return FaultRequest{kind, *number};
    return std::nullopt;
}

}  // namespace

std::string toText(const RunRequest& request) {
    if (const auto* resize = std::get_if<ResizeRequest>(&request)) return fmt::format("resize {}", resize->data);
    const auto& fault = std::get<FaultRequest>(request);
    return fmt::format("{} {}", name(fault.kind), fault.rank);
}

std::filesystem::path runRequestFile(const std::filesystem::path& runFile) {
    std::filesystem::path file = runFile;
    return file += ".request";
}

Status writeRunRequest(const std::filesystem::path& runFile, const RunRequest& request) {
    return replaceFile(runRequestFile(runFile), toText(request) + "\n");
}

Result<std::optional<RunRequest>> takeRunRequest(const std::filesystem::path& runFile) {
    const std::filesystem::path file = runRequestFile(runFile);
    const auto ignored = [&](const Sentence& why) {
        return fail({say("what was asked of the run is ignored"), file.string(), why,
                     say("resize REPLICAS, kill RANK or hang RANK, on a line, by this user or root")});
    };
    const auto content = readOwnFile(file, longestRequest);
    if (content && !*content) return std::optional<RunRequest>();
    const bool away = ::unlink(file.c_str()) == 0;
    const int reason = errno;
    if (!content) return ignored(content.error().why);
    if (!away && reason == ENOENT) return std::optional<RunRequest>();  // whoever asked has taken it back
    if (!away) return ignored(say("it cannot be removed, and would be asked for ever: {}", systemReason(reason)));
    const std::optional<RunRequest> request = requestOf(**content);
    if (!request) return ignored(say("it is no request"));
    return request;
}

}  // namespace shardlab::launch
