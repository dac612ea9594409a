// SPDX-License-Identifier: Apache-2.0
// Kineto: what torch.profiler exports. One file is one process; its kernels are the compute lane, NCCL's the comm lane,
// copies the copy lane, and what the host did lies nested on the host lane. Without a device the outermost operations
// of each thread are the compute lane. README of tests/trace/traces says what of the format is read.
#include "engine/base/parse_text.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/interchange/pipeline_spans.h"
#include "engine/trace/interchange/tensor_bytes.h"
#include "engine/trace/interchange/trace_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace shardlab::trace {
namespace {

constexpr std::size_t mostTitles = 100'000;
constexpr std::string_view stepPrefix = "ProfilerStep#";
constexpr std::string_view optimizerPrefix = "Optimizer.step#";
constexpr std::string_view glooPrefix = "gloo:";
constexpr std::string_view backwardPrefix = "autograd::engine::evaluate_function";

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

std::int64_t bytesOf(const TraceItem& item, std::string_view key) {
    const auto number = item.number(key);
    return number && *number >= 0 && *number < 9e18 ? static_cast<std::int64_t>(*number) : 0;
}

/// What joins a kernel or copy to the call that asked for it.
std::uint32_t correlationOf(const TraceItem& item) {
    const std::int64_t number = bytesOf(item, "correlation");
    return number <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(number) : 0;
}

class KinetoReader {
public:
    KinetoReader(const std::filesystem::path& file, ForeignTrace& trace) : file_(file), trace_(trace) {}

    Status read(const ShareWatcher& watcher) {
        auto in = InputStream::open(file_, watcher);
        if (!in) return fail(in.error());
        process_ = trace_.addProcess({.source = file_.filename().string(), .cyclic = true});
        const TraceReader reader{[this](const std::string& path, const TraceValue& value) { fact(path, value); },
                                 [this](const TraceItem& item) { return take(item); },
                                 [this](const char* what) { trace_.ignored(what); }};
        if (const Status done = readTraceJson(**in, file_, reader); !done) return done;
        ForeignProcess& process = trace_.process(process_);
        if (late_)
            return fail({say("cannot import the trace"), file_.string(),
                         say("baseTimeNanoseconds comes after the events it belongs to"),
                         say("A file as torch.profiler writes it")});
        if (!process.rank) trace_.note(process.source + " does not say which rank it is (no distributedInfo)");
        if (const Status added = pipeline_.addTo(trace_, process_); !added) return added;
        process.label = !process.host.empty() ? process.host : titles_[std::to_string(process.pid)];
        return {};
    }

private:
    void fact(const std::string& path, const TraceValue& value) {
        ForeignProcess& process = trace_.process(process_);
        if (path == "distributedInfo/rank") process.rank = parseNumber<std::int32_t>(value.text);
        else if (path == "host_name") process.host = value.text;
        else if (path == "baseTimeNanoseconds") {
            std::from_chars(value.text.data(), value.text.data() + value.text.size(), base_);
            late_ = seen_ && base_ != 0;
        }
    }

    Status take(const TraceItem& item) {
        if (item.phase == "M") {
            if (item.name == "process_name" && titles_.size() < mostTitles) titles_[item.process] = item.text("name");
            if (item.name == "process_labels" && item.text("labels") == "CPU")
                trace_.process(process_).pid = parseNumber<std::int32_t>(item.process).value_or(0);
            return {};
        }
        // The recorder's own frame, beside what it recorded.
        if (item.category == "Trace" || isOneOf(item.process, {"Spans", "Traces", ""})) return {};
        if (isOneOf(item.phase, {"s", "t", "f"})) return ignore("arrows between spans (flow events)");
        if (item.phase == "X") return span(item);
        if (isOneOf(item.phase, {"i", "I"})) return instant(item);
        if (item.phase == "C") return counter(item);
        return ignore(item.phase.empty() ? std::string("entries without a phase")
                                         : fmt::format("events of phase \"{}\"", item.phase.substr(0, 8)));
    }

    Status ignore(std::string_view what) {
        trace_.ignored(what);
        return {};
    }

    /// On the clock that all files share; none: it has no time, or one that cannot be.
    std::optional<std::int64_t> timeOf(const TraceItem& item) {
        seen_ = true;
        std::int64_t time = 0;
        if (!item.begin || __builtin_add_overflow(*item.begin, base_, &time) || time > std::int64_t{1} << 62 ||
            time < -(std::int64_t{1} << 62))
            return std::nullopt;
        return time;
    }

    ForeignEvent foreign(const TraceItem& item, EventKind kind, Lane lane, std::int64_t begin, std::int64_t end) {
        ForeignEvent event;
        event.process = process_;
        event.thread = trace_.thread(process_, item.process + '/' + item.thread);
        event.event = {.begin = begin, .end = end, .action = trace_.name(item.name), .lane = lane, .kind = kind};
        if (lane != Lane::Host) event.launch = correlationOf(item);
        return event;
    }

