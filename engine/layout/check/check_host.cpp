// SPDX-License-Identifier: Apache-2.0
// What goes with an optimizer, and with activations, that lie on the host of their device.
#include "engine/layout/check/check_rules.h"

#include "engine/layout/suggest.h"
#include "engine/layout/devices.h"
#include "engine/layout/formats.h"

namespace shardlab::layout {
namespace {

/// Adds a fault where the modelled device has no figures of its host, which `what` needs.
void checkModelledHost(const Layout& layout, const char* pointer, const Sentence& what, std::vector<Fault>& faults) {
    const DevicePreset* device = layout.cluster.pace ? findDevice(layout.cluster.pace->device) : nullptr;
    if (device == nullptr || device->host) return;
    faults.push_back({pointer, say("{} on the host of {}", what, device->name),
                      say("the device's file does not say how fast its host is"),
                      say("none; or a \"host\" in the file, as resources/devices/a100-sxm.json has one")});
}

/// Parameters are those of ZeRO 3, whose flat shards all links bring in together.
void checkParametersOnHost(const Layout& layout, std::vector<Fault>& faults) {
    const ParallelSpec& p = layout.parallel;
    if (!offloadsParameters(layout.memory)) return;
    if (p.zero < 3)
        faults.push_back({"/memory/offload", say("parameters on the host with ZeRO {}", p.zero),
                          say("only ZeRO 3 brings each layer's weights before they are used and drops them after"),
                          say("none or optimizer; or parallel.zero 3")});
    else if (p.partition != PartitionKind::Flat)
        faults.push_back({"/memory/offload", say("parameters on the host with the partition {}", wordOf(p.partition)),
                          say("the one replica that a layer belongs to would bring all of it over its own link, while "
                              "the others' links are idle"),
                          say("none or optimizer; or parallel.partition flat")});
}

}  // namespace

void checkOffload(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!offloadsOptimizer(layout.memory)) return;
    checkParametersOnHost(layout, faults);
    const auto refuse = [&](Sentence what, Sentence why, Sentence legal) {
        faults.push_back({"/memory/offload", std::move(what), std::move(why), std::move(legal)});
    };
    if (traits(layout.optimizer.kind).factored && !numberFormats(layout.precision).master)
        refuse(say("{} on the host without master weights in fp32", wordOf(layout.optimizer.kind)),
               say("its state is one number for each row and column: there is next to nothing to move"),
               say("none; or precision.compute bf16 or fp16 with precision.weights master; or optimizer.kind {}",
                   wordsWhere(optimizerTraits, [](const OptimizerTraits& each) { return !each.factored; })));
    if (const ScheduleMethod* method = flushlessMethod(layout, schedules))
        refuse(say("an optimizer on the host with {}", method->name),
               say("its stages update in the middle of a step, and keep several versions of the weights on the device"),
               say("none; or a schedule with a flush, 1f1b"));
    if (layout.parallel.exchange != Exchange::AllReduce)
        refuse(say("an optimizer on the host with the exchange {}", wordOf(layout.parallel.exchange)),
               say("the replica that updates has weights in a memory that other ranks read or write"),
               say("none; or parallel.exchange allreduce"));
    checkModelledHost(layout, "/memory/offload", say("an optimizer"), faults);
}

void checkSwap(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!swapsActivations(layout.memory)) return;
    const auto refuse = [&](Sentence what, Sentence why, Sentence legal) {
        faults.push_back({"/memory/swap", std::move(what), std::move(why), std::move(legal)});
    };
    if (const ScheduleMethod* method = flushlessMethod(layout, schedules))
        refuse(say("activations on the host with {}", method->name),
               say("a microbatch's backward may be in another step than its forward, and how long it is unused differs "
                   "from one to the next"),
               say("none; or a schedule with a flush, 1f1b"));
    const Exchange exchange = layout.parallel.exchange;
    if (exchange == Exchange::AsyncServer || exchange == Exchange::Hogwild)
        refuse(say("activations on the host with the exchange {}", wordOf(layout.parallel.exchange)),
               say("each worker steps at its own pace, and the plan has no timeline that would show which copies are "
                   "hidden"),
               say("none; or parallel.exchange allreduce"));
    checkModelledHost(layout, "/memory/swap", say("activations"), faults);
}

}  // namespace shardlab::layout
