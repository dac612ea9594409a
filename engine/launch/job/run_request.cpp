// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/run_request.h"

#include "engine/base/file.h"

#include <charconv>
#include <fmt/format.h>

namespace shardlab {
namespace {

/// Nothing where the line is none of a request.
std::optional<RunRequest> requestOf(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || !line.ends_with('\n')) return std::nullopt;
    const std::string_view word = line.substr(0, space), digits = line.substr(space + 1, line.size() - space - 2);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (word == "resize") return ResizeRequest{number};
    for (const InjectedFaultKind kind : {InjectedFaultKind::Kill, InjectedFaultKind::Hang})
        if (word == name(kind)) return FaultRequest{kind, number};
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
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) return std::optional<RunRequest>();
    const auto content = readFile(file, 64);
    if (!std::filesystem::remove(file, failed)) return std::optional<RunRequest>();  // it would be asked for ever
    if (!content) return fail(content.error());
    const std::optional<RunRequest> request = requestOf(*content);
    if (!request) return fail({"cannot read what is asked of the run", file.string(), "it is no request", "resize REPLICAS, kill RANK or hang RANK, on a line"});
    return request;
}

}  // namespace shardlab
