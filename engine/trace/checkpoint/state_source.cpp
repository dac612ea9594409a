// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/state_source.h"

#include "engine/base/crc32c.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardlab::trace {
namespace {

bool legalSlice(const Slice& slice) {
    std::int64_t elements = 1;
    for (const int extent : slice.whole)
        if (extent < 1 || __builtin_mul_overflow(elements, extent, &elements)) return false;
    if (slice.axis < 0) return true;
    if (slice.axis >= static_cast<int>(slice.whole.size()) || slice.groups < 1 || slice.together < 1) return false;
    const std::int64_t bundles = std::int64_t{slice.groups} * slice.together;
    const int extent = slice.whole[static_cast<std::size_t>(slice.axis)], before = slice.together - slice.tail;
    if (slice.part < 0 || slice.part >= slice.parts || extent % bundles != 0) return false;
    if (slice.tail == 0) return true;
    return slice.groups == 1 && slice.tail > 0 && slice.unit > 0 && before > 0 && before % slice.unit == 0 &&
           slice.parts % (extent / slice.together) == 0 && sharersOfBundle(slice) <= before / slice.unit;
}

}  // namespace

bool fitsShape(const std::string& name, const std::vector<int>& has, const std::vector<int>& wanted) {
    if (has == wanted) return true;
    return name == "wpe.weight" && has.size() == 2 && wanted.size() == 2 && has[1] == wanted[1] && has[0] > wanted[0];
}

