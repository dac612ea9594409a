// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/export_weights.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/checkpoint/state_source.h"

namespace shardlab::trace {

Status exportWeights(FileSystem& files, const std::filesystem::path& checkpoint, const std::filesystem::path& folder) {
    const Result<CheckpointManifest> manifest = readManifest(checkpoint);
    if (!manifest) return fail(manifest.error());
    const Result<StateSource> source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) return fail(source.error());
    const ModelSpec& model = manifest->layout.model;
    const bool published = hasPublishedBlocks(model) && model.feedForward.size() <= 1;
    if (published && traits(model.kind).weights == WeightsFormat::Llama)
        return source->writeLlama(files, model, folder);
    if (published && traits(model.kind).weights == WeightsFormat::Gpt2)
        return source->writeWeights(files, folder, "transformer.").and_then([&] {
            return replaceFile(files, folder / "config.json", writeConfig(model));
        });
    return source->writeWeights(files, folder, "").and_then([&] {
        return replaceFile(files, folder / "model.layout.json", writeLayout(manifest->layout));
    });
}

}  // namespace shardlab::trace
