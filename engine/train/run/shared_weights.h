// SPDX-License-Identifier: Apache-2.0
// The weights that Hogwild's workers share (parallel/hogwild.h). They lie in the memory of worker 0; each worker has a
// copy besides, at which it takes its gradients.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/stage.h"
#include "engine/train/parallel/hogwild.h"

#include <cstdint>
#include <span>

namespace shardlab::train {

struct HogwildUpdate : LockFreeUpdate {
    /// Updates of others that ended between the read of the weights and the end of this one.
    std::int64_t staleness = 0;
};

class SharedWeights {
public:
    /// Collective. `updates` is the number of one worker's updates in the run. Throws where a worker cannot reach the
    /// memory of worker 0.
    SharedWeights(const OptimizerSpec& optimizer, int updates, Stage& stage, Communicator& workers, Arena& arena);

    /// Collective: sets the shared weights to worker 0's copy. Nobody may update meanwhile.
    void begin();
    /// Reads the shared weights into this worker's copy.
    void read();
    /// Updates the shared weights with this worker's gradient; `number` counts its updates from 1.
    HogwildUpdate update(int number, float gradientScale);

    HogwildCommands& commands() { return *commands_; }
    /// Lets the others know the loss of this worker's last step.
    void publishLoss(double loss);
    /// The mean of the losses that workers published last, over the workers that have published one.
    double meanLoss() const;

private:
    std::int64_t updatesOfOthers() const;

    const OptimizerSpec optimizer_;
    int updates_;
    Stage& stage_;
    Communicator& group_;
    Arena& arena_;
    Buffer held_, page_;  ///< on worker 0; empty on others
    std::span<float> weights_;
    HogwildCommands* commands_ = nullptr;
    std::span<HogwildProgress> workers_;
    std::int64_t read_ = 0;  ///< number of other workers' updates that had ended when the weights were read
};

}  // namespace shardlab::train
