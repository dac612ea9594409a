// SPDX-License-Identifier: Apache-2.0
// The JSON that chrome://tracing reads, and that PyTorch's profiler writes: read item by item, never held as a whole.
#pragma once

#include "engine/trace/interchange/input_stream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// A string, a number as it is written, "true", "false" or "null".
struct TraceValue {
    std::string text;
    bool number = false;
};

/// One entry of traceEvents, as it stands there; what is missing is empty.
struct TraceItem {
    std::string phase, category, name;
    std::string process, thread;                                ///< numbers or words
    std::string id;                                             ///< of what is asynchronous
    std::optional<std::int64_t> begin;                          ///< nanoseconds, from microseconds
    std::optional<std::int64_t> duration;                       ///< the same
    std::vector<std::pair<std::string, TraceValue>> arguments;  ///< those that are no lists or objects
    /// Arguments that are lists, as JSON without blanks and quotes: "[[2,32],[]]"; longer ones without their end.
    std::vector<std::pair<std::string, std::string>> lists;

    const TraceValue* argument(std::string_view key) const;
    std::string text(std::string_view key) const;  ///< empty where it is missing
    std::optional<double> number(std::string_view key) const;
    std::string_view list(std::string_view key) const;  ///< empty where it is missing
};

struct TraceReader {
    /// A value beside traceEvents: "baseTimeNanoseconds", "distributedInfo/rank".
    std::function<void(const std::string& path, const TraceValue& value)> fact;
    std::function<Status(const TraceItem& item)> item;
    std::function<void(const char* what)> ignored;  ///< an entry that is no item at all
};

/// Both forms: an object with traceEvents, or the list alone, which may lack its end. Errors: not JSON (with the byte),
/// neither form, damaged gzip or more of it than may be, a text or a nesting beyond all traces; what `item` says;
/// "cancelled" where the stream was.
Status readTraceJson(InputStream& in, const std::filesystem::path& file, const TraceReader& reader);

/// "1234.567" microseconds are 1234567 nanoseconds, exactly; none where it is no number, or too large.
std::optional<std::int64_t> nanoseconds(std::string_view microseconds);

Error importCancelled();

}  // namespace shardlab::trace
