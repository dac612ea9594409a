// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/row_words.h"

#include "engine/base/words.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/trace/trainers/megatron_modules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace shardlab::predict {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

bool isNumber(const std::string& word) {
    constexpr std::size_t mostDigits = 6;
    return !word.empty() && word.size() <= mostDigits &&
           std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// The word is one of the family's, or the family and a number: llama, llama2.
bool ofFamily(const std::string& word, std::string_view family) {
    return word.starts_with(family) && (word.size() == family.size() || isNumber(word.substr(family.size())));
}

/// A model of a family has the blocks of this kind.
struct Family {
    std::string_view name;
    ModelKind kind;
};
constexpr std::array families{
    Family{"gpt", ModelKind::Gpt},           Family{"mpt", ModelKind::Gpt},
    Family{"opt", ModelKind::Gpt},           Family{"nemotron", ModelKind::Gpt},
    Family{"llama", ModelKind::Llama},       Family{"codellama", ModelKind::Llama},
    Family{"tinyllama", ModelKind::Llama},   Family{"internlm", ModelKind::Llama},
    Family{"mistral", ModelKind::Llama},     Family{"qwen", ModelKind::Llama},
    Family{"moe", ModelKind::LlamaMoe},      Family{"mixtral", ModelKind::LlamaMoe},
    Family{"deepseek", ModelKind::LlamaMoe}, Family{"grok", ModelKind::LlamaMoe},
};

constexpr unsigned saysBf16 = 1, saysFp16 = 2, saysFp8 = 4, saysBlocks = 8, saysMxFp8 = 16, saysNvFp4 = 32,
                   saysRows = 64;
/// A word of a number format. How a tensor's scales are found no row is asked.
struct FormatWord {
    std::string_view word;
    unsigned meaning;
};
constexpr std::array formatWords{
    FormatWord{"bf16", saysBf16},
    FormatWord{"bfloat16", saysBf16},
    FormatWord{"fp16", saysFp16},
    FormatWord{"float16", saysFp16},
    FormatWord{"half", saysFp16},
    FormatWord{"fp8", saysFp8},
    FormatWord{"float8", saysFp8},
    FormatWord{"blocks", saysBlocks},
    FormatWord{"blockwise", saysBlocks},
    FormatWord{"rowwise", saysRows},
    FormatWord{"mxfp8", saysMxFp8},
    FormatWord{"mx", saysMxFp8},
    FormatWord{"nvfp4", saysNvFp4},
    FormatWord{"amp", 0},
    FormatWord{"mixed", 0},
    FormatWord{"precision", 0},
    FormatWord{"delayed", 0},
    FormatWord{"current", 0},
    FormatWord{"scaling", 0},
    FormatWord{"tensorwise", 0},
    FormatWord{"hybrid", 0},
};

/// "80", "80gb", "80g" or "80gib"; 0: the word is no memory.
int gigabytes(const std::string& word) {
    const std::size_t digits =
        std::ranges::find_if(word, [](unsigned char c) { return !std::isdigit(c); }) - word.begin();
    const std::string_view unit = std::string_view(word).substr(digits);
    const bool memory = unit.empty() || unit == "g" || unit == "gb" || unit == "gib";
    return memory && digits > 1 && digits < 4 ? std::stoi(word) : 0;
}

/// Sources round, and take GB for GiB.
bool isMemory(int stated, std::int64_t bytes) {
    constexpr double gb = 1e9, gib = 1 << 30, rounding = 0.07;
    const auto near = [&](double unit) { return std::abs(static_cast<double>(bytes) / unit / stated - 1) < rounding; };
    return near(gb) || near(gib);
}

std::string namesOf(const std::vector<const DevicePreset*>& devices) {
    std::string names;
    for (const DevicePreset* device : devices) names += (names.empty() ? "" : ", ") + device->name;
    return names;
}

}  // namespace

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

