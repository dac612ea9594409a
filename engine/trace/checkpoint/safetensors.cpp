// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/safetensors.h"

#include "engine/base/crc32c.h"
#include "engine/base/units.h"
#include "engine/layout/json_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace shardlab::trace {
namespace {

using nlohmann::json;

struct TypeWords {
    TensorType type;
    std::string_view name;
    int bytes;
};
constexpr std::array types{
    TypeWords{TensorType::F64, "F64", 8},   TypeWords{TensorType::F32, "F32", 4}, TypeWords{TensorType::F16, "F16", 2},
    TypeWords{TensorType::BF16, "BF16", 2}, TypeWords{TensorType::I64, "I64", 8}, TypeWords{TensorType::I32, "I32", 4},
    TypeWords{TensorType::I16, "I16", 2},   TypeWords{TensorType::I8, "I8", 1},   TypeWords{TensorType::U8, "U8", 1},
    TypeWords{TensorType::Bool, "BOOL", 1},
};

constexpr std::uint64_t largestHeader = 100'000'000;  // the format's own limit
constexpr std::string_view legalFile = phrase("a whole safetensors file");

tl::unexpected<Error> wrong(Sentence why) {
    return fail({say("this is no legal safetensors file"), "", std::move(why), termOf(legalFile)});
}

Result<TensorEntry> parseTensor(const std::string& name, const json& value) {
    const auto bad = [&](const Sentence& why) { return wrong(say("tensor \"{}\" {}", name.substr(0, 100), why)); };
    if (!value.is_object() || value.size() != 3) return bad(say("is not described by dtype, shape and data_offsets"));
    const auto type = value.find("dtype"), shape = value.find("shape"), offsets = value.find("data_offsets");
    if (type == value.end() || shape == value.end() || offsets == value.end())
        return bad(say("is not described by dtype, shape and data_offsets"));
    TensorEntry entry;
    entry.name = name;
    const std::string word = type->is_string() ? type->get<std::string>() : std::string();
    const auto known = std::ranges::find(types, word, &TypeWords::name);
    if (known == types.end()) return bad(say("has an unknown dtype"));
    entry.type = known->type;
    if (!shape->is_array()) return bad(say("has no shape"));
    std::uint64_t bytes = static_cast<std::uint64_t>(known->bytes);
    for (const json& extent : *shape) {
        if (!extent.is_number_unsigned()) return bad(say("has a shape that is no list of whole numbers"));
        entry.shape.push_back(static_cast<std::int64_t>(extent.get<std::uint64_t>()));
        if (entry.shape.back() < 0 || __builtin_mul_overflow(bytes, extent.get<std::uint64_t>(), &bytes))
            return bad(say("has a shape beyond counting"));
    }
    if (!offsets->is_array() || offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() ||
        !(*offsets)[1].is_number_unsigned())
        return bad(say("has data_offsets that are no two whole numbers"));
    entry.begin = (*offsets)[0].get<std::uint64_t>();
    entry.end = (*offsets)[1].get<std::uint64_t>();
    if (entry.end < entry.begin || entry.bytes() != bytes)
        return bad(say("has data_offsets that do not fit its shape"));
    return entry;
}

float halfToFloat(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
    if (exponent == 0) {  // subnormal: fraction · 2⁻²⁴
        const float value = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    return std::bit_cast<float>(bits);
}

}  // namespace

std::string_view name(TensorType type) { return std::ranges::find(types, type, &TypeWords::type)->name; }

int bytesOf(TensorType type) { return std::ranges::find(types, type, &TypeWords::type)->bytes; }

void SafetensorsHeader::add(std::string name, TensorType type, std::vector<std::int64_t> shape) {
    auto bytes = static_cast<std::uint64_t>(bytesOf(type));
    for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
    const std::uint64_t begin = dataBytes();
    tensors.push_back({std::move(name), type, std::move(shape), begin, begin + bytes});
}

std::string writeHeader(const SafetensorsHeader& header) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    if (!header.metadata.empty()) object["__metadata__"] = header.metadata;
    for (const TensorEntry& tensor : header.tensors)
        object[tensor.name] = {
            {"dtype", name(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
    std::string text = object.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = text.size();
    std::string whole(sizeof length, '\0');
    std::memcpy(whole.data(), &length, sizeof length);
    return whole + text;
}

Result<SafetensorsHeader> parseHeader(std::string_view text, std::uint64_t dataBytes) {
    if (!text.starts_with('{')) return wrong(say("its header is no JSON object"));
    const Result<JsonText> parsed = parseJsonText(text);
    if (!parsed) return wrong(say("its header is no JSON: {}", parsed.error().text()));
    if (!parsed->duplicates.empty()) return wrong(say("its header names {} twice", parsed->duplicates.front().pointer));
    if (!parsed->root.is_object()) return wrong(say("its header is no JSON object"));
    SafetensorsHeader header;
    for (const auto& [key, value] : parsed->root.items()) {
        if (key != "__metadata__") {
            Result<TensorEntry> entry = parseTensor(key, value);
            if (!entry) return fail(entry.error());
            header.tensors.push_back(std::move(*entry));
            continue;
        }
        if (!value.is_object()) return wrong(say("its metadata is no JSON object"));
        for (const auto& [word, meaning] : value.items()) {
            if (!meaning.is_string()) return wrong(say("its metadata holds something else than text"));
            header.metadata[word] = meaning.get<std::string>();
        }
    }
    std::ranges::sort(header.tensors, [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const TensorEntry& tensor : header.tensors) {
        if (tensor.begin != at)
            return wrong(say("tensor \"{}\" overlaps another or leaves a gap before it", tensor.name));
        at = tensor.end;
    }
    if (at != dataBytes)
        return wrong(say("its tensors take {} and {} follow the header",
                         formatBytes(static_cast<std::int64_t>(std::min(at, std::uint64_t{1} << 62))),
                         formatBytes(static_cast<std::int64_t>(dataBytes))));
    return header;
}

Result<SafetensorsFile> SafetensorsFile::open(FileSystem& files, const std::filesystem::path& path) {
    SafetensorsFile opened;
    opened.path_ = path;
    auto file = files.open(path, OpenMode::Read);
    if (!file) return fail(file.error());
    opened.file_ = std::move(*file);
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error) return fail({say("cannot read the file"), path.string(), systemReason(error.value()), ""});
    const auto here = [&](Error wrongPart) {
        wrongPart.where = path.string();
        return fail(std::move(wrongPart));
    };
    std::uint64_t length = 0;
    const Result<std::size_t> got = opened.file_->read(std::as_writable_bytes(std::span(&length, 1)), 0);
    if (!got) return fail(got.error());
    if (*got < sizeof length || length > largestHeader || length > size - sizeof length)
        return here({say("this is no legal safetensors file"), "", say("its header is cut short or too long"),
                     termOf(legalFile)});
    std::string text(length, '\0');
    const Result<std::size_t> read = opened.file_->read(std::as_writable_bytes(std::span(text)), sizeof length);
    if (!read) return fail(read.error());
    if (*read != length)
        return here({say("this is no legal safetensors file"), "", say("it is cut short"), termOf(legalFile)});
    opened.dataBegin_ = sizeof length + length;
    Result<SafetensorsHeader> header = parseHeader(text, size - opened.dataBegin_);
    if (!header) return here(header.error());
    opened.header_ = std::move(*header);
    opened.headerChecksum_ = crc32c(text, crc32c(std::as_bytes(std::span(&length, 1))));
    return opened;
}

bool readsAsFloats(TensorType type) {
    return type == TensorType::F32 || type == TensorType::F16 || type == TensorType::BF16;
}

Status SafetensorsFile::read(const TensorEntry& tensor, std::uint64_t offset, std::span<std::byte> to) const {
    const Result<std::size_t> got = file_->read(to, dataBegin_ + tensor.begin + offset);
    if (!got) return fail(got.error());
    if (*got == to.size()) return {};
    return fail({say("the file is cut short"), path_.string(), say("tensor \"{}\" is not all there", tensor.name),
                 termOf(legalFile)});
}

Result<std::vector<float>> SafetensorsFile::readFloats(const TensorEntry& tensor) const {
    std::vector<float> values(tensor.elements());
    if (tensor.type == TensorType::F32) {
        if (const Status done = read(tensor, 0, std::as_writable_bytes(std::span(values))); !done)
            return fail(done.error());
        return values;
    }
    if (!readsAsFloats(tensor.type))
        return fail({say("cannot read weights"), path_.string(),
                     say("tensor \"{}\" holds {}", tensor.name, name(tensor.type)), say("F32, F16 or BF16")});
    std::vector<std::uint16_t> halves(values.size());
    if (const Status done = read(tensor, 0, std::as_writable_bytes(std::span(halves))); !done)
        return fail(done.error());
    std::ranges::transform(halves, values.begin(), [&](std::uint16_t half) {
        return tensor.type == TensorType::BF16 ? std::bit_cast<float>(std::uint32_t{half} << 16) : halfToFloat(half);
    });
    return values;
}

}  // namespace shardlab::trace
