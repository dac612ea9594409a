// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/json_lines.h"

#include "engine/base/file.h"
#include "engine/layout/json_text.h"

namespace shardlab::layout {

Status eachJsonLine(const std::filesystem::path& path, const std::string& field, std::uint64_t most,
                    const std::function<Status(std::string_view text, std::int64_t line)>& take) {
    constexpr std::size_t atOnce = std::size_t{1} << 20;
    DiskFileSystem disk;
    const auto file = disk.open(path, OpenMode::Read);
    if (!file) return fail(file.error());
    std::int64_t number = 0;
    const auto wrong = [&](const Sentence& why) {
        return fail(Error{say("cannot read JSON Lines"), path.string(), say("line {} {}", number, why),
                          say("a JSON object a line, with a text named {}", field)});
    };
    const auto takeLine = [&](std::string_view line) -> Status {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
        const Result<JsonText> json = parseJsonText(line);
        if (!json) return wrong(say("is no JSON"));
        if (!json->root.is_object()) return wrong(say("is no JSON object"));
        const auto text = json->root.find(field);
        if (text == json->root.end()) return wrong(say("has no {}", field));
        if (!text->is_string()) return wrong(say("has a {} that is no text", field));
        return take(text->get_ref<const std::string&>(), number);
    };
    std::string held, block(atOnce, '\0');
    std::uint64_t read = 0, begun = 0;  // bytes read, and before the line that is under way
    for (;;) {
        const Result<std::size_t> got = (*file)->read(std::as_writable_bytes(std::span(block)), read);
        if (!got) return fail(got.error());
        read += *got;
        held.append(block, 0, *got);
        std::size_t at = 0;
        for (std::size_t end = held.find('\n'); end != std::string::npos; end = held.find('\n', at)) {
            if (begun >= most) return {};
            if (const Status taken = takeLine(std::string_view(held).substr(at, end - at)); !taken) return taken;
            begun += end + 1 - at;
            at = end + 1;
        }
        held.erase(0, at);
        if (held.size() > static_cast<std::size_t>(largestJson)) {
            ++number;
            return wrong(say("is longer than {} bytes", largestJson));
        }
        if (*got < block.size()) return held.empty() || begun >= most ? Status{} : takeLine(held);
    }
}

}  // namespace shardlab::layout