std::string shapeText(const std::vector<int>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Result<StateSource> StateSource::ofCheckpoint(FileSystem& files, const std::filesystem::path& folder,
                                              const CheckpointManifest& manifest) {
    StateSource source;
    source.place_ = folder;
    for (const CheckpointShard& shard : manifest.shards) {
        const std::filesystem::path path = folder / std::filesystem::path(shard.file).filename();
        const auto damaged = [&](Sentence why) {
            return fail(Error{say("the checkpoint is damaged"), path.string(), std::move(why),
                              say("another checkpoint of the run")});
        };
        std::error_code error;
        const auto size = std::filesystem::file_size(path, error);
        if (error) return damaged(say("the shard is missing: {}", systemReason(error.value())));
        if (size != shard.bytes) return damaged(say("it has {} bytes instead of {}", size, shard.bytes));
        auto file = SafetensorsFile::open(files, path);
        if (!file) return damaged(file.error().why);
        if (file->headerChecksum() != shard.headerChecksum) return damaged(say("its header does not fit its checksum"));
        std::map<std::string, const TensorEntry*> entries;
        for (const TensorEntry& entry : file->header().tensors) entries[entry.name] = &entry;
        for (const CheckpointPiece& piece : shard.pieces) {
            const auto entry = entries.find(piece.tensor());
            if (entry == entries.end() || entry->second->type != TensorType::F32 || !legalSlice(piece.slice) ||
                static_cast<std::int64_t>(entry->second->elements()) != piece.count || piece.begin < 0 ||
                piece.begin > sliceElements(piece.slice) - piece.count)
                return damaged(say("tensor \"{}\" is not as the manifest says", piece.tensor()));
            source.origins_[{piece.name, piece.kind}].push_back(
                {source.files_.size(), *entry->second, piece.slice, piece.begin, piece.checksum});
        }
        source.files_.push_back(std::move(*file));
    }
    const bool weights =
        std::ranges::any_of(source.origins_, [](const auto& each) { return each.first.second == weightKind; });
    if (!weights)
        return fail(Error{say("the checkpoint holds no weights"), folder.string(),
                          say("its manifest names {} shards, and no weight in them", manifest.shards.size()),
                          say("another checkpoint of the run")});
    return source;
}

Result<std::vector<float>> StateSource::values(const Origin& origin) const {
    if (origin.assembled) return origin.assembled(*this);
    const SafetensorsFile& file = files_[origin.file];
    Result<std::vector<float>> values = file.readFloats(origin.tensor);
    if (!values) return values;
    if (origin.checksum && crc32c(std::as_bytes(std::span(*values))) != *origin.checksum)
        return fail({say("the checkpoint is damaged"), file.path().string(),
                     say("tensor \"{}\" does not fit its checksum", origin.tensor.name),
                     say("another checkpoint of the run")});
    return values;
}

Result<std::vector<std::uint8_t>> StateSource::codes(const Origin& origin) const {
    std::vector<std::uint8_t> bytes(origin.tensor.bytes());
    const Status read = files_[origin.file].read(origin.tensor, 0, std::as_writable_bytes(std::span(bytes)));
    if (!read) return fail(read.error());
    return bytes;
}

Status StateSource::fill(const std::string& name, std::string_view kind, const Slice& slice, std::int64_t begin,
                         std::span<float> to) const {
    const auto found = origins_.find({name, std::string(kind)});
    if (found == origins_.end())
        return fail({say("there is no {} of {}", kind, name), place_.string(),
                     say("the layout's model and optimizer need it"),
                     say("a checkpoint of the same model and optimizer")});
    const auto count = static_cast<std::int64_t>(to.size());
    std::int64_t filled = 0;
    const std::vector<SliceRun> wanted = sliceRuns(slice, begin, count);
    std::vector<bool> have(to.size());
    for (const Origin& origin : found->second) {
        if (!fitsShape(name, origin.slice.whole, slice.whole))
            return fail({say("the shapes differ"), place_.string(),
                         say("{} of {} is {}, the layout's model needs {}", kind, name, shapeText(origin.slice.whole),
                             shapeText(slice.whole)),
                         say("a layout with the same model")});
        // Runs of both lie in the order of their places in the part, which is that of their places in the whole.
        const auto elements = static_cast<std::int64_t>(origin.tensor.elements());
        const std::vector<SliceRun> held = sliceRuns(origin.slice, origin.begin, elements);
        std::vector<float> values;
        std::size_t at = 0;
        for (const SliceRun& want : wanted) {
            while (at < held.size() && held[at].whole + held[at].count <= want.whole) ++at;
            for (std::size_t i = at; i < held.size() && held[i].whole < want.whole + want.count; ++i) {
                const std::int64_t first = std::max(want.whole, held[i].whole);
                const std::int64_t last = std::min(want.whole + want.count, held[i].whole + held[i].count);
                const std::int64_t target = want.part - begin + (first - want.whole);
                const auto length = static_cast<std::size_t>(last - first);
                if (values.empty()) {
                    Result<std::vector<float>> read = this->values(origin);
                    if (!read) return fail(read.error());
                    values = std::move(*read);
                }
                const std::int64_t from = held[i].part - origin.begin + (first - held[i].whole);
                std::memcpy(to.data() + target, values.data() + from, length * sizeof(float));
                for (std::size_t k = 0; k < length; ++k) {
                    const std::size_t element = static_cast<std::size_t>(target) + k;
                    filled += have[element] ? 0 : 1;
                    have[element] = true;
                }
            }
        }
    }
    if (filled == count) return {};
    return fail(partly(name, kind, filled, count));
}

Error StateSource::partly(const std::string& name, std::string_view kind, std::int64_t has, std::int64_t count) const {
    return {fmt::format("the {} of {} is only partly there", kind, name), place_.string(),
            fmt::format("{} of {} elements are in its files", has, count), "another checkpoint of the run"};
}

Result<std::vector<float>> StateSource::read(const Whole& whole) const {
    const Slice all{whole.shape};
    // What files do not hold is not worth memory, however large they say it is.
    std::int64_t held = 0;
    if (const auto origins = origins_.find({whole.name, whole.kind}); origins != origins_.end())
        for (const Origin& origin : origins->second) held += static_cast<std::int64_t>(origin.tensor.elements());
    if (held < wholeElements(all)) return fail(partly(whole.name, whole.kind, held, wholeElements(all)));
    std::vector<float> values(static_cast<std::size_t>(wholeElements(all)));
    if (const Status done = fill(whole.name, whole.kind, all, 0, values); !done) return fail(done.error());
    return values;
}

std::vector<StateSource::Whole> StateSource::wholes() const {
    std::vector<Whole> all;
    for (const auto& [key, origins] : origins_) all.push_back({key.first, key.second, origins.front().slice.whole});
    return all;
}

Status StateSource::writeWeights(FileSystem& files, const std::filesystem::path& folder,
                                 std::string_view prefix) const {
    SafetensorsHeader header;
    header.metadata["format"] = "pt";  // transformers refuses files that do not say so
    std::vector<Whole> weights = wholes();
    std::erase_if(weights, [](const Whole& whole) { return whole.kind != weightKind; });
    for (const Whole& weight : weights)
        header.add(std::string(prefix) + weight.name, TensorType::F32, {weight.shape.begin(), weight.shape.end()});
    if (const Status made = files.createFolder(folder); !made) return made;
    auto out = ReplacingFile::open(files, folder / "model.safetensors");
    if (!out) return fail(out.error());
    if (const Status done = out->write(writeHeader(header)); !done) return done;
    for (const Whole& weight : weights) {
        const Result<std::vector<float>> values = read(weight);
        if (!values) return fail(values.error());
        if (const Status done = out->write(bytesOfFloats(*values)); !done) return done;
    }
    return out->commit();
}

Status verifyCheckpoint(FileSystem& files, const std::filesystem::path& folder) {
    const Result<CheckpointManifest> manifest = readManifest(folder);
    if (!manifest) return fail(manifest.error());
    const Result<StateSource> source = StateSource::ofCheckpoint(files, folder, *manifest);
    if (!source) return fail(source.error());
    for (const StateSource::Whole& whole : source->wholes())
        if (const auto values = source->read(whole); !values) return fail(values.error());
    return {};
}

}  // namespace shardlab::trace
