// SPDX-License-Identifier: Apache-2.0
// Checkpoints of random state, made without ranks: two weights and a moment, cut over three shards.
#pragma once

#include "engine/base/random.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/shard_writer.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/support/wings.h"

#include <filesystem>
#include <map>
#include <unistd.h>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::test {

class SampleCheckpoint {
public:
    explicit SampleCheckpoint(std::int64_t seed) {
        RandomStream random(seed, "sample checkpoint");
        for (const auto& [name, kind, shape] : wholes) {
            std::vector<float>& values = values_[{name, kind}];
            values.resize(static_cast<std::size_t>(wholeElements({shape})));
            for (float& value : values) value = static_cast<float>(random.normal());
        }
    }

    /// Writes checkpoint `serial` of `step` as ranks and rank 0 do, call by call.
    Status write(FileSystem& files, const std::filesystem::path& folder, int serial, std::int64_t step,
                 int keep) const {
        const auto unfinished = unfinishedCheckpoint(folder, serial, step, std::to_string(::getpid()));
        if (const Status made = files.createFolder(unfinished); !made) return made;
        CheckpointManifest manifest;
        manifest.step = step;
        manifest.layout.name = "sample";
        for (int part = 0; part < parts; ++part) {
            std::vector<std::vector<float>> held;
            std::vector<StatePiece> pieces;
            held.reserve(3);
            for (const auto& [name, kind, shape] : wholes) {
                const Slice slice = shape.size() == 2 ? Slice{shape, 1, parts, part, 1} : Slice{shape};
                const std::int64_t all = sliceElements(slice);
                const std::int64_t begin = shape.size() == 2 ? 0 : all * part / parts;
                const std::int64_t count = (shape.size() == 2 ? all : all * (part + 1) / parts) - begin;
                std::vector<float>& mine = held.emplace_back();
                for (const SliceRun& run : sliceRuns(slice, begin, count))
                    for (std::int64_t i = 0; i < run.count; ++i)
                        mine.push_back(values_.at({name, kind})[static_cast<std::size_t>(run.whole + i)]);
                pieces.push_back({name, kind, slice, begin, mine});
            }
            auto shard = writeShard(files, unfinished / ("rank-" + std::to_string(part) + ".safetensors"), pieces);
            if (!shard) return fail(shard.error());
            manifest.shards.push_back(std::move(*shard));
        }
        const auto committed = commitCheckpoint(files, unfinished, manifest);
        if (!committed) return fail(committed.error());
        return tidyCheckpoints(files, folder, keep);
    }

    /// Whether the checkpoint in `path` holds this state, every element of it.
    bool equals(const std::filesystem::path& path) const {
        DiskFileSystem files;
        const auto manifest = readManifest(path);
        const auto source = manifest ? StateSource::ofCheckpoint(files, path, *manifest) : fail(manifest.error());
        if (!source) return false;
        for (const auto& [name, kind, shape] : wholes) {
            std::vector<float> values(static_cast<std::size_t>(wholeElements({shape})));
            if (!source->fill(name, kind, {shape}, 0, values) || values != values_.at({name, kind})) return false;
        }
        return true;
    }

private:
    struct Whole {
        std::string name;
        std::string kind;
        std::vector<int> shape;
    };
    static constexpr int parts = 3;
    inline static const std::vector<Whole> wholes{
        {"a.weight", "weight", {4, 9}}, {"a.weight", "first moment", {4, 9}}, {"b.bias", "weight", {11}}};
    std::map<std::pair<std::string, std::string>, std::vector<float>> values_;
};

}  // namespace shardlab::test