const DevicePreset& deviceOf(std::string_view text) {
    const std::string said = lower(text);
    const DevicePreset* best = nullptr;
    for (const DevicePreset& device : devicePresets())
        if (said.starts_with(device.name) && !device.architecture.empty() &&
            (best == nullptr || device.name.size() > best->name.size()))
            best = &device;
    if (best != nullptr) return *best;
    Words words = wordsOf(said);
    std::erase_if(words, [](const std::string& word) { return word.starts_with("nvl") && word.size() > 3; });  // NVL72
    std::vector<const DevicePreset*> found;
    for (const DevicePreset& device : devicePresets()) {
        const Words own = wordsOf(device.name);  // family, form, and what tells it from others of the family
        if (device.architecture.empty() || !has(words, own.front()) || has(words, "pcie") || has(words, "nvl"))
            continue;
        const bool special = std::ranges::any_of(own, [&](const std::string& word) {
            return word != own.front() && word != "sxm" && !isNumber(word) && !has(words, word);
        });
        const bool other = std::ranges::any_of(words, [&](const std::string& word) {
            const int stated = gigabytes(word);
            return stated > 0 && !isMemory(stated, device.memoryBytes);
        });
        if (!special && !other) found.push_back(&device);
    }
    if (found.empty()) throw Refusal{fmt::format("the device {} is not known", text)};
    if (found.size() > 1) throw Refusal{fmt::format("the device {} may be any of {}", text, namesOf(found))};
    return *found.front();
}

RowFormats formatsOf(std::string_view text) {
    const Words words = wordsOf(text);
    unsigned said = 0;
    for (const std::string& word : words) {
        const auto* const known = std::ranges::find(formatWords, word, &FormatWord::word);
        if (known == formatWords.end()) throw Refusal{fmt::format("the number format {} is not known", text)};
        said |= known->meaning;
    }
    switch (said & ~saysBf16) {
    case 0:
        if (words.empty() || said == saysBf16) return {};
        break;
    case saysFp16:
        if (said == saysFp16) return {NumberFormat::Fp16, ProductFormat::Compute};
        break;
    case saysFp8: return {NumberFormat::Bf16, ProductFormat::Fp8};
    case saysFp8 | saysBlocks: return {NumberFormat::Bf16, ProductFormat::Fp8Blocks};
    case saysFp8 | saysRows: return {NumberFormat::Bf16, ProductFormat::Fp8Rows};
    case saysMxFp8:
    case saysMxFp8 | saysFp8: return {NumberFormat::Bf16, ProductFormat::MxFp8};
    case saysNvFp4: return {NumberFormat::Bf16, ProductFormat::NvFp4};
    default: break;
    }
    throw Refusal{fmt::format("the number format {} is not known", text)};
}

RowSharding shardingOf(std::string_view text) {
    Words words = wordsOf(text);
    std::erase_if(words, [](const std::string& word) {
        return word == "zero" || word == "stage" || word == "group" || word == "size";
    });
    if (words.empty() && text.empty()) return {};
    const auto refuse = [&] { return Refusal{fmt::format("the sharding {} is not known", text)}; };
    if (words.empty()) throw refuse();
    const std::string first = words.front();
    if (words.size() == 1) {
        const std::string stage = first.starts_with("zero") ? first.substr(4) : first;
        if (stage.size() == 1 && stage >= "0" && stage <= "3") return {stage.front() - '0', false, 0};
        if (first == "no" || first == "none" || first == "ddp") return {};
        if (first == "fsdp" || first == "fsdp1" || first == "fsdp2") return {3, false, 0};
        if (first == "hsdp") return {3, true, 0};
    }
    if (words == Words{"fsdp", "3"} && lower(text).find("zero") != std::string::npos) return {3, false, 0};
    if (words == Words{"full", "shard"}) return {3, false, 0};
    if (words == Words{"hybrid", "shard"}) return {3, true, 0};
    if (words == Words{"distributed", "optimizer"}) return {1, false, 0};
    if (words.size() == 2 && (first == "fsdp" || first == "fsdp2" || first == "hsdp") && isNumber(words.back()) &&
        std::stoi(words.back()) > 0)
        return {3, false, std::stoi(words.back())};
    throw refuse();
}

