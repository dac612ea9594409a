// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/resize_request.h"

#include "engine/base/file.h"

#include <charconv>
#include <string>

namespace shardlab {

std::filesystem::path resizeRequestFile(const std::filesystem::path& runFile) {
    std::filesystem::path file = runFile;
    return file += ".resize";
}

Status writeResizeRequest(const std::filesystem::path& runFile, int data) {
    return replaceFile(resizeRequestFile(runFile), std::to_string(data) + "\n");
}

Result<std::optional<int>> takeResizeRequest(const std::filesystem::path& runFile) {
    const std::filesystem::path file = resizeRequestFile(runFile);
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) return std::optional<int>();
    const auto content = readFile(file, 64);
    if (!std::filesystem::remove(file, failed)) return std::optional<int>();  // it would be asked for ever
    if (!content) return fail(content.error());
    int data = 0;
    const auto [end, error] = std::from_chars(content->data(), content->data() + content->size(), data);
    if (error != std::errc{} || std::string_view(end, content->data() + content->size()) != "\n")
        return fail({"cannot read what is asked of the run", file.string(), "it is no number of replicas", "one whole number on a line"});
    return std::optional(data);
}

}  // namespace shardlab
