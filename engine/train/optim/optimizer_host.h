// SPDX-License-Identifier: Apache-2.0
// ZeRO-Offload (arXiv 2101.06840): the optimizer's state and the weights that it updates lie in the host's memory, and
// the processor updates them there. Which copies go when is the caller's business.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"

#include <memory>
#include <span>
#include <vector>

namespace shardlab {

/// What a stage's replica updates, once more on the host: values in the type of the device's (category Parameters),
/// which are updated, or of which there is a master copy that is; and gradients in theirs (Gradients).
class HostMirror {
public:
    /// Of `owned`, whose memory stays where it is on `device`. Starts with its values.
    HostMirror(std::span<const Parameter> owned, Device& device, Arena& host);
    HostMirror(const HostMirror&) = delete;
    HostMirror& operator=(const HostMirror&) = delete;

    /// The same, in the same order, with value and gradient on the host.
    std::span<Parameter> parameters() { return parameters_; }

    /// Takes the device's values, at once.
    void begin();
    /// The device's gradients come, when it has done what it was asked for until now. Returns when they are there;
    /// null: now.
    std::shared_ptr<DeviceMoment> fetchGradients();
    /// The values go to the device, before what it is asked for from now on. Returns when they are there; null: now.
    std::shared_ptr<DeviceMoment> returnValues();

private:
    /// A run of parameters that lie behind one another on the device, as all do on the host.
    struct Run {
        ArraySpan value, gradient;  ///< of the device
        std::size_t begin = 0;      ///< element of the host's
    };

    Device& device_;
    Buffer values_, gradients_;
    std::vector<Parameter> parameters_;
    std::vector<Run> runs_;
};

}  // namespace shardlab
