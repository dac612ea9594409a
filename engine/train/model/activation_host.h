// SPDX-License-Identifier: Apache-2.0
// Swapping (GeePS, EuroSys 2016): what a microbatch's forward leaves for its backward lies in the host's memory in
// between. The caller decides when to copy.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/stage.h"

#include <memory>
#include <vector>

namespace shardlab::train {

/// The activations of one microbatch in one stage. Only the owner takes and gives back memory; another thread may ask
/// for the copies meanwhile.
class SwappedActivations {
public:
    /// Takes what the stage keeps, and as much memory of the host (category Activations).
    SwappedActivations(Stage& stage, int microbatch, Arena& host);

    std::int64_t bytes() const { return bytes_; }
    /// Copies to the host. The result is the moment at which the copy is there; null: it is there already.
    std::shared_ptr<DeviceMoment> store(Device& device) const;
    /// Gives the device's memory back, once the activations are on the host.
    void leaveDevice();
    /// Gives the stage memory of the same categories from `device`, for restore() to copy into.
    void enterDevice(Stage& stage, int microbatch, Arena& device);
    /// Copies back from the host. The result is the moment at which the copy is there; null: it is there already.
    std::shared_ptr<DeviceMoment> restore(Device& device) const;

private:
    /// One buffer that the stage keeps.
    struct Piece {
        std::size_t number = 0;  ///< its number among all that the stage keeps
        MemoryCategory category = MemoryCategory::Activations;
        Buffer onDevice;  ///< until leaveDevice()
        Buffer onHost;
        Array target;  ///< the stage's memory, from enterDevice() on
    };
    std::vector<Piece> pieces_;
    std::int64_t bytes_ = 0;
};

}  // namespace shardlab::train
