// SPDX-License-Identifier: Apache-2.0
// A checkpoint's tensors as tests compare them.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/checkpoint/manifest.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/support/wings.h"

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardlab::test {

using State = std::map<std::string, std::vector<float>>;  ///< whole tensors by "name kind"

/// What a checkpoint holds, each tensor put together of its parts.
inline State gathered(const std::filesystem::path& checkpoint) {
    DiskFileSystem files;
    const auto manifest = readManifest(checkpoint);
    if (!manifest) throw std::runtime_error(manifest.error().text());
    const auto source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) throw std::runtime_error(source.error().text());
    State state;
    for (const StateSource::Whole& whole : source->wholes()) {
        std::vector<float>& values = state[whole.name + " " + whole.kind];
        values.resize(static_cast<std::size_t>(wholeElements({whole.shape})));
        if (const Status done = source->fill(whole.name, whole.kind, {whole.shape}, 0, values); !done)
            throw std::runtime_error(done.error().text());
    }
    return state;
}

}  // namespace shardlab::test
