// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/model_shape.h"

namespace shardlab::layout {
namespace {

constexpr int widestCudaHead = 256;  ///< columns of a head that the CUDA kernels are made for

void checkScale(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!scalesLoss(layout.precision)) return;
    const ScheduleMethod* method = flushlessMethod(layout, schedules);
    if (method == nullptr) return;
    faults.push_back({"/precision/loss_scale", say("{} cannot scale the loss", method->name),
                      say("the norm of the whole gradient shows whether a step overflowed, and each stage updates "
                          "before that is known"),
                      say("none, with bf16 or fp32; or a schedule with a flush, 1f1b")});
}

/// A delayed scale comes from the steps before, which all ranks that share a tensor must agree on.
void checkDelayed(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!delaysScales(layout.precision) || !roundsProducts(layout)) return;
    const auto refuse = [&](Sentence what, Sentence why) {
        faults.push_back({"/precision/scaling", std::move(what), std::move(why), "current"});
    };
    if (const ScheduleMethod* method = flushlessMethod(layout, schedules))
        refuse(say("delayed scales with the schedule {}", method->name),
               say("a microbatch's forward and backward lie in different steps, and would round the same tensor with "
                   "different scales"));
    if (runsAtOwnPace(layout.parallel))
        refuse(say("delayed scales with the exchange {}", wordOf(layout.parallel.exchange)),
               say("the history has an entry for each step, and the ranks have no steps in common"));
}

void checkHeadWidth(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    if (layout.cluster.device != DeviceKind::Cuda || !hasAttention(model) || model.heads < 1) return;
    const int width = queryWidth(model);
    if (width <= widestCudaHead) return;
    if (latentAttention(model)) {
        faults.push_back({"/model/head_width", say("a head is {} wide, {} of it turned", width, model.block.ropeWidth),
                          say("the attention of CUDA devices is made for heads of fewer columns"),
                          say("at most {} with model.rope_width", widestCudaHead)});
        return;
    }
    if (choosesParts(model) && model.block.headWidth > 0) {
        faults.push_back({"/model/head_width", say("a head is {} wide", width),
                          say("the attention of CUDA devices is made for heads of fewer columns"),
                          say("at most {}", widestCudaHead)});
        return;
    }
    int heads = model.heads + 1;
    while (model.hidden % heads != 0 || model.hidden / heads > widestCudaHead) ++heads;
    faults.push_back({"/model/heads", say("a head is {} wide", width),
                      say("the attention of CUDA devices is made for heads of up to {}", widestCudaHead),
                      say("{}, heads of {}", heads, model.hidden / heads)});
}

}  // namespace

void checkPrecision(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    checkScale(layout, schedules, faults);
    checkDelayed(layout, schedules, faults);
    checkHeadWidth(layout, faults);
}

}  // namespace shardlab::layout
