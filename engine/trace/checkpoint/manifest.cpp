// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/manifest.h"

#include "engine/base/crc32c.h"
#include "engine/base/file.h"
#include "engine/base/json_fields.h"
#include "engine/base/saturate.h"
#include "engine/layout/layout_json.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace shardlab::trace {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int formatVersion = 1;
constexpr std::size_t digits = 8;
constexpr std::string_view before = "{\"crc32c\": \"";  // the checksum's digits follow, and count as zeros in the sum
constexpr std::string_view legal = phrase("another checkpoint of the run");

std::string hex(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

std::uint32_t fromHex(const std::string& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || text.size() != digits) throw json::other_error::create(501, "no checksum", nullptr);
    return value;
}

/// A whole number from 0 that `T` holds; as the parser does, by exception.
template <class T>
T countFrom(const json& value) {
    if (const std::optional<T> count = wholeNumber<T>(value); count && *count >= 0) return *count;
    throw json::other_error::create(501, "no whole number", nullptr);
}

std::uint32_t checksumOf(std::string text) {
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(before.size()), digits, '0');
    return crc32c(text);
}

ordered_json toJson(const CheckpointShard& shard) {
    ordered_json pieces = ordered_json::array();
    for (const CheckpointPiece& piece : shard.pieces) {
        ordered_json made{{"name", piece.name}, {"kind", piece.kind}, {"whole", piece.slice.whole}};
        if (piece.slice.axis >= 0)
            made["slice"] = {{"axis", piece.slice.axis},
                             {"parts", piece.slice.parts},
                             {"part", piece.slice.part},
                             {"groups", piece.slice.groups},
                             {"together", piece.slice.together}};
        if (piece.slice.tail > 0) made["slice"].update({{"tail", piece.slice.tail}, {"unit", piece.slice.unit}});
        made["begin"] = piece.begin;
        made["count"] = piece.count;
        made["crc32c"] = hex(piece.checksum);
        pieces.push_back(std::move(made));
    }
    return {
        {"file", shard.file}, {"bytes", shard.bytes}, {"header_crc32c", hex(shard.headerChecksum)}, {"pieces", pieces}};
}

CheckpointShard shardFrom(const json& from) {
    CheckpointShard shard{from.at("file"),
                          static_cast<std::uint64_t>(countFrom<std::int64_t>(from.at("bytes"))),
                          fromHex(from.at("header_crc32c")),
                          {}};
    for (const json& each : from.at("pieces")) {
        CheckpointPiece piece;
        piece.name = each.at("name");
        piece.kind = each.at("kind");
        for (const json& extent : each.at("whole").get_ref<const json::array_t&>())
            piece.slice.whole.push_back(countFrom<int>(extent));
        if (each.contains("slice")) {
            const json& slice = each.at("slice");
            piece.slice.axis = countFrom<int>(slice.at("axis"));
            piece.slice.parts = countFrom<int>(slice.at("parts"));
            piece.slice.part = countFrom<int>(slice.at("part"));
            piece.slice.groups = countFrom<int>(slice.at("groups"));
            if (slice.contains("together")) piece.slice.together = countFrom<int>(slice.at("together"));
            if (slice.contains("tail")) {
                piece.slice.tail = countFrom<int>(slice.at("tail"));
                piece.slice.unit = countFrom<int>(slice.at("unit"));
            }
        }
        piece.begin = countFrom<std::int64_t>(each.at("begin"));
        piece.count = countFrom<std::int64_t>(each.at("count"));
        piece.checksum = fromHex(each.at("crc32c"));
        shard.pieces.push_back(std::move(piece));
    }
    return shard;
}

tl::unexpected<Error> damaged(Sentence why) {
    return fail({say("the checkpoint's manifest is damaged"), "", std::move(why), termOf(legal)});
}

}  // namespace

std::string CheckpointPiece::tensor() const { return fmt::format("{} {} {}", name, kind, begin); }

std::int64_t CheckpointManifest::bytes() const {
    std::int64_t sum = 0;
    for (const CheckpointShard& shard : shards) sum = saturatedSum(sum, static_cast<std::int64_t>(shard.bytes));
    return sum;
}

std::string writeManifest(const CheckpointManifest& manifest) {
    ordered_json shards = ordered_json::array();
    for (const CheckpointShard& shard : manifest.shards) shards.push_back(toJson(shard));
    const ordered_json content{{"format", formatVersion},
                               {"version", manifest.version},
                               {"created", manifest.created},
                               {"step", manifest.step},
                               {"samples", manifest.samples},
                               {"numbers", manifest.numbers},
                               {"layout", layoutToJson(manifest.layout)},
                               {"shards", std::move(shards)}};
    std::string text =
        fmt::format("{}{}\",\n \"checkpoint\": {}}}\n", before, std::string(digits, '0'), content.dump(1));
    const std::string checksum = hex(checksumOf(text));
    text.replace(before.size(), digits, checksum);
    return text;
}

Result<CheckpointManifest> parseManifest(std::string_view text) {
    if (text.size() < before.size() + digits || !text.starts_with(before))
        return fail({say("this is no manifest of a checkpoint"), "", say("it does not begin as one"), termOf(legal)});
    if (text.substr(before.size(), digits) != hex(checksumOf(std::string(text))))
        return damaged(say("its checksum does not fit its text"));
    try {
        const json content = json::parse(text).at("checkpoint");
        if (const int version = countFrom<int>(content.at("format")); version != formatVersion)
            return fail({say("the checkpoint was written by a later version"), "",
                         say("its format is {}, this version reads {}", version, formatVersion),
                         say("the version that wrote it")});
        CheckpointManifest manifest;
        manifest.version = content.at("version");
        manifest.created = content.at("created");
        manifest.step = countFrom<std::int64_t>(content.at("step"));
        manifest.samples = countFrom<std::int64_t>(content.at("samples"));
        manifest.numbers = content.at("numbers").get<std::map<std::string, double>>();
        const Result<ParsedLayout> layout = layoutFromJson(content.at("layout"));
        if (!layout) return fail(layout.error());
        manifest.layout = layout->layout;
        for (const json& shard : content.at("shards")) manifest.shards.push_back(shardFrom(shard));
        return manifest;
    } catch (const json::exception&) {
        return damaged(say("it is not what this version writes, though its checksum fits"));
    }
}

Result<CheckpointManifest> readManifest(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / manifestFile;
    const Result<std::string> text = readFile(file);
    if (!text)
        return fail(
            {say("cannot read the checkpoint"), file.string(), text.error().why, say("a folder with a manifest.json")});
    Result<CheckpointManifest> manifest = parseManifest(*text);
    if (manifest) return manifest;
    Error error = manifest.error();
    error.where = file.string();
    return fail(std::move(error));
}

std::string writeShardRecord(const CheckpointShard& shard) { return toJson(shard).dump(); }
CheckpointShard parseShardRecord(std::string_view text) { return shardFrom(json::parse(text)); }

}  // namespace shardlab::trace
