// SPDX-License-Identifier: Apache-2.0
// Chrome's trace format, of any program: a process is a rank. Threads whose names say so are lanes; where none is the
// compute lane, the outermost spans of all others are. What Shardlab exported itself comes back as it was.
#include "engine/base/parse_text.h"
#include "engine/base/units.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/interchange/lane_names.h"
#include "engine/trace/interchange/trace_json.h"
#include "engine/trace/interchange/trace_process.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace shardlab::trace {
namespace {

constexpr std::size_t mostOpenBytes = std::size_t{256} << 20;  ///< names of spans that have begun and not ended
constexpr std::size_t mostAsyncSearched = 1000;                ///< open asynchronous spans among which one that ends is

/// By its name, as exports write it; none: no kind of ours.
std::optional<EventKind> kindNamed(std::string_view text) {
    static const auto byName = [] {
        std::map<std::string_view, EventKind> all;
        for (int kind = 1; kind < 256; ++kind)
            if (const std::string_view title = name(static_cast<EventKind>(kind)); title != "unknown")
                all.emplace(title, static_cast<EventKind>(kind));
        return all;
    }();
    const auto found = byName.find(text);
    return found == byName.end() ? std::nullopt : std::optional(found->second);
}

class ChromeReader {
public:
    ChromeReader(const std::filesystem::path& file, ForeignTrace& trace) : file_(file), trace_(trace) {}

    Status read(const ShareWatcher& watcher) {
        auto in = InputStream::open(file_, watcher);
        if (!in) return fail(in.error());
        const TraceReader reader{[this](const std::string& path, const TraceValue& value) {
                                     if (path == "otherData/program" && value.text == "Shardlab") {
                                         ours_ = true;
                                         trace_.keepClock();
                                     }
                                 },
                                 [this](const TraceItem& item) { return take(item); },
                                 [this](const char* what) { trace_.ignored(what); }};
        if (const Status done = readTraceJson(**in, file_, reader); !done) return done;
        for (const auto& [what, spans] :
             {std::pair{"spans that begin and never end (B without E)", &open_},
              std::pair{"asynchronous spans that begin and never end (b without e)", &openAsync_}})
            for (const auto& [key, open] : *spans)
                if (!open.empty()) trace_.ignored(what, static_cast<std::int64_t>(open.size()));
        return {};
    }

private:
    Status ignore(std::string_view what) {
        trace_.ignored(what);
        return {};
    }

    Status take(const TraceItem& item) {
        if (const Status room = trace_.room(); !room) return room;
        if (item.phase == "M") return meta(item);
        if (item.phase.size() != 1) return ignore("entries without a phase");
        switch (item.phase.front()) {
        case 'X': return span(item);
        case 'B': return open(item);
        case 'E': return close(item);
        case 'C': return counter(item);
        case 'i':
        case 'I':
        case 'R': return instant(item);
        case 's':
        case 't':
        case 'f': return ours_ ? Status{} : ignore("arrows between spans (flow events)");
        case 'b':
        case 'S': return openAsync(item);
        case 'e':
        case 'F': return closeAsync(item);
        case 'n':
        case 'T':
        case 'p': return instant(item);
        default: return ignore(fmt::format("events of phase \"{}\"", item.phase));
        }
    }

    bool isPredicted(const TraceItem& item) const {
        return ours_ && parseNumber<int>(item.process).value_or(0) >= predictedProcesses;
    }

    std::uint32_t processOf(const TraceItem& item) {
        std::string key = item.process;
        const auto number = parseNumber<std::int64_t>(key);
        if (isPredicted(item)) key = std::to_string(*number - predictedProcesses);
        const auto known = processes_.find(key);
        if (known != processes_.end()) return known->second;
        ForeignProcess process{.source = fmt::format("{}, process {}", file_.filename().string(), key),
                               .label = ours_ ? std::string() : key};
        process.order = number.value_or(static_cast<std::int64_t>(processes_.size()));
        if (ours_) process.rank = parseNumber<int>(key);
        else if (number && *number > 0 && *number < 1 << 30) process.pid = static_cast<int>(*number);
        return processes_[key] = trace_.addProcess(std::move(process));
    }

