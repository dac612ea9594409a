// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/profile.h"

#include "engine/base/clock.h"
#include "engine/layout/model_shape.h"
#include "engine/train/run/link_probe.h"
#include "engine/train/run/rank_probe.h"

namespace shardlab::train {

Profile measureProfile(const StepPlan& plan, Communicator& world, Device& device, const ProfileConditions& conditions,
                       const std::function<void(const std::string&)>& inform) {
    const auto announce = [&](const char* what) {
        if (inform && world.rank() == 0) inform(what);
    };
    Profile profile;
    profile.machine = thisMachine();
    profile.layout = plan.layout;
    profile.threads = conditions.threads;
    profile.date = utcNow();
    RankProbe probe(plan, world, device, conditions.oversubscribed ? ProbeTime::Processor : ProbeTime::Clock);
    announce("measuring forward, backward and the optimizer");
    probe.computeWhole();
    announce("measuring input and weight gradients");
    probe.computeSplit();
    announce("measuring messages and reductions");
    const auto formats = numberFormats(plan.layout.precision);
    const std::size_t boundary =
        static_cast<std::size_t>(formats.activationBytes()) *
        static_cast<std::size_t>(boundaryFloats(plan.layout.model, 1, plan.layout.batch.micro));
    const MeasuredLink send = measureSend(world, boundary, conditions.oversubscribed);
    profile.send = send.link;
    const Placement& place = probe.placement();
    Communicator& group = place.data->size() > 1 ? *place.data : *place.pipeline;
    const MeasuredLink allReduce = measureAllReduce(world, group, probe.arena(), probe.gradientFloats());
    profile.allReduce = allReduce.link;
    profile = probe.result(std::move(profile));
    profile.spreads.push_back({"messages", send.spread});
    profile.spreads.push_back({"reductions", allReduce.spread});
    // A spread of 0 means that there were too few measurements for a spread.
    std::erase_if(profile.spreads, [](const Spread& spread) { return spread.share <= 0; });
    announce("measuring kernels");
    profile.kernels = probe.kernels(conditions.threads);
    return profile;
}

}  // namespace shardlab::train
