// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a run under way. At a step boundary each rank copies its part of the state and trains on; a thread of
// its own writes the copy. At the first boundary where every rank's part is safe on disk, rank 0 makes them a
// checkpoint. A checkpoint that fails is reported once and leaves nothing behind; training goes on.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/train/comm/communicator.h"
#include "engine/trace/record/recorder.h"
#include "engine/train/run/background.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/training_state.h"

#include <functional>
#include <string>

namespace shardlab::train {

struct CheckpointSetup {
    const Layout& layout;
    Communicator& world;
    Recorder& recorder;
    RankTrace& trace;
    Arena& arena;
    TrainingState state;
    std::filesystem::path folder;
    FileSystem& files;
    std::function<void(const std::string& text)> inform;  ///< may be empty
    std::function<void(const std::string& text)> warn;    ///< may be empty
};

/// How far training has come; CheckpointManifest has everything else.
struct TrainingPosition {
    std::int64_t step = 0;     ///< steps done
    std::int64_t samples = 0;  ///< number of samples drawn
    std::map<std::string, double> numbers;
};

/// All calls are collective over the world, in the same order on every rank.
class Checkpointer {
public:
    explicit Checkpointer(CheckpointSetup setup);
    ~Checkpointer();

    /// Whether a checkpoint is due after this step.
    bool due(std::int64_t stepsDone) const;
    /// Takes a checkpoint; waits for the one before where that is still under way. Does nothing where there is a
    /// checkpoint of this position already.
    void take(const TrainingPosition& position);
    /// To be called at each step boundary: finishes the checkpoint under way once all ranks are ready. Never waits for
    /// a disk.
    void look();
    /// Waits until no checkpoint is under way.
    void finish();

private:
    void makeStaging();
    void write(std::vector<StatePiece> pieces);
    void settle();
    void commit(std::vector<CheckpointShard> shards);
    void conclude();
    bool leads() const { return setup_.world.rank() == 0; }

    CheckpointSetup setup_;
    std::unique_ptr<Arena> hostArena_;  ///< the processor's memory for copies; null where the trainer's arena is there
    Buffer staging_;                    ///< kept where checkpoints are due regularly, else only while one is taken
    int serial_ = 0;                    ///< number of the next checkpoint, on rank 0
    std::string mark_;
    std::int64_t taken_ = -1;  ///< step of the latest checkpoint
    // The checkpoint under way:
    bool underWay_ = false;
    TrainingPosition position_;
    std::filesystem::path unfinished_;
    std::int64_t began_ = 0;
    Result<CheckpointShard> shard_;
    // Rank 0's last task:
    bool committing_ = false;
    Result<std::filesystem::path> committed_;
    Status tidied_;  ///< whether older checkpoints could be removed
    std::int64_t bytes_ = 0;
    Background background_;  // last: its thread uses the others
};

}  // namespace shardlab::train
