// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/checkpointer.h"

#include "engine/base/clock.h"
#include "engine/base/units.h"
#include "engine/trace/record/checkpoint_tally.h"
#include "engine/train/comm/scalars.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <unistd.h>

namespace shardlab::train {
namespace {

constexpr int recordTag = 1;

/// On rank 0 every rank's text, by rank; empty elsewhere.
std::vector<std::string> collect(Communicator& world, const std::string& text) {
    const std::vector<std::int64_t> sizes = gather(world, static_cast<std::int64_t>(text.size()));
    if (world.rank() != 0) {
        world.send(std::as_bytes(std::span(text)), 0, recordTag);
        return {};
    }
    std::vector<std::string> texts{text};
    for (int rank = 1; rank < world.size(); ++rank) {
        texts.emplace_back(static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]), '\0');
        world.receive(std::as_writable_bytes(std::span(texts.back())), rank, recordTag);
    }
    return texts;
}

/// Rank 0's message about the place of the next checkpoint.
struct Place {
    int serial = 0;
    int process = 0;
    std::uint64_t random = 0;  ///< makes the name unknown beforehand, since others may write to the folder
};

}  // namespace

Checkpointer::Checkpointer(CheckpointSetup setup) : setup_(std::move(setup)) {
    if (setup_.layout.checkpoint.every > 0) makeStaging();
    if (!leads()) return;
    const std::vector<CheckpointPlace> places = listCheckpoints(setup_.folder);
    serial_ = places.empty() ? 1 : places.back().serial + 1;
}

Checkpointer::~Checkpointer() = default;

bool Checkpointer::due(std::int64_t stepsDone) const {
    const int every = setup_.layout.checkpoint.every;
    return every > 0 && stepsDone % every == 0;
}

void Checkpointer::take(const TrainingPosition& position) {
    if (position.step == taken_) return;
    finish();
    taken_ = position.step;
    position_ = position;
    underWay_ = true;
    std::random_device random;
    Place place{serial_, static_cast<int>(::getpid()), std::uint64_t{random()} << 32 | random()};
    setup_.world.broadcast(std::as_writable_bytes(std::span(&place, 1)), 0);
    serial_ = place.serial + 1;
    unfinished_ = unfinishedCheckpoint(setup_.folder, place.serial, position.step,
                                       fmt::format("{}-{:016x}", place.process, place.random));

    began_ = setup_.trace.now();
    if (staging_.empty()) makeStaging();
    std::vector<StatePiece> pieces = setup_.state.copy(staging_.span().floats());
    std::int64_t bytes = 0;
    for (const StatePiece& piece : pieces) bytes += static_cast<std::int64_t>(piece.values.size_bytes());
    setup_.trace.span(Lane::Host, EventKind::Snapshot, began_, setup_.trace.now(), {}, bytes);
    setup_.trace.memory();
    background_.start([this, pieces = std::move(pieces)]() mutable { write(std::move(pieces)); });
}

void Checkpointer::makeStaging() {
    if (!setup_.arena.device().onHost() && !hostArena_) hostArena_ = std::make_unique<Arena>();
    Arena& arena = hostArena_ ? *hostArena_ : setup_.arena;
    staging_ = arena.allocate(MemoryCategory::Buffers, setup_.state.floats());
}

/// Runs on the background thread.
void Checkpointer::write(std::vector<StatePiece> pieces) {
    std::int64_t begin = setup_.recorder.now();
    const auto step = static_cast<std::int32_t>(position_.step) - 1;  // the last step done
    const auto written = [&](std::size_t bytes) {
        const std::int64_t now = setup_.recorder.now();
        setup_.recorder.span(Lane::Copy, EventKind::CheckpointWrite, step, begin, now, 0,
                             static_cast<std::int64_t>(bytes));
        begin = now;
    };
    const std::filesystem::path file = unfinished_ / fmt::format("rank-{:05}.safetensors", setup_.world.rank());
    shard_ = setup_.files.createFolder(unfinished_).and_then([&] {
        return writeShard(setup_.files, file, pieces, written);
    });
}

void Checkpointer::look() {
    if (committing_ && background_.idle()) conclude();
    if (!underWay_) return;
    const std::vector<std::int64_t> ready = gather(setup_.world, std::int64_t{background_.idle()});
    if (std::ranges::all_of(ready, [](std::int64_t each) { return each != 0; })) settle();
}

void Checkpointer::finish() {
    if (underWay_) settle();
    if (committing_) conclude();
}

/// To be called once every rank's part is safe or has failed: rank 0 gets to know of all.
void Checkpointer::settle() {
    background_.wait();
    underWay_ = false;
    if (setup_.layout.checkpoint.every == 0) staging_ = {};
    setup_.trace.memory();
    const bool good = shard_.has_value();
    const std::vector<std::string> said =
        collect(setup_.world, (good ? "+" + writeShardRecord(*shard_) : "-" + shard_.error().text()));
    if (!leads()) return;
    std::vector<CheckpointShard> shards;
    for (const std::string& text : said) {
        if (text.front() == '+') {
            shards.push_back(parseShardRecord(text.substr(1)));
            continue;
        }
        if (setup_.warn) setup_.warn(noCheckpoint(position_.step, text.substr(1)));
        static_cast<void>(removeCheckpoint(setup_.files, unfinished_));
        return;
    }
    commit(std::move(shards));
}

void Checkpointer::commit(std::vector<CheckpointShard> shards) {
    CheckpointManifest manifest;
    manifest.layout = setup_.layout;
    manifest.version = SHARDLAB_VERSION;
    manifest.created = utcNow();
    manifest.step = position_.step;
    manifest.samples = position_.samples;
    manifest.numbers = position_.numbers;
    manifest.shards = std::move(shards);
    bytes_ = manifest.bytes();
    committing_ = true;
    background_.start([this, manifest = std::move(manifest)] {
        committed_ = commitCheckpoint(setup_.files, unfinished_, manifest);
        if (!committed_) static_cast<void>(removeCheckpoint(setup_.files, unfinished_));
        else tidied_ = tidyCheckpoints(setup_.files, setup_.folder, setup_.layout.checkpoint.keep);
    });
}

void Checkpointer::conclude() {
    background_.wait();
    committing_ = false;
    if (!committed_) {
        if (setup_.warn) setup_.warn(noCheckpoint(position_.step, committed_.error().text()));
        return;
    }
    if (setup_.inform)
        setup_.inform(tookCheckpoint(position_.step, fmt::format("{} in {}: {}", formatBytes(bytes_),
                                                                 formatSeconds(toSeconds(setup_.trace.now() - began_)),
                                                                 committed_->string())));
    if (!tidied_ && setup_.warn) setup_.warn("older checkpoints could not be removed: " + tidied_.error().text());
}

}  // namespace shardlab::train
