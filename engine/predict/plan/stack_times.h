// SPDX-License-Identifier: Apache-2.0
// How long a stage's compute takes where a software stack other than Shardlab's own carries it out (stacks.h): from the
// shapes of its products, the kernel of its attention and its passes over memory.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/collectives.h"
#include "engine/predict/plan/compute_costs.h"

#include <optional>

namespace shardlab::predict {

/// A stack on a device.
struct StackOnDevice {
    const SoftwareStack* stack = nullptr;
    const Architecture* architecture = nullptr;
};
/// The stack that the layout names on its modelled device; nothing where that is Shardlab's own.
std::optional<StackOnDevice> stackOf(const Layout& layout, const DevicePreset& device);

/// Matrix products [rows, inner] · [inner, columns] of equal sizes, `count` of them in one kernel.
struct MatrixProduct {
    double rows = 0, columns = 0, inner = 0, count = 1;
};

/// Seconds of a product whose operands have the format. Tiles of tileRows × tileColumns, or of half of that, fill the
/// multiprocessors in waves: w waves take w · 2 · tile · (inner + tileOverhead) · multiprocessors ÷ (peak ·
/// efficiency), the quickest tile counts, and nothing takes less than its operands through memory.
double productSeconds(const MatrixProduct& product, ProductFormat format, const DevicePreset& device,
                      const Architecture& architecture);

/// The device with the bandwidths that kernels and collectives of its architecture reach, and their latencies.
DevicePreset reachedBandwidths(DevicePreset device, const Architecture& architecture);

/// Seconds of a microbatch on the stage; the device has reachedBandwidths(), as in productSeconds().
ComputeTimes stackTimes(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device, const StackOnDevice& on);

/// Seconds of the products and attentions of a microbatch's forward and backward on the stage at the device's peak for
/// their formats, of what the stack's kernels compute: flash attention leaves out masked scores.
double stackPeakSeconds(const Layout& layout, const StageShape& stage, const TensorShare& share,
                        const DevicePreset& device, const StackOnDevice& on);

/// Seconds of one attention's core in the forward.
double stackAttentionSeconds(const Layout& layout, const TensorShare& share, const DevicePreset& device,
                             const StackOnDevice& on);

/// The link of an all-to-all of `rows` rows to a token, for allToAllSeconds(): what stays on a host and what leaves it
/// move at once, and so do all messages, so that there is one latency. Where the stack merges rows, a token goes to
/// another host once, however many of its rows are for experts there.
Link exchangeLink(const Group& group, const DevicePreset& device, int rows, bool merges);

/// The link that a ring has: over several hosts it passes each of them once, through the network links of all members
/// there, of which it reaches `share`.
Link ringLink(const Group& group, const DevicePreset& device, double share = 1);

}  // namespace shardlab::predict
