// SPDX-License-Identifier: Apache-2.0
// What a modelled software stack needs to know of device and model.
#include "engine/layout/check/check_rules.h"
#include "engine/layout/devices.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/stacks.h"
#include "engine/layout/suggest.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace shardlab::layout {

namespace {

/// Shardlab's own engine has products in 8 bits; those of a stack are those of a device that has them.
void checkProducts(const Layout& layout, std::vector<Fault>& faults) {
    const ProductFormat products = layout.precision.products;
    if (products == ProductFormat::Compute || readsImages(layout.model)) return;  // without an effect
    const auto refuse = [&](Sentence what, Sentence why, Sentence legal) {
        faults.push_back({"/precision/products", std::move(what), std::move(why), std::move(legal)});
    };
    if (modelledStack(layout) == nullptr) {
        if (!traits(products).rounds)
            refuse(
                say("products in {} for training", wordOf(products)),
                say("the format is there for planning alone: Shardlab's own engine multiplies in 8 bits or more"),
                say("{}; or cluster.pace.stack megatron-core with cluster.pace.device b200, whose times are modelled",
                    wordsWhere(productTraits,
                               [](const ProductTraits& each) { return each.rounds || each.bits == 16; })));
        return;
    }
    const DevicePreset* device = findDevice(layout.cluster.pace->device);
    if (device == nullptr) return;
    const bool scales = scalesInHardware(products), has = scales ? device->fp4Flops > 0 : device->fp8Flops > 0;
    if (!has)
        refuse(say("products in {} on {}", wordOf(products), device->name),
               say("the device has no such products, or its file does not say how fast they are"),
               say("compute; or cluster.pace.device {}", scales ? "b200" : "h100-sxm"));
}

/// The names of the stacks whose attention the architecture has.
std::vector<std::string_view> stacksOn(const Architecture& architecture) {
    std::vector<std::string_view> names;
    for (const SoftwareStack& stack : stackList().stacks)
        if (hasAttention(architecture, stack)) names.push_back(stack.name);
    return names;
}

}  // namespace

void checkStack(const Layout& layout, std::vector<Fault>& faults) {
    checkProducts(layout, faults);
    if (!layout.cluster.pace || layout.cluster.pace->stack == ownStack) return;
    const PaceSpec& pace = *layout.cluster.pace;
    const SoftwareStack* stack = findStack(pace.stack);
    if (stack == nullptr) return;  // a fault of its own
    const auto refuse = [&](Sentence what, Sentence why, Sentence legal) {
        faults.push_back({"/cluster/pace/stack", std::move(what), std::move(why), std::move(legal)});
    };
    const DevicePreset* device = findDevice(pace.device);
    const Architecture* architecture = device == nullptr ? nullptr : findArchitecture(device->architecture);
    if (architecture != nullptr && !hasAttention(*architecture, *stack))
        refuse(say("{} on {}", pace.stack, device->name),
               say("the stack's attention is the kernel {}, which {} does not have", wordOf(stack->attention),
                   architecture->title),
               say("shardlab, {}; or a device that has it", fmt::join(stacksOn(*architecture), ", ")));
    if (device != nullptr && (architecture == nullptr || device->multiprocessors < 1))
        refuse(say("{} on {}", pace.stack, device->name),
               say("the device's file names no architecture whose kernels are known, or no number of multiprocessors"),
               say("shardlab; or a device with both, h100-sxm"));
    if (!hasAttention(layout.model))
        refuse(say("{} with the model {}", pace.stack, wordOf(layout.model.kind)),
               say("the stack's times are known of transformers"), say("shardlab; or a model with attention"));
    if (layout.precision.compute == NumberFormat::Fp32)
        refuse(say("{} in fp32", pace.stack), say("the stack's times are known of 16-bit formats"),
               say("shardlab; or precision.compute bf16"));
}

}  // namespace shardlab::layout