    Status meta(const TraceItem& item) {
        if (item.name == "process_name") {
            ForeignProcess& process = trace_.process(processOf(item));
            const std::string title = item.text("name");
            const std::size_t open = title.find('(');
            if (ours_)
                process.label =
                    open == std::string::npos ? std::string() : title.substr(open + 1, title.size() - open - 2);
            else process.label = title;
        } else if (item.name == "process_sort_index") {
            if (const auto index = item.number("sort_index"); index && std::abs(*index) < 1e15)
                trace_.process(processOf(item)).order = static_cast<std::int64_t>(*index);
        } else if (item.name == "thread_name" && !ours_) {
            const std::uint32_t process = processOf(item);
            if (const auto lane = laneNamedBy(item.text("name")))
                trace_.setLane(process, trace_.thread(process, item.thread), *lane);
        }
        return {};
    }

    ForeignEvent foreign(const TraceItem& item, EventKind kind, std::int64_t begin, std::int64_t end) {
        ForeignEvent event;
        event.process = processOf(item);
        event.thread = trace_.thread(event.process, item.thread);
        event.event = {.begin = begin, .end = end, .action = trace_.name(item.name), .lane = Lane::Host, .kind = kind};
        return event;
    }

    Status span(const TraceItem& item) {
        std::int64_t end = 0;
        if (!item.begin || !item.duration || __builtin_add_overflow(*item.begin, *item.duration, &end))
            return ignore("spans without a time or a duration");
        if (ours_) return ourSpan(item, end);
        ForeignEvent event = foreign(item, EventKind::Operation, *item.begin, end);
        event.outermost = EventKind::Kernel;
        return trace_.add(event);
    }

    Status ourSpan(const TraceItem& item, std::int64_t end) {
        const std::string kindText = item.text("kind");
        const auto kind = kindNamed(kindText.empty() ? item.name : kindText);
        if (!kind || !isSpan(*kind)) return ignore("spans of a kind that this version does not know");
        ForeignEvent event = foreign(item, *kind, *item.begin, end);
        event.predicted = isPredicted(item);
        event.event.lane = laneNamed(item.category).value_or(Lane::Host);
        event.event.bytes = parseNumber<std::int64_t>(item.text("bytes")).value_or(0);
        event.event.value = item.number("value").value_or(0);
        event.event.step = parseNumber<std::int32_t>(item.text("step")).value_or(-1);
        if (kindText.empty()) event.event.action = 0;
        if (const std::string action = item.text("action"); !action.empty()) {
            const auto known = parseAction(action);
            if (!known) return ignore("spans whose action is none");
            event.event.action = actionId(*known);
        }
        if (*kind == EventKind::Step && !event.predicted)
            trace_.addStep(event.process, event.event.step, *item.begin, end);
        return trace_.add(event);
    }

    Status open(const TraceItem& item) { return open(item, open_[item.process + '/' + item.thread]); }

    Status open(const TraceItem& item, std::vector<TraceItem>& spans) {
        if (!item.begin) return ignore("spans without a time or a duration");
        TraceItem opened = item;
        if (!ours_) opened.arguments.clear();
        openBytes_ += bytesOf(opened);
        if (openBytes_ > mostOpenBytes)
            return fail(
                {say("cannot import the trace"), file_.string(),
                 say("more spans have begun and not ended (B without E) than fit into {}", formatBytes(mostOpenBytes)),
                 say("A trace whose spans end, or have a duration (X)")});
        spans.push_back(std::move(opened));
        return {};
    }

    /// Asynchronous spans belong together by category and id, which is the process's own where it is called local.
    static std::string asyncKey(const TraceItem& item) {
        const std::string local = item.text("local"), global = item.text("global");
        return fmt::format("{}/{}/{}", item.category, local.empty() ? std::string() : item.process,
                           !item.id.empty() ? item.id
                           : local.empty()  ? global
                                            : local);
    }

    Status openAsync(const TraceItem& item) { return open(item, openAsync_[asyncKey(item)]); }

    /// Ends the last one of its name that began, in its own process where there is one: several ranks may count alike.
    Status closeAsync(const TraceItem& item) {
        const auto known = openAsync_.find(asyncKey(item));
        if (known == openAsync_.end()) return ignore("ends of asynchronous spans that did not begin (e without b)");
        std::vector<TraceItem>& spans = known->second;
        const auto last = [&](const auto& fits) {
            const auto most = static_cast<std::ptrdiff_t>(std::min(spans.size(), mostAsyncSearched));
            const auto found = std::find_if(spans.rbegin(), spans.rbegin() + most, [&](const TraceItem& span) {
                return (span.name == item.name || item.name.empty()) && fits(span);
            });
            return found == spans.rbegin() + most ? spans.rend() : found;
        };
        auto found = last([&](const TraceItem& span) { return span.process == item.process; });
        if (found == spans.rend()) found = last([](const TraceItem&) { return true; });
        if (!item.begin || found == spans.rend())
            return ignore("ends of asynchronous spans that did not begin (e without b)");
        TraceItem whole = std::move(*found);
        spans.erase(std::next(found).base());
        openBytes_ -= bytesOf(whole);
        if (spans.empty()) openAsync_.erase(known);
        return trace_.add(foreign(whole, EventKind::Operation, *whole.begin, *item.begin));
    }

