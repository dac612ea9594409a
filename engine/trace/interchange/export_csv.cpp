// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/export.h"

#include <fmt/format.h>
#include <iterator>

namespace shardlab::trace {
namespace {

/// A cell that holds a separator or a quote is quoted.
std::string cell(std::string text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) text.insert(at, 1, '"');
    return fmt::format("\"{}\"", text);
}

void appendRow(fmt::memory_buffer& out, std::string_view source, const Event& event, const EventNames& names) {
    const std::string action = cell(names.text(event.action));
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{}\n", source, event.rank, name(event.lane),
                   name(event.kind), action, event.step, event.begin, event.end, event.bytes, event.value);
}

}  // namespace

Status writeCsv(const RunReader& run, ReplacingFile& out) {
    Status written = out.write("source,rank,lane,kind,action,step,begin_ns,end_ns,bytes,value\n");
    fmt::memory_buffer text;
    const auto rows = [&](std::string_view source, std::span<const Event> events) {
        text.clear();
        for (const Event& event : events) appendRow(text, source, event, run.names());
        if (written) written = out.write({text.data(), text.size()});
        return written.has_value();
    };
    const auto predicted = run.predicted();
    if (predicted) rows("predicted", *predicted);
    const Status read = run.readEvents([&](std::span<const Event> block) { return rows("measured", block); });
    if (!written) return written;
    if (!predicted) return fail(predicted.error());
    return read;
}

}  // namespace shardlab::trace
