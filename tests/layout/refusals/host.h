// SPDX-License-Identifier: Apache-2.0
// What is refused of optimizers, parameters and activations on a device's host.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/formats.h"
#include "tests/layout/refusals/premises.h"

namespace shardlab::test {

/// Device files of the user's own may leave their host out; those that come with Shardlab do not.
inline constexpr const char* hostlessDevice = "hostless";
/// From now on there is such a device.
inline void addHostlessDevice() {
    DeviceList devices = deviceList();
    DevicePreset hostless = *findDevice("a100-sxm");
    hostless.name = hostlessDevice;
    hostless.host.reset();
    devices.devices.push_back(hostless);
    useDevices(devices);
}
inline bool knowsHost(const Layout& l) {
    return (l.memory.offload == OffloadKind::None && l.memory.swap == SwapKind::None) || !l.cluster.pace ||
           findDevice(l.cluster.pace->device)->host.has_value();
}
/// Offloaded weights come to the device before they are used and leave it after, which a stage's own weights do not.
inline bool fetchesLayers(const Layout& l) {
    return l.memory.offload != OffloadKind::Parameters || l.parallel.zero == 3;
}

inline constexpr Refusal hostRefusals[]{
    {"rows and columns on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.optimizer.kind = OptimizerKind::Sm3;
     },
     "/memory/offload", "with precision.weights master; or optimizer.kind adamw, adamw-8bit or sgd",
     absent("anything of the optimizer's that a matrix has as many numbers of as weights",
            [](const Layout& l) {
                return l.memory.offload == OffloadKind::None || l.optimizer.kind != OptimizerKind::Sm3 ||
                       numberFormats(l.precision).master;
            })},
    {"several versions of weights and an optimizer on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         withoutFlush(l);
     },
     "/memory/offload", "a schedule with a flush, 1f1b",
     notBuilt("updates on the host in the middle of a step, whose weights become another version on the device")},
    {"a server whose optimizer is on the host",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.parallel.exchange = Exchange::Server;
     },
     "/memory/offload", "parallel.exchange allreduce", notBuilt("a server that updates on its host")},
    {"parameters on the host without the ZeRO that gathers them",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Parameters;
         l.parallel.zero = 2;
     },
     "/memory/offload", "none or optimizer; or parallel.zero 3",
     wrong("ZeRO 1 and 2 (1910.02054): every rank holds the parameters of its stage all through a step",
           fetchesLayers)},
    {"parameters on the host in whole layers",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Parameters;
         l.parallel.zero = 3;
         l.parallel.partition = PartitionKind::Layers;
     },
     "/memory/offload", "parallel.partition flat",
     notBuilt("a whole layer from its owner's host, to be broadcast from there; slower than flat shards")},
    {"an optimizer on a host of which nothing is known",
     [](Layout& l) {
         l.memory.offload = OffloadKind::Optimizer;
         l.cluster.pace = {hostlessDevice, 1};
     },
     "/memory/offload", "none; or a \"host\" in the file", absent("figures of the device's host", knowsHost)},
    {"activations on a host of which nothing is known",
     [](Layout& l) {
         l.memory.swap = SwapKind::Activations;
         l.cluster.pace = {hostlessDevice, 1};
     },
     "/memory/swap", "none; or a \"host\" in the file", absent("figures of the device's host", knowsHost)},
    {"activations on the host and no flush",
     [](Layout& l) {
         l.memory.swap = SwapKind::Activations;
         withoutFlush(l);
     },
     "/memory/swap", "a schedule with a flush, 1f1b",
     notBuilt("copies of microbatches whose backward lies in another step than their forward")},
    {"activations on the host and a server without a clock",
     [](Layout& l) {
         l.memory.swap = SwapKind::Activations;
         l.parallel.exchange = Exchange::AsyncServer;
         l.parallel.data = 4;
         l.parallel.pipeline = 1;
         l.batch.global = 12;
     },
     "/memory/swap", "parallel.exchange allreduce",
     notBuilt("copies in the plan of workers that step at their own pace")},
};

}  // namespace shardlab::test
