// SPDX-License-Identifier: Apache-2.0
// What is refused of number formats, of optimizers, and of the devices and software stacks whose times are modelled.
#pragma once

#include "engine/layout/devices.h"
#include "tests/layout/refusals/exchange.h"

namespace shardlab::test {

inline void modelled(Layout& l, const char* device, const char* stack) {
    l.cluster.pace = {device, 1, stack};
    l.precision.compute = NumberFormat::Bf16;
}
inline bool hasTwoBetas(const Layout& l) { return l.optimizer.adamw.betas.size() == 2; }
inline bool modelsOwnEngine(const Layout& l) { return l.cluster.pace->stack == "shardlab"; }
inline bool hasSuchProducts(const Layout& l) {
    const DevicePreset& device = *findDevice(l.cluster.pace->device);
    switch (l.precision.products) {
    case ProductFormat::Compute: return true;
    case ProductFormat::NvFp4: return device.fp4Flops > 0;
    default: return device.fp8Flops > 0;
    }
}

inline constexpr Refusal numberRefusals[]{
    {"scaled loss without a flush",
     [](Layout& l) {
         withoutFlush(l);
         l.precision = {NumberFormat::Fp16};
         l.precision.lossScale = LossScaling::Dynamic;
     },
     "/precision/loss_scale", "a schedule with a flush",
     wrong("a dynamic loss scale (1710.03740): a step whose gradient is not finite anywhere is skipped everywhere",
           [](const Layout& l) { return l.precision.lossScale == LossScaling::None || updatesBetweenSteps(l); })},
    {"a static scale without a flush",
     [](Layout& l) {
         withoutFlush(l);
         l.precision = {NumberFormat::Fp16};
         l.precision.lossScale = LossScaling::Static;
     },
     "/precision/loss_scale", "a schedule with a flush",
     notBuilt("a static loss scale whose overflows each stage skips by itself, or not at all")},
    {"delayed scales without a flush",
     [](Layout& l) {
         withoutFlush(l);
         l.precision.products = ProductFormat::Fp8;
         l.precision.scaling = ProductScaling::Delayed;
     },
     "/precision/scaling", "current", notBuilt("scales that are kept with a microbatch until its backward")},
    {"delayed scales of workers without a common step",
     [](Layout& l) {
         asyncServer(l);
         l.precision.products = ProductFormat::Fp8;
         l.precision.scaling = ProductScaling::Delayed;
     },
     "/precision/scaling", "current", notBuilt("a history of each worker's own steps")},
    {"training in nvfp4", [](Layout& l) { l.precision.products = ProductFormat::NvFp4; }, "/precision/products",
     "fp8-blocks", notBuilt("products in 4 bits")},
    {"products in 8 bits of a device without them",
     [](Layout& l) {
         modelled(l, "a100-sxm", "megatron-core");
         l.precision.products = ProductFormat::Fp8;
     },
     "/precision/products", "compute; or cluster.pace.device h100-sxm",
     absent("products in 8 bits on the device", hasSuchProducts)},
    {"products in 4 bits of a device without them",
     [](Layout& l) {
         modelled(l, "h100-sxm", "megatron-core");
         l.precision.products = ProductFormat::NvFp4;
     },
     "/precision/products", "compute; or cluster.pace.device b200",
     absent("products in 4 bits on the device", hasSuchProducts)},

    {"an attention that a device does not have", [](Layout& l) { modelled(l, "v100-sxm-32", "megatron-core"); },
     "/cluster/pace/stack", "megatron-deepspeed; or a device that has it",
     absent("the stack's attention on the device",
            [](const Layout& l) {
                return l.cluster.pace->device != "v100-sxm-32" || l.cluster.pace->stack != "megatron-core";
            })},
    {"a stack on a device without kernels", [](Layout& l) { modelled(l, "cpu", "megatron-core"); },
     "/cluster/pace/stack", "shardlab; or a device with both, h100-sxm",
     absent("an architecture whose kernels are known",
            [](const Layout& l) {
                return modelsOwnEngine(l) || !findDevice(l.cluster.pace->device)->architecture.empty();
            })},
    {"a stack without times of an mlp",
     [](Layout& l) {
         modelled(l, "h100-sxm", "megatron-core");
         l.model.kind = ModelKind::Mlp;
     },
     "/cluster/pace/stack", "shardlab; or a model with attention",
     absent("times of the stack without attention",
            [](const Layout& l) { return modelsOwnEngine(l) || l.model.kind != ModelKind::Mlp; })},
    {"a stack without times in fp32",
     [](Layout& l) {
         modelled(l, "h100-sxm", "megatron-core");
         l.precision.compute = NumberFormat::Fp32;
     },
     "/cluster/pace/stack", "shardlab; or precision.compute bf16",
     absent("times of the stack in fp32",
            [](const Layout& l) { return modelsOwnEngine(l) || l.precision.compute != NumberFormat::Fp32; })},

    {"one beta", [](Layout& l) { l.optimizer.adamw.betas = {0.9}; }, "/optimizer/betas", "two numbers",
     contradiction("a decay of the first and one of the second moment", hasTwoBetas)},
    {"three betas",
     [](Layout& l) {
         l.optimizer.adamw.betas = {0.9, 0.95, 0.99};
     },
     "/optimizer/betas", "two numbers",
     contradiction("a decay of the first and one of the second moment", hasTwoBetas)},
    {"one beta of 8 bits",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::AdamW8Bit;
         l.optimizer.adamw.betas = {0.9};
     },
     "/optimizer/betas", "two numbers",
     contradiction("a decay of the first and one of the second moment", hasTwoBetas)},
    {"least rate above the rate",
     [](Layout& l) {
         l.optimizer.schedule = RateSchedule::Cosine;
         l.optimizer.minimum = 1;
     },
     "/optimizer/minimum", "0 to 0.003; or the schedule constant",
     contradiction("a rate that falls ends at or below where it began",
                   [](const Layout& l) {
                       return l.optimizer.schedule == RateSchedule::Constant ||
                              l.optimizer.minimum <= l.optimizer.learningRate;
                   })},
    {"row sums of flat shards",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::Adafactor;
         l.parallel.zero = 2;
     },
     "/parallel/zero", "0; 3 with parallel.partition layers",
     notBuilt("sums of rows and columns over replicas, of the parts that flat shards have of them")},
    {"accumulators of flat shards",
     [](Layout& l) {
         l.optimizer.kind = OptimizerKind::Sm3;
         l.parallel.zero = 3;
     },
     "/parallel/zero", "optimizer.kind adamw, adamw-8bit or sgd",
     notBuilt("largest of rows and columns over replicas, of the parts that flat shards have of them")},
    {"inputs that do not divide",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.model.hidden = 5;
         l.model.sequence = 7;
         l.model.feedForward = {6, 6, 6, 6};
         l.batch.micro = 1;
         l.parallel = {.data = 1, .pipeline = 2, .tensor = 2};
         l.memory.recompute = RecomputeKind::Full;
         l.memory.partitionActivations = true;
     },
     "/memory/partition_activations", "false; or",
     contradiction("micro × sequence × hidden ÷ tensor is whole",
                   [](const Layout& l) {
                       return !l.memory.partitionActivations ||
                              l.batch.micro * l.model.sequence * l.model.hidden % l.parallel.tensor == 0;
                   })},
};

}  // namespace shardlab::test
