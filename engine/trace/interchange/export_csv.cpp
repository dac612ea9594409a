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
    const Status read = visitEvents(run, [&](std::span<const Event> events, EventSource source) {
        text.clear();
        const std::string_view word = source == EventSource::Predicted ? "predicted" : "measured";
        for (const Event& event : events) appendRow(text, word, event, run.names());
        if (written) written = out.write({text.data(), text.size()});
        return written.has_value();
    });
    return written ? read : written;
}

}  // namespace shardlab::trace