    /// What an open span takes of memory.
    static std::size_t bytesOf(const TraceItem& item) {
        std::size_t bytes = sizeof item + item.name.size() + item.category.size();
        for (const auto& [key, value] : item.arguments)
            bytes += sizeof key + sizeof value + key.size() + value.text.size();
        return bytes + item.process.size() + item.thread.size();
    }

    Status close(const TraceItem& item) {
        const auto stack = open_.find(item.process + '/' + item.thread);
        if (!item.begin || stack == open_.end() || stack->second.empty())
            return ignore("ends of spans that did not begin (E without B)");
        TraceItem whole = std::move(stack->second.back());
        stack->second.pop_back();
        openBytes_ -= bytesOf(whole);
        if (stack->second.empty()) open_.erase(stack);
        std::int64_t lasted = 0;
        if (__builtin_sub_overflow(*item.begin, *whole.begin, &lasted))
            return ignore("spans without a time or a duration");
        whole.duration = lasted;
        return span(whole);
    }

    Status counter(const TraceItem& item) {
        if (!item.begin) return ignore("counters without a time");
        if (ours_ && item.name == "memory") return ourMemory(item);
        const auto kind = ours_ ? kindNamed(item.name) : std::nullopt;
        for (const auto& [key, value] : item.arguments) {
            const auto number = item.number(key);
            if (!number) continue;
            ForeignEvent event = foreign(item, kind.value_or(EventKind::NamedCounter), *item.begin, *item.begin);
            if (kind) event.event.action = 0;
            else if (item.arguments.size() > 1) event.event.action = trace_.name(item.name + " · " + key);
            if (ours_ && key == "bytes") event.event.bytes = parseNumber<std::int64_t>(value.text).value_or(0);
            else event.event.value = *number;
            if (const Status added = trace_.add(event); !added) return added;
        }
        return {};
    }

    /// One counter with a part for each category: those that changed are events.
    Status ourMemory(const TraceItem& item) {
        MemoryBytes& last = memory_[processOf(item)];
        for (int i = 0; i < memoryCategoryCount; ++i) {
            const auto category = static_cast<MemoryCategory>(i);
            const auto bytes = parseNumber<std::int64_t>(item.text(name(category)));
            if (!bytes || *bytes == last[static_cast<std::size_t>(i)]) continue;
            last[static_cast<std::size_t>(i)] = *bytes;
            ForeignEvent event = foreign(item, memoryKind(category), *item.begin, *item.begin);
            event.event.action = 0;
            event.event.bytes = *bytes;
            if (const Status added = trace_.add(event); !added) return added;
        }
        return {};
    }

    Status instant(const TraceItem& item) {
        if (!item.begin) return ignore("instants without a time");
        const auto kind = ours_ ? kindNamed(item.name) : std::nullopt;
        ForeignEvent event = foreign(item, kind.value_or(EventKind::Mark), *item.begin, *item.begin);
        if (kind) {
            event.event.action = 0;
            event.event.lane = laneNamed(item.category).value_or(Lane::Host);
            event.event.step = parseNumber<std::int32_t>(item.text("step")).value_or(-1);
            event.event.value = valueOf(item);
        }
        return trace_.add(event);
    }

    static double valueOf(const TraceItem& item) {
        const std::string text = item.text("value");
        for (const Command command : {Command::Pause, Command::Resume, Command::StepOnce, Command::Stop,
                                      Command::Checkpoint, Command::Resize, Command::InjectFault})
            if (text == name(command)) return static_cast<double>(command);
        return parseNumber<double>(text).value_or(0);
    }

    const std::filesystem::path& file_;
    ForeignTrace& trace_;
    bool ours_ = false;
    std::map<std::string, std::uint32_t> processes_;
    std::map<std::string, std::vector<TraceItem>> open_;       ///< of each thread, outermost first
    std::map<std::string, std::vector<TraceItem>> openAsync_;  ///< by what makes them belong together, as they began
    std::size_t openBytes_ = 0;
    std::map<std::uint32_t, MemoryBytes> memory_;
};

}  // namespace

Status readChrome(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher) {
    return ChromeReader(file, trace).read(watcher);
}

}  // namespace shardlab::trace
