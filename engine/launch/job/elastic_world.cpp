// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/elastic_world.h"

#include "engine/layout/check/elastic_sizes.h"
#include "engine/layout/suggest.h"
#include "engine/layout/schedule/registry.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::launch {
namespace {

int devicesOf(const std::vector<HostSpec>& hosts) {
    int devices = 0;
    for (const HostSpec& host : hosts) devices += host.devices;
    return devices;
}

std::vector<int> placesOf(const Mesh& mesh, const Mesh& whole) {
    std::vector<int> places;
    for (int rank = 0; rank < mesh.ranks(); ++rank) places.push_back(whole.rank(mesh.coordinates(rank)));
    return places;
}

}  // namespace

Status canResize(const Layout& layout, int data) {
    if (!isElastic(layout))
        return fail({say("the run cannot be resized"), "",
                     say("its layout has no /run/min_data: the number of replicas is fixed"),
                     say("run.min_data of 1 or more")});
    const std::vector<int> sizes = admissibleSizes(layout, scheduleMethods());
    if (std::ranges::find(sizes, data) != sizes.end()) return {};
    std::vector<std::string> names;
    for (const int size : sizes) names.push_back(std::to_string(size));
    return fail(
        {say("the run cannot be resized"), say("{} replicas", data),
         data > layout.parallel.data || data < layout.run.minData
             ? say("its layout allows {} to {}", layout.run.minData, layout.parallel.data)
             : say("each of them must get whole microbatches of the global batch, and everything else must stay legal"),
         alternatives(names)});
}

std::string replicasText(const Layout& layout, int data) {
    const int ranks = data * ranksOfReplica(layout.parallel);
    return fmt::format("{} replica{} ({} rank{})", data, data == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
}

std::vector<Plan> plansOfSizes(const Plan& plan) {
    ElasticWorld world(plan);
    std::vector<Plan> plans;
    for (const int size : world.sizes())
        if (auto made = world.resize(size)) plans.push_back(std::move(*made));
    return plans;
}

ElasticWorld::ElasticWorld(const Plan& plan)
    : whole_(plan.layout), measurements_(plan.measurements), stretch_(plan.costs.stretch), sizes_{whole_.parallel.data},
      hosts_(whole_.cluster.hosts), now_(whole_), wholeMesh_(plan.mesh), mesh_(plan.mesh),
      places_(placesOf(mesh_, wholeMesh_)) {
    if (isElastic(whole_)) sizes_ = admissibleSizes(whole_, scheduleMethods());
}

bool ElasticWorld::renumbered() const {
    for (int rank = 0; rank < ranks(); ++rank)
        if (placeOf(rank) != rank) return true;
    return false;
}

std::vector<int> ElasticWorld::absent() const {
    std::vector<int> absent;
    for (int place = 0; place < wholeMesh_.ranks(); ++place)
        if (std::ranges::find(places_, place) == places_.end()) absent.push_back(place);
    return absent;
}

std::vector<InjectedFault> ElasticWorld::started(std::span<const InjectedFault> faults) const {
    std::vector<InjectedFault> there;
    for (InjectedFault fault : faults) {
        const auto place = std::ranges::find(places_, fault.rank);
        if (place == places_.end()) continue;
        fault.rank = static_cast<int>(place - places_.begin());
        there.push_back(fault);
    }
    return there;
}

void ElasticWorld::lose(int rank) {
    const auto host = std::ranges::find(hosts_, mesh_.hostName(rank), &HostSpec::name);
    if (host != hosts_.end()) --host->devices;
    std::erase_if(hosts_, [](const HostSpec& each) { return each.devices <= 0; });
}

bool ElasticWorld::loseHost(const std::string& name) {
    return std::erase_if(hosts_, [&](const HostSpec& host) { return host.name == name; }) > 0;
}

std::optional<int> ElasticWorld::largestLeft() const {
    const int devices = devicesOf(hosts_);
    for (const int size : sizes_)
        if (size <= replicas() && size * ranksOfReplica(whole_.parallel) <= devices) return size;
    return std::nullopt;
}

Result<Plan> ElasticWorld::resize(int data) {
    if (data * ranksOfReplica(whole_.parallel) > devicesOf(hosts_)) hosts_ = whole_.cluster.hosts;
    const Layout layout =
        data == whole_.parallel.data && hosts_ == whole_.cluster.hosts ? whole_ : withReplicas(whole_, data, hosts_);
    auto plan = makePlan(layout, measurements_, stretch_);
    if (!plan)
        return fail(
            Error{say("the layout cannot run with so many replicas"), std::to_string(data), toText(plan.error()), {}});
    now_ = plan->layout;
    mesh_ = plan->mesh;
    places_ = placesOf(mesh_, wholeMesh_);
    return std::move(*plan);
}

}  // namespace shardlab::launch
