// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/import.h"

#include "engine/base/units.h"
#include "engine/trace/interchange/memory_snapshot.h"
#include "engine/trace/interchange/foreign_trace.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/interchange/trace_json.h"
#include "engine/trace/interchange/training_log.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <istream>

namespace shardlab::trace {
namespace {

constexpr std::array knownImports{
    ImportFormat{"kineto", "PyTorch profiler", "JSON of torch.profiler (Kineto), one file per rank, also .json.gz",
                 readKineto},
    ImportFormat{"chrome", "Chrome trace", "JSON of chrome://tracing, also .json.gz", readChrome},
    ImportFormat{"memory-snapshot", "PyTorch memory snapshot",
                 "Pickle of torch.cuda.memory._dump_snapshot(), one file per rank", readMemory},
    ImportFormat{
        "log", "training log",
        "Text that Megatron-LM, NeMo, torchtitan, DeepSpeed, Hugging Face's Trainer and others print of each step, "
        "JSON with an object for each, or trainer_state.json, also .gz",
        readLog},
    ImportFormat{"nsight", "Nsight Systems", "SQLite export of Nsight Systems (nsys export --type sqlite)", readNsight},
};

constexpr double readShare = 0.8;  ///< of the whole import, the rest is sorting and writing
constexpr std::size_t looked = 64 * 1024;

Sentence legalFormats() {
    Sentence all;
    for (const ImportFormat& format : knownImports) {
        const Sentence one = termOf(format.description);
        all = all.empty() ? one : say("{}; {}", all, one);
    }
    return say("Importable are: {}", all);
}

}  // namespace

std::span<const ImportFormat> importFormats() { return knownImports; }

Result<ImportFormat> findImportFormat(std::string_view name) {
    const auto found = std::ranges::find(knownImports, name, &ImportFormat::name);
    if (found != knownImports.end()) return *found;
    return fail({say("unknown import format"), std::string(name), "", legalFormats()});
}

Result<ImportFormat> detectImportFormat(const std::filesystem::path& file) {
    auto opened = InputStream::open(file, {});
    if (!opened) return fail(opened.error());
    std::string head(looked, '\0');
    std::istream in(opened->get());
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
    if ((*opened)->problem()) return fail(*(*opened)->problem());
    if (head.starts_with("SQLite format 3") && head.size() > 72 && std::string_view(head).substr(68, 4) == "SHLD")
        return fail({say("cannot import the trace"), file.string(), say("it is a run of Shardlab already"),
                     say("Open it, or shardlab info")});
    if (head.starts_with("SQLite format 3")) return findImportFormat("nsight");
    if (isMemorySnapshot(head)) return findImportFormat("memory-snapshot");
    const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const bool json = first != std::string::npos && (head[first] == '{' || head[first] == '[');
    if (looksLikeTrainingLog(file)) return findImportFormat("log");
    if (!json)
        return fail({say("cannot import the trace"), file.string(),
                     head.empty() ? say("it is empty") : say("its format is none that is known"), legalFormats()});
    for (const char* sign :
         {"\"schemaVersion\"", "\"deviceProperties\"", "\"baseTimeNanoseconds\"", "\"distributedInfo\""})
        if (head.find(sign) != std::string::npos) return findImportFormat("kineto");
    const char* sign = head[first] == '[' ? "\"ph\"" : "\"traceEvents\"";
    if (head.find(sign) != std::string::npos) return findImportFormat("chrome");
    return fail({say("cannot import the trace"), file.string(),
                 head[first] == '[' ? say("it is a list in JSON, but none of events")
                                    : say("it is JSON, but has no list traceEvents at its beginning"),
                 legalFormats()});
}

Sentence ImportReport::summary() const {
    const std::string count = formatCount(static_cast<double>(events)), length = formatSeconds(seconds);
    return say("imported {} events of {} from {}, {}, {}", count, ranks == 1 ? say("1 rank") : say("{} ranks", ranks),
               termOf(origin), steps == 1 ? say("1 step") : say("{} steps", steps), length);
}

std::vector<std::string> ImportReport::lines() const {
    std::vector<std::string> lines{summary().english()};
    lines.insert(lines.end(), notes.begin(), notes.end());
    for (const ImportCount& each : ignored)
        lines.push_back(fmt::format("not understood: {} {}", each.count, each.what));
    return lines;
}

Result<ImportReport> importRun(const ImportRequest& request, const ShareWatcher& watcher) {
    if (request.files.empty()) return fail({say("nothing to import"), "", say("no file was named"), legalFormats()});
    std::vector<std::uint64_t> sizes;
    std::uint64_t whole = 0;
    std::vector<std::string> names;
    std::optional<ImportFormat> format;
    for (const auto& file : request.files) {
        const auto found = request.format.empty() ? detectImportFormat(file) : findImportFormat(request.format);
        if (!found) return fail(found.error());
        if (format && format->name != found->name)
            return fail({say("cannot import the traces together"), file.string(),
                         say("it is a {}, the one before a {}", termOf(found->title), termOf(format->title)),
                         say("Files of one format")});
        format = *found;
        std::error_code unknown;
        sizes.push_back(std::filesystem::file_size(file, unknown));
        if (unknown) sizes.back() = 1;
        whole += sizes.back();
        names.push_back(file.filename().string());
    }
    ForeignTrace trace(request.out.has_parent_path() ? request.out.parent_path() : std::filesystem::path("."),
                       request.expected);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < request.files.size(); ++i) {
        const auto share = [&](double done) {
            const double read = static_cast<double>(before) + done * static_cast<double>(sizes[i]);
            return !watcher || watcher(readShare * read / static_cast<double>(std::max<std::uint64_t>(whole, 1)));
        };
        if (const Status read = format->read(request.files[i], trace, share); !read) return fail(read.error());
        before += sizes[i];
    }
    const auto share = [&](double done) { return !watcher || watcher(readShare + (1 - readShare) * done); };
    return trace.write(request.out, format->title, names, share);
}

}  // namespace shardlab::trace
