// SPDX-License-Identifier: Apache-2.0
// The weights that Hogwild's workers share (parallel/hogwild.h): in the memory of worker 0, beside each worker's own
// copy, at which its gradients are taken.
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/layout/layout.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/stage.h"
#include "engine/train/parallel/hogwild.h"

#include <cstdint>
#include <span>

namespace shardlab {

struct HogwildUpdate : LockFreeUpdate {
    std::int64_t staleness =
        0;  ///< updates of others that ended between the read of the weights and the end of this one
};

class SharedWeights {
public:
    /// Collective. `updates`: of one worker in the run. Throws where a worker does not reach the memory of the first.
    SharedWeights(const OptimizerSpec& optimizer, int updates, Stage& stage, Communicator& workers, Arena& arena);

    /// Collective: they become what worker 0's copy is. Nobody updates meanwhile.
    void begin();
    /// Into this worker's copy.
    void read();
    /// With this worker's gradient; `number` of its update from 1.
    HogwildUpdate update(int number, float gradientScale);

    HogwildWord& word() { return *word_; }
    /// Of this worker's last step.
    void tellLoss(double loss);
    /// Over the workers that have told one, the mean of what they told last.
    double meanLoss() const;

private:
    std::int64_t updatesOfOthers() const;

    const OptimizerSpec optimizer_;
    int updates_;
    Stage& stage_;
    Communicator& group_;
    Arena& arena_;
    Buffer held_, page_;  ///< of worker 0
    std::span<float> weights_;
    HogwildWord* word_ = nullptr;
    std::span<HogwildWorkerWord> workers_;
    std::int64_t read_ = 0;  ///< updates of others that had ended when the weights were read
};

}  // namespace shardlab
