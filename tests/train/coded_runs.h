// SPDX-License-Identifier: Apache-2.0
// Runs of real ranks whose gradients travel in codes, and the checkpoints that they leave.
#pragma once

#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/support/named.h"
#include "tests/train/outcomes.h"
#include "tests/train/serial_model.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace shardlab::test {

inline bool sameBits(const Numbers& a, const Numbers& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline std::filesystem::path newestCheckpoint(const QTemporaryDir& folder) {
    const auto found = findCheckpoint(folder.path().toStdString());
    if (!found) throw std::runtime_error(found.error().text());
    return *found;
}

inline StateSource checkpointSource(const std::filesystem::path& checkpoint) {
    DiskFileSystem files;
    const auto manifest = readManifest(checkpoint);
    if (!manifest) throw std::runtime_error(manifest.error().text());
    auto source = StateSource::ofCheckpoint(files, checkpoint, *manifest);
    if (!source) throw std::runtime_error(source.error().text());
    return std::move(*source);
}

/// All whole tensors, by "name kind".
inline std::map<std::string, Numbers> wholeState(const std::filesystem::path& checkpoint) {
    const StateSource source = checkpointSource(checkpoint);
    std::map<std::string, Numbers> state;
    for (const StateSource::Whole& whole : source.wholes()) {
        const auto values = source.read(whole);
        if (!values) throw std::runtime_error(values.error().text());
        state[whole.name + " " + whole.kind] = *values;
    }
    return state;
}

inline RunOutcome trainCoded(const Layout& layout, const QTemporaryDir& folder,
                             const std::filesystem::path& resume = {}, std::vector<std::string>* said = nullptr) {
    return runInProcess(planOf(layout), {}, [&](int rank, TrainerServices& services) {
        services.checkpoints = folder.path().toStdString();
        services.resume = resume;
        if (rank == 0 && said) services.inform = [said](const std::string& text) { said->push_back(text); };
    });
}

inline Layout codedLayout(std::int64_t seed, const QString& model, const QString& format, int data,
                          double bucket = 0.02) {
    Layout layout;
    layout.model = {named(model), 3, 18, 3, 15, 256, 0.0};  // hardly anything is a whole number of blocks
    if (model.startsWith("llama")) layout.model.hidden = 24;
    layout.cluster.hosts = {{"localhost", data}};
    layout.parallel.data = data;
    layout.parallel.pipeline = 1;
    layout.parallel.bucket = bucket;
    layout.precision.exchange = named(format);
    layout.batch = {8, 1};
    layout.run = {6, seed, 0, 1};
    return layout;
}

/// All replicas came to the same weights.
inline void requireEqualReplicas(const RunOutcome& run) {
    QVERIFY2(run.error.empty(), run.error.c_str());
    try {
        QVERIFY(!wholeWeights(run).empty());
    } catch (const std::exception& error) {
        QFAIL(error.what());
    }
}

}  // namespace shardlab::test