    Status span(const TraceItem& item) {
        const auto begin = timeOf(item);
        if (!begin || !item.duration || *item.duration < 0) return ignore("spans without a time or a duration");
        const std::int64_t end = *begin + *item.duration;
        const std::string& category = item.category;
        if (isOneOf(category, {"kernel", "Kernel"})) return kernel(item, *begin, end);
        if (isOneOf(category, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"})) {
            ForeignEvent event = foreign(item, EventKind::MemoryCopy, Lane::Copy, *begin, end);
            event.event.bytes = bytesOf(item, "bytes");
            return trace_.add(event);
        }
        if (isOneOf(category, {"user_annotation", "gpu_user_annotation"}))
            return annotation(item, *begin, end, category.starts_with("gpu"));
        if (isOneOf(category, {"cuda_runtime", "cuda_driver", "Runtime"}))
            if (const std::uint32_t correlation = correlationOf(item); correlation != 0)
                trace_.addLaunch(process_, correlation, *begin);
        ForeignEvent event = foreign(item, EventKind::Operation, Lane::Host, *begin, end);
        if (isOneOf(category, {"cpu_op", "Operator"}))
            event.outermost = item.name.starts_with(backwardPrefix) ? EventKind::Backward : EventKind::Kernel;
        return trace_.add(event);
    }

    Status kernel(const TraceItem& item, std::int64_t begin, std::int64_t end) {
        if (!item.name.starts_with("nccl")) {
            const ForeignEvent event = foreign(item, EventKind::Kernel, Lane::Compute, begin, end);
            pipeline_.compute(event.thread);
            return trace_.add(event);
        }
        ForeignEvent event = foreign(item, EventKind::Collective, Lane::Comm, begin, end);
        const std::int64_t elements = std::max(bytesOf(item, "In msg nelems"), bytesOf(item, "Out msg nelems"));
        if (elements < std::int64_t{1} << 58) event.event.bytes = elements * elementBytes(item.text("dtype"));
        trace_.process(process_).device = true;
        if (item.name.find("SendRecv") == std::string::npos) return trace_.add(event);
        const std::string side = item.text("Collective name");
        pipeline_.exchange(event, side == "send"   ? MessageSide::Send
                                  : side == "recv" ? MessageSide::Receive
                                                   : MessageSide::Unknown);
        return {};
    }

    Status annotation(const TraceItem& item, std::int64_t begin, std::int64_t end, bool device) {
        if (item.name.starts_with(stepPrefix)) {
            const auto step = parseNumber<std::int32_t>(std::string_view(item.name).substr(stepPrefix.size()));
            if (step && *step >= 0) {
                if (device) return {};  // spans what the step's thread asked for, not the backward's
                trace_.addStep(process_, *step, begin, end);
                ForeignEvent event = foreign(item, EventKind::Step, Lane::Host, begin, end);
                event.event.step = *step;
                event.event.action = 0;
                return trace_.add(event);
            }
        }
        // Gloo's threads name what they do; NCCL's names are those of the calls, whose work its kernels are.
        if (item.name.starts_with(glooPrefix)) return gloo(item, begin, end);
        ForeignEvent event = foreign(item, EventKind::Annotation, Lane::Host, begin, end);
        if (const auto name = pipelineName(item.name))
            pipeline_.annotate(*name, event, device, static_cast<std::uint64_t>(bytesOf(item, "External id")));
        if (item.name.starts_with(optimizerPrefix)) event.outermost = EventKind::Optimizer;
        return trace_.add(event);
    }

    /// A collective of gloo, whose bytes are known where the profiler recorded shapes.
    Status gloo(const TraceItem& item, std::int64_t begin, std::int64_t end) {
        ForeignEvent event = foreign(item, EventKind::Collective, Lane::Comm, begin, end);
        event.event.bytes = tensorBytes(item.list("Input Dims"), item.list("Input type"));
        const std::string_view call = std::string_view(item.name).substr(glooPrefix.size());
        if (call == "send") pipeline_.exchange(event, MessageSide::Send);
        else if (call == "recv") pipeline_.exchange(event, MessageSide::Receive);
        else return trace_.add(event);
        return {};
    }

    Status instant(const TraceItem& item) {
        const auto time = timeOf(item);
        if (!time) return ignore("instants without a time");
        if (item.name == "[memory]") return memory(item, *time);
        return trace_.add(foreign(item, EventKind::Mark, Lane::Host, *time, *time));
    }

    /// Device types are PyTorch's: 0 the host, 1 CUDA. A step's peak is that of the device, where there is one.
    Status memory(const TraceItem& item, std::int64_t time) {
        const auto held = item.number("Total Allocated");
        if (!held) return ignore("memory events without \"Total Allocated\"");
        const bool device = item.number("Device Type").value_or(0) != 0;
        const std::string index = device ? fmt::format(", device {}", item.text("Device Id")) : std::string(", host");
        TraceItem counter = item;
        counter.name = "memory allocated" + index;
        ForeignEvent event = foreign(counter, EventKind::NamedCounter, Lane::Host, time, time);
        event.event.bytes = bytesOf(item, "Total Allocated");
        event.event.value = static_cast<double>(event.event.bytes);
        // Until a device's memory is told, the host's stands for it.
        if (device && !deviceMemory_) trace_.forgetMemory(process_);
        deviceMemory_ = deviceMemory_ || device;
        if (device == deviceMemory_) trace_.addMemory(process_, time, event.event.bytes);
        return trace_.add(event);
    }

    Status counter(const TraceItem& item) {
        const auto time = timeOf(item);
        if (!time) return ignore("counters without a time");
        for (const auto& [key, value] : item.arguments) {
            const auto number = item.number(key);
            if (!number) continue;
            TraceItem named = item;
            if (item.arguments.size() > 1) named.name += " · " + key;
            ForeignEvent event = foreign(named, EventKind::NamedCounter, Lane::Host, *time, *time);
            event.event.value = *number;
            if (const Status added = trace_.add(event); !added) return added;
        }
        return {};
    }

    const std::filesystem::path& file_;
    ForeignTrace& trace_;
    PipelineSpans pipeline_;
    std::uint32_t process_ = 0;
    std::map<std::string, std::string> titles_;  ///< of the processes in the file
    std::int64_t base_ = 0;
    bool seen_ = false;
    bool late_ = false;
    bool deviceMemory_ = false;
};

}  // namespace

Status readKineto(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher) {
    return KinetoReader(file, trace).read(watcher);
}

}  // namespace shardlab::trace
