// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/dumps/flight_dump.h"

#include "engine/base/json_fields.h"
#include "engine/base/most_ranks.h"
#include "engine/base/parse_text.h"
#include "engine/trace/interchange/dump_file.h"
#include "engine/trace/interchange/memory_snapshot.h"
#include "engine/trace/interchange/pickle.h"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

namespace shardlab::trace {
namespace {

using DumpJson = nlohmann::json;

constexpr std::size_t mostDumpBytes = std::size_t{64} << 20;
constexpr std::size_t mostShapes = 4;  ///< tensors that a call tells; more are counted
constexpr std::size_t mostName = 200;  ///< bytes of a name that are kept

Error noDump(const std::filesystem::path& file, const Sentence& why) {
    return {say("cannot read the flight recorder's dump"), file.string(), why,
            say("Legal is what PyTorch's flight recorder dumps (2.5 or later), as pickle or JSON")};
}

std::optional<int> rankOfName(const std::filesystem::path& file) {
    std::string name = file.filename().string();
    for (const std::string_view ending : {".gz", ".json", ".pickle", ".pkl"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    std::size_t first = name.size();
    while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
    const auto rank = parseNumber<int>(std::string_view(name).substr(first));
    return rank && *rank < mostRanks ? rank : std::nullopt;
}

std::string textOf(const DumpJson& object, const char* key) {
    std::string text;
    take(object, key, text);
    if (text.size() > mostName) text.resize(mostName);
    return text;
}

std::vector<int> sortedRanks(const std::set<int>& ranks) { return {ranks.begin(), ranks.end()}; }

/// "[0, 1]", as the recorder writes it, or a list of numbers.
std::vector<int> ranksOf(const DumpJson& ranks) {
    std::set<int> found;
    const auto add = [&](std::int64_t rank) {
        if (rank >= 0 && rank < mostRanks) found.insert(static_cast<int>(rank));
    };
    if (ranks.is_array())
        for (const DumpJson& rank : ranks) add(wholeNumber<std::int64_t>(rank).value_or(-1));
    if (!ranks.is_string()) return sortedRanks(found);
    const auto& text = ranks.get_ref<const std::string&>();
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
        int rank = 0;
        const auto [next, error] = std::from_chars(at, end, rank);
        if (error == std::errc()) add(rank);
        at = next == at ? at + 1 : next;
    }
    return sortedRanks(found);
}

std::map<std::string, DumpedGroup> groupsOf(const DumpJson& dump) {
    std::map<std::string, DumpedGroup> groups;
    const auto configured = dump.find("pg_config");
    if (configured == dump.end() || !configured->is_object()) return groups;
    for (const auto& [name, group] : configured->items()) {
        if (!group.is_object() || name.size() > mostName) continue;
        DumpedGroup& made = groups[name];
        made.description = textOf(group, "desc");
        if (const auto ranks = group.find("ranks"); ranks != group.end()) made.ranks = ranksOf(*ranks);
    }
    return groups;
}

/// "Float[4, 8]; Half[2]".
std::string shapesOf(const DumpJson& entry) {
    const auto sizes = entry.find("input_sizes"), types = entry.find("input_dtypes");
    if (sizes == entry.end() || !sizes->is_array()) return {};
    std::string shapes;
    for (std::size_t i = 0; i < sizes->size(); ++i) {
        if (i == mostShapes) return fmt::format("{}; {} more", shapes, sizes->size() - i);
        if (i > 0) shapes += "; ";
        if (types != entry.end() && types->is_array() && i < types->size() && (*types)[i].is_string())
            shapes += (*types)[i].get_ref<const std::string&>().substr(0, mostName);
        shapes += '[';
        if (const DumpJson& size = (*sizes)[i]; size.is_array())
            for (std::size_t each = 0; each < size.size() && each < 8; ++each)
                shapes += fmt::format("{}{}", each == 0 ? "" : ", ", wholeNumber<std::int64_t>(size[each]).value_or(0));
        shapes += ']';
    }
    return shapes;
}

/// The innermost frame that is not PyTorch's own.
std::string placeOf(const DumpJson& entry) {
    const auto frames = entry.find("frames");
    if (frames == entry.end() || !frames->is_array()) return {};
    for (const DumpJson& frame : *frames) {
        if (!frame.is_object()) continue;
        std::string file, name;
        std::int64_t line = 0;
        take(frame, "filename", file);
        take(frame, "name", name);
        take(frame, "line", line);
        if (file.empty() || file.find("/torch/") != file.npos) continue;
        file.erase(0, file.find_last_of('/') + 1);
        return fmt::format("{}:{} in {}", file.substr(0, mostName), line, name.substr(0, mostName));
    }
    return {};
}

/// A call whose events were not timed stays "scheduled", and is over once the watchdog let it go; one that had started
/// by then was aborted.
DumpedCall::State stateOf(const DumpJson& entry) {
    const std::string state = textOf(entry, "state");
    bool retired = false;
    take(entry, "retired", retired);
    if (state == "completed" || (state == "scheduled" && retired)) return DumpedCall::State::Completed;
    return state == "started" ? DumpedCall::State::Started : DumpedCall::State::Scheduled;
}

/// None where what a call must have is missing.
std::optional<DumpedCall> callOf(const DumpJson& entry, std::map<std::string, DumpedGroup>& groups) {
    if (!entry.is_object()) return std::nullopt;
    const auto group = entry.find("process_group");
    DumpedCall call;
    const std::string name = textOf(entry, "profiling_name");
    take(entry, "is_p2p", call.message);
    const auto number = entry.find(call.message ? "p2p_seq_id" : "collective_seq_id");
    if (group == entry.end() || !group->is_array() || group->empty() || !(*group)[0].is_string() || name.empty() ||
        number == entry.end() || !wholeNumber<std::int64_t>(*number))
        return std::nullopt;
    call.group = (*group)[0].get_ref<const std::string&>().substr(0, mostName);
    DumpedGroup& of = groups[call.group];
    if (of.description.empty() && group->size() > 1 && (*group)[1].is_string())
        of.description = (*group)[1].get_ref<const std::string&>().substr(0, mostName);
    call.number = *wholeNumber<std::int64_t>(*number);
    call.operation = name.substr(name.rfind(':') + 1);
    take(entry, "time_created_ns", call.created);
    call.state = stateOf(entry);
    call.shapes = shapesOf(entry);
    call.place = placeOf(entry);
    return call;
}

}  // namespace

bool isFlightDump(const std::filesystem::path& file) {
    const auto head = firstBytes(file, dumpHead);
    if (!head) return false;
    if (isPickle(*head)) return !isMemorySnapshot(*head);
    if (head->find_first_not_of(" \t\r\n") == head->npos || (*head)[head->find_first_not_of(" \t\r\n")] != '{')
        return false;
    // PyTorch's profiler writes pg_config too.
    const auto has = [&](const char* key) { return head->find(key) != head->npos; };
    if (has("\"traceEvents\"") || has("\"distributedInfo\"") || has("\"schemaVersion\"")) return false;
    return has("\"entries\"") && (has("\"collective_seq_id\"") || has("\"pg_config\""));
}

Result<FlightDump> readFlightDump(const std::filesystem::path& file) {
    FlightDump dump;
    if (const auto rank = rankOfName(file)) {
        dump.rank = *rank;
    } else {
        return fail(noDump(
            file, say("its name does not end with the number of a rank below {}, as dump_rank_3 does", mostRanks)));
    }
    const auto bytes = firstBytes(file, mostDumpBytes + 1);
    if (!bytes) return fail(bytes.error());
    if (bytes->size() > mostDumpBytes) return fail(noDump(file, say("it is larger than 64 MiB")));
    DumpJson json;
    if (isPickle(*bytes)) {
        auto read = readPickle(*bytes, file.string());
        if (!read) return fail(read.error());
        json = std::move(*read);
    } else {
        json = DumpJson::parse(*bytes, nullptr, false);
        if (json.is_discarded()) return fail(noDump(file, say("it is neither a pickle nor JSON")));
    }
    const auto entries = json.is_object() ? json.find("entries") : json.end();
    if (!json.is_object() || entries == json.end() || !entries->is_array())
        return fail(noDump(file, say("it has no list \"entries\"")));
    dump.version = textOf(json, "version");
    if (!dump.version.starts_with("2."))
        return fail(noDump(file, dump.version.empty() ? say("it does not tell its format, and 2 is read")
                                                      : say("its format is {}, and 2 is read", dump.version)));
    dump.groups = groupsOf(json);
    for (std::size_t i = 0; i < entries->size(); ++i) {
        auto call = callOf((*entries)[i], dump.groups);
        if (!call) return fail(noDump(file, say("/entries/{} lacks its group, name or number", i)));
        dump.calls.push_back(std::move(*call));
    }
    return dump;
}

}  // namespace shardlab::trace
