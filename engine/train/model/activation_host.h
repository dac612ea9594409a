// SPDX-License-Identifier: Apache-2.0
// Swapping (GeePS, EuroSys 2016): what a microbatch's forward left for its backward lies in the host's memory in
// between. Which copies go when is the caller's business.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/stage.h"

#include <memory>
#include <vector>

namespace shardlab {

/// Of one microbatch in one stage. Its memory is taken and given back by its owner alone, its copies may be asked for
/// by another thread meanwhile.
class SwappedActivations {
public:
    /// Takes what the stage keeps, and as much of the host's memory (Activations).
    SwappedActivations(Stage& stage, int microbatch, Arena& host);

    std::int64_t bytes() const { return bytes_; }
    /// To the host. Returns when they are there; null: now.
    std::shared_ptr<DeviceMoment> store(Device& device) const;
    /// Gives the device's memory back; they are on the host.
    void leaveDevice();
    /// Gives the stage memory of the same categories, of `device`, into which they come back.
    void enterDevice(Stage& stage, int microbatch, Arena& device);
    /// From the host. Returns when they are there; null: now.
    std::shared_ptr<DeviceMoment> restore(Device& device) const;

private:
    /// One buffer.
    struct Piece {
        std::size_t number = 0;  ///< of all that the stage keeps
        MemoryCategory category = MemoryCategory::Activations;
        Buffer onDevice;  ///< until it leaves
        Buffer onHost;
        Array target;  ///< the stage's, from when it enters
    };
    std::vector<Piece> pieces_;
    std::int64_t bytes_ = 0;
};

}  // namespace shardlab