ModelKind modelKindOf(std::string_view text) {
    const auto known = kindOf<ModelKind>(text);
    if (known && traits(*known).weights != WeightsFormat::None) return *known;
    Words words = wordsOf(text);
    // A version or a size may follow the family: llama-3.1, llama2 7b, gpt-3 175b, deepseek-v3.
    const auto size = [](const std::string& word) {
        return isNumber(word) || (word.starts_with('v') && isNumber(word.substr(1))) ||
               (word.size() > 1 && word.back() == 'b' && isNumber(word.substr(0, word.size() - 1)));
    };
    for (const Family& family : families)
        if (!words.empty() && ofFamily(words.front(), family.name) && std::all_of(words.begin() + 1, words.end(), size))
            return family.kind;
    throw Refusal{fmt::format("the model kind {} is not known", text)};
}

RowRecompute recomputeOf(std::string_view text, const ModelSpec& model, int stages) {
    const Words words = wordsOf(text);
    const auto refuse = [&] { return Refusal{fmt::format("the recomputation \"{}\" is not known", text)}; };
    if (words.empty() || words == Words{"none"} || words == Words{"no"}) return {};
    const std::set<std::string, std::less<>> said(words.begin(), words.end());
    const int ofStage = model.layers / stages;
    const auto of = [&](int blocks) {
        if (blocks < 1) throw refuse();
        return RowRecompute{RecomputeKind::Full, blocks, {}};
    };
    if (words.front() == "full") {
        if (words.size() == 1) return {RecomputeKind::Full, 0, {}};
        // "full, 20 of 80 layers"
        if (words.size() == 5 && isNumber(words[1]) && words[2] == "of" && words.back() == "layers")
            return of(std::stoi(words[1]) / stages);
        throw refuse();
    }
    if (words.front() != "selective") throw refuse();
    const Words rest(words.begin() + 1, words.end());
    // torchtitan's own file of that model says op.
    if (rest == Words{"op"} || rest == Words{"llama3", "8b", "toml", "default"})
        return {RecomputeKind::Operations, 0, {}};
    // "every 2nd layer": which blocks are computed again changes neither the time nor the memory; how many does.
    if (rest.size() == 3 && rest.front() == "every" && rest.back() == "layer") {
        const int every = std::atoi(rest[1].c_str());
        return every < 1 ? throw refuse() : every == 1 ? RowRecompute{RecomputeKind::Full, 0, {}} : of(ofStage / every);
    }
    std::set<std::string, std::less<>> modules;
    std::string name;
    for (const char c : lower(text) + "/") {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
        else if (!name.empty()) modules.insert(std::exchange(name, {}));
    }
    modules.erase("selective");
    modules.erase("modules");
    if (modules.empty()) modules.insert("core_attn");
    WordSet<RecomputePart> parts;
    for (const std::string& module : modules) {
        const auto part = trace::partOfModule(module);
        if (!part) throw refuse();
        parts.set(*part, true);
    }
    MemorySpec memory;
    recomputeParts(model, parts, memory);
    return {memory.recompute, 0, memory.recomputeParts};
}

std::string scheduleOf(std::string_view text, int chunks) {
    const std::string said = lower(text);
    const auto says = [&](std::string_view word) { return said.find(word) != std::string::npos; };
    if (says("zb-1p") || says("zb-h1")) return "zb-h1";
    if (says("zb-2p")) return "zb-greedy";
    if (says("zb-v") || says("zbv")) return "zb-v";
    if (says("gpipe") || says("afab")) return "gpipe";
    if (says("interleav") && chunks == 1) throw Refusal{"its schedule is interleaved, and its chunks are not stated"};
    if (said.empty() || says("1f1b") || says("interleav")) return chunks > 1 ? "interleaved-1f1b" : "1f1b";
    throw Refusal{fmt::format("the schedule {} is not known", text)};
}

}  // namespace shardlab::predict
