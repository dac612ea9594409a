// SPDX-License-Identifier: Apache-2.0
// What a modelled software stack needs to know of device and model.
#include "engine/layout/check/check_rules.h"
#include "engine/layout/devices.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"

#include <fmt/format.h>

namespace shardlab::layout {

namespace {

/// Shardlab's own engine has products in 8 bits; those of a stack are those of a device that has them.
void checkProducts(const Layout& layout, std::vector<Fault>& faults) {
    const ProductFormat products = layout.precision.products;
    if (products == ProductFormat::Compute || readsImages(layout.model)) return;  // without an effect
    const auto refuse = [&](std::string what, std::string why, std::string legal) {
        faults.push_back({"/precision/products", std::move(what), std::move(why), std::move(legal)});
    };
    if (modelledStack(layout) == nullptr) {
        if (products == ProductFormat::NvFp4)
            refuse("products in nvfp4 for training",
                   "the format is there for planning alone: Shardlab's own engine multiplies in 8 bits or more",
                   "compute, fp8, mxfp8 or fp8-blocks; or cluster.pace.stack megatron-core, whose times are modelled");
        return;
    }
    const DevicePreset* device = findDevice(layout.cluster.pace->device);
    if (device == nullptr) return;
    const bool four = products == ProductFormat::NvFp4,
               has8 = products == ProductFormat::Fp8 || products == ProductFormat::Fp8Blocks;
    const bool has = four ? device->fp4Flops > 0
                          : device->fp8Flops > 0 && (products != ProductFormat::MxFp8 || device->fp4Flops > 0);
    if (!has)
        refuse(fmt::format("products in {} on {}", wordOf(products), device->name),
               "the device has no such products, or its file does not say how fast they are",
               fmt::format("compute; or cluster.pace.device {}", has8 ? "h100-sxm" : "b200"));
}

}  // namespace

void checkStack(const Layout& layout, std::vector<Fault>& faults) {
    checkProducts(layout, faults);
    if (!layout.cluster.pace || layout.cluster.pace->stack == ownStack) return;
    const PaceSpec& pace = *layout.cluster.pace;
    if (findStack(pace.stack) == nullptr) return;  // a fault of its own
    const auto refuse = [&](std::string what, std::string why, std::string legal) {
        faults.push_back({"/cluster/pace/stack", std::move(what), std::move(why), std::move(legal)});
    };
    const DevicePreset* device = findDevice(pace.device);
    if (device != nullptr && (findArchitecture(device->architecture) == nullptr || device->multiprocessors < 1))
        refuse(fmt::format("{} on {}", pace.stack, device->name),
               "the device's file names no architecture whose kernels are known, or no number of multiprocessors",
               "shardlab; or a device with both, h100-sxm");
    if (!hasAttention(layout.model))
        refuse(fmt::format("{} with the model {}", pace.stack, wordOf(layout.model.kind)),
               "the stack's times are known of transformers", "shardlab; or a model with attention");
    if (layout.precision.compute == NumberFormat::Fp32)
        refuse(fmt::format("{} in fp32", pace.stack), "the stack's times are known of 16-bit formats",
               "shardlab; or precision.compute bf16");
}

}  // namespace shardlab::layout
