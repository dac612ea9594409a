// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/input_files.h"

#include "engine/launch/hosts/this_machine.h"
#include "engine/layout/data/json_lines.h"
#include "engine/layout/data/token_format.h"
#include "engine/layout/data/tokenizer.h"
#include "engine/trace/checkpoint/state_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace shardlab::launch {
namespace {

/// Says why the file cannot be read; empty: it can.
std::string obstacle(const ReadFile& file) {
    if (access(file.path.c_str(), R_OK) != 0) {
        if (errno == ENOENT) return "there is no " + file.path;
        return file.path + ": " + std::strerror(errno);
    }
    std::error_code unknown;
    if (!file.folder && std::filesystem::is_directory(file.path, unknown)) return file.path + " is a folder";
    return {};
}

/// Whether files of tokens hold tokens of the vocabulary, and say where documents begin if that is asked for; and
/// whether the first lines of JSON have a text.
Status canTrainOn(const DataSpec& data, int vocabulary) {
    if (data.kind == DataKind::JsonLines) {
        constexpr std::uint64_t looked = std::uint64_t{4} << 20;
        return eachJsonLine(data.path, data.textField, looked, [](std::string_view, std::int64_t) { return Status{}; });
    }
    if (data.kind != DataKind::Tokens) return {};
    const Result<std::vector<TokenFile>> files = findTokenFiles(data.path);
    if (!files) return fail(files.error());
    for (const TokenFile& file : *files) {
        if (const Status checked = checkTokens(file, vocabulary); !checked) return checked;
        if (data.documents == DocumentBorders::Apart)
            if (const auto documents = documentsOf(file); !documents) return fail(documents.error());
    }
    return {};
}

/// Whether the tokenizer can be read, and the model knows all its tokens.
Status canTokenize(const DataSpec& data, int vocabulary) {
    const Result<Tokenizer> tokenizer = Tokenizer::load(data);
    if (!tokenizer) return fail(tokenizer.error());
    if (tokenizer->vocabulary() <= vocabulary) return {};
    return fail(Error{say("the tokenizer has more tokens than the model"), data.tokenizerPath,
                      say("its tokens go up to {}, model.vocabulary is {}", tokenizer->vocabulary() - 1, vocabulary),
                      say("model.vocabulary of at least {}", tokenizer->vocabulary())});
}

/// Whether a host is this machine; asked last, since it may ask the network.
bool runsHere(const Layout& layout) {
    return std::ranges::any_of(layout.cluster.hosts, [](const HostSpec& host) { return isThisMachine(host.name); });
}

Fault faultOf(const ReadFile& file, const Error& error) {
    return {file.pointer, error.what, error.where.empty() ? error.why : say("{}: {}", error.where, error.why),
            error.legal};
}

}  // namespace

std::vector<ReadFile> filesRead(const Layout& layout, bool resumes) {
    const DataSpec& data = layout.data;
    std::vector<ReadFile> files;
    if (data.kind == DataKind::Text)
        files.push_back(
            {"/data/path", data.path, "the text", "the path of a UTF-8 file, or data.kind generator", false});
    if (data.kind == DataKind::JsonLines)
        files.push_back({"/data/path", data.path, "the text",
                         "the path of a file with a JSON object a line, or data.kind generator", false});
    if (data.kind == DataKind::Tokens)
        files.push_back({"/data/path", data.path, "the tokens", "a .bin file, or a folder of them"});
    if (readsTokenizer(layout))
        files.push_back({"/data/tokenizer_path", data.tokenizerPath, "the tokenizer",
                         data.tokenizer == TokenizerKind::Gpt2
                             ? "the folder of vocab.json and merges.txt, or data.tokenizer bytes"
                             : "a tokenizer.json, or data.tokenizer bytes"});
    if (!layout.model.weights.empty() && !resumes)
        files.push_back({"/model/weights", layout.model.weights, "the weights",
                         "safetensors files of GPT-2 or Llama, or their folder, or no weights"});
    return files;
}

std::vector<Fault> misfits(const Layout& layout, bool resumes) {
    std::vector<Fault> faults;
    for (const ReadFile& file : filesRead(layout, resumes)) {
        if (!obstacle(file).empty()) continue;
        Status fits;
        if (file.pointer == "/model/weights") {
            DiskFileSystem files;
            const Result<StateSource> source = StateSource::ofWeights(files, file.path, layout.model);
            if (!source) fits = fail(source.error());
        } else if (file.pointer == "/data/path") {
            fits = canTrainOn(layout.data, layout.model.vocabulary);
        } else {
            fits = canTokenize(layout.data, layout.model.vocabulary);
        }
        if (!fits) faults.push_back(faultOf(file, fits.error()));
    }
    return faults.empty() || runsHere(layout) ? faults : std::vector<Fault>{};
}

std::vector<Sentence> unjudged(const Layout& layout, bool resumes) {
    std::vector<Sentence> notes;
    std::error_code ignored;
    for (const ReadFile& file : filesRead(layout, resumes))
        if (file.pointer == "/model/weights" && obstacle(file).empty() &&
            !std::filesystem::exists(weightsConfig(file.path), ignored))
            notes.push_back(say("no config.json lies beside the weights of {}: what no tensor's shape tells (heads, "
                                "activation, the norms' epsilon, the rotary embedding's base) is taken from the layout",
                                file.path));
    return notes;
}

Status canReadFiles(const Layout& layout, bool resumes) {
    std::vector<Fault> faults = misfits(layout, resumes);
    for (const ReadFile& file : filesRead(layout, resumes))
        if (const std::string why = obstacle(file); !why.empty())
            faults.push_back({file.pointer, file.what + " cannot be read", why, file.legal});
    if (faults.empty() || !runsHere(layout)) return {};
    std::string lines = toText(faults);
    lines.pop_back();  // the line break
    return fail(Error{say("the layout cannot run"), layout.name, lines, {}});
}

}  // namespace shardlab::launch
