// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/files_read.h"

#include "engine/launch/hosts/this_machine.h"
#include "engine/layout/fault.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace shardlab {
namespace {

/// Why it cannot be read; empty: it can.
std::string obstacle(const ReadFile& file) {
    if (access(file.path.c_str(), R_OK) != 0) {
        if (errno == ENOENT) return "there is no " + file.path;
        return file.path + ": " + std::strerror(errno);
    }
    std::error_code unknown;
    if (!file.folder && std::filesystem::is_directory(file.path, unknown)) return file.path + " is a folder";
    return {};
}

}  // namespace

std::vector<ReadFile> filesRead(const Layout& layout, bool resumes) {
    const DataSpec& data = layout.data;
    std::vector<ReadFile> files;
    if (data.kind == "text")
        files.push_back({"/data/path", data.path, "the text", "the path of a UTF-8 file, or data.kind generator", false});
    if (data.kind == "tokens")
        files.push_back({"/data/path", data.path, "the tokens", "a .bin file, or a folder of them"});
    if (data.tokenizer == "gpt2" && data.kind != "tokens")
        files.push_back({"/data/tokenizer_path", data.tokenizerPath, "the tokenizer",
                         "the folder of vocab.json and merges.txt, or data.tokenizer bytes"});
    if (!layout.model.weights.empty() && !resumes)
        files.push_back({"/model/weights", layout.model.weights, "the weights",
                         "safetensors files of GPT-2 or their folder, or no weights"});
    return files;
}

Status canReadFiles(const Layout& layout, bool resumes) {
    std::vector<Fault> faults;
    for (const ReadFile& file : filesRead(layout, resumes))
        if (std::string why = obstacle(file); !why.empty())
            faults.push_back({file.pointer, file.what + " cannot be read", std::move(why), file.legal});
    // Last, since it may ask the network.
    const auto here = [](const HostSpec& host) { return isThisMachine(host.name); };
    if (faults.empty() || std::ranges::none_of(layout.cluster.hosts, here)) return {};
    std::string lines = toText(faults);
    lines.pop_back();  // the line break
    return fail(Error{"the layout cannot run", layout.name, std::move(lines), {}});
}

}  // namespace shardlab
