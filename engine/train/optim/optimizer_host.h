// SPDX-License-Identifier: Apache-2.0
// ZeRO-Offload (arXiv 2101.06840): the optimizer's state and the weights that it updates lie in the host's memory, and
// the processor updates them there. The caller decides when to copy.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"

#include <memory>
#include <span>
#include <vector>

namespace shardlab::train {

/// A second copy on the host of what a stage's replica updates: values in the device's type (category Parameters),
/// which the optimizer updates, itself or by way of its master weights, and gradients in their type (Gradients).
/// Values that lie on the host anyway are updated there, and have no copy.
class HostMirror {
public:
    enum class Values : std::uint8_t { OnDevice, OnHost };
    /// Mirrors `owned`, whose memory stays where it is, and starts with its values. Gradients lie on `device`.
    HostMirror(std::span<const Parameter> owned, Device& device, Arena& host, Values values = Values::OnDevice);
    HostMirror(const HostMirror&) = delete;
    HostMirror& operator=(const HostMirror&) = delete;

    /// The parameters in the order of `owned`, with value and gradient on the host.
    std::span<Parameter> parameters() { return parameters_; }

    /// Copies the device's values to the host, at once.
    void begin();
    /// Copies the device's gradients to the host once the device has done what it was asked for until now. The result
    /// is the moment at which they are there; null: they are there already.
    std::shared_ptr<DeviceMoment> fetchGradients();
    /// Copies the values to the device, before anything that it is asked for from now on. The result is the moment at
    /// which they are there; null: they are there already.
    std::shared_ptr<DeviceMoment> returnValues();

private:
    /// Parameters that lie behind one another on the device, as all do on the host.
    struct Run {
        ArraySpan value, gradient;  ///< on the device
        std::size_t begin = 0;      ///< first element on the host
    };

    Device& device_;
    Buffer values_, gradients_;
    std::vector<Parameter> parameters_;
    std::vector<Run> runs_;
};

}  // namespace shardlab::train
