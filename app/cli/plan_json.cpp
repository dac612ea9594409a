// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan_json.h"

#include "engine/base/clock.h"
#include "engine/base/device_time.h"
#include "engine/launch/job/elastic_world.h"
#include "engine/layout/check/elastic_sizes.h"
#include "engine/predict/plan/predicted_memory.h"
#include "engine/predict/search/step_overhead.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

using Json = nlohmann::ordered_json;

namespace {

Json bytesJson(const MemoryBytes& bytes) {
    Json json = Json::object();
    for (int category = 0; category < memoryCategoryCount; ++category)
        json[std::string(name(static_cast<MemoryCategory>(category)))] = bytes[static_cast<std::size_t>(category)];
    return json;
}

Json lossesJson(const Plan& plan) {
    Json list = Json::array();
    for (const StepOverhead& overhead : largestOverheads(plan)) {
        Json better;
        if (overhead.better) {
            Layout layout = plan.layout;
            apply(overhead.better->choice, layout);
            better = {{"change", overhead.better->change.english()},
                      {"step_seconds", overhead.better->stepSeconds},
                      {"gain", overhead.better->gain},
                      {"fields", fieldsJson(changesBetween(plan.layout, layout))}};
        }
        list.push_back({{"kind", name(overhead.kind)},
                        {"seconds", overhead.seconds},
                        {"share", overhead.share},
                        {"why", overhead.why.english()},
                        {"better", std::move(better)}});
    }
    return list;
}

/// Null where the layout is not elastic.
Json sizesJson(const Plan& plan) {
    if (!isElastic(plan.layout)) return nullptr;
    Json sizes = Json::array();
    for (const Plan& size : plansOfSizes(plan))
        sizes.push_back({{"replicas", size.layout.parallel.data},
                         {"ranks", size.mesh.ranks()},
                         {"step_seconds", size.stepSeconds},
                         {"tokens_per_second", size.tokensPerSecond},
                         {"bubble", size.bubble},
                         {"peak", std::ranges::max(size.memory, {}, &RankMemory::peak).peak}});
    return sizes;
}

}  // namespace

Json planJson(const Plan& plan) {
    Json memory = Json::array();
    for (const RankMemory& rank : plan.memory) {
        memory.push_back({{"rank", rank.rank},
                          {"label", plan.mesh.label(rank.rank)},
                          {"bytes", bytesJson(rank.bytes)},
                          {"peak", rank.peak},
                          {"microbatches_in_flight", rank.microbatchesInFlight},
                          {"weight_versions", rank.weightVersions}});
        if (usesHost(plan.layout.memory)) memory.back()["host"] = bytesJson(rank.host);
    }
    Json hosts = Json::array();
    for (std::size_t rank = 0; rank < plan.hosts.size(); ++rank) {
        const HostTraffic& copies = plan.hosts[rank];
        hosts.push_back({{"rank", rank},
                         {"to_host_bytes", copies.toHost},
                         {"from_host_bytes", copies.fromHost},
                         {"to_host_seconds", copies.toHostSeconds},
                         {"from_host_seconds", copies.fromHostSeconds},
                         {"exposed_seconds", copies.exposedSeconds}});
    }
    Json notes = Json::array();
    for (const Sentence& note : plan.notes) notes.push_back(note.english());
    Json traffic = Json::array();
    for (const AxisTraffic& axis : plan.traffic)
        traffic.push_back({{"axis", name(axis.axis)},
                           {"what", axis.what.english()},
                           {"bytes", axis.bytes},
                           {"how", axis.how.english()}});
    return {{"name", plan.layout.name},
            {"ranks", plan.mesh.ranks()},
            {"parameters", plan.parameters},
            {"step_seconds", plan.stepSeconds},
            {"paced_step_seconds", plan.layout.cluster.pace ? Json(plan.simulation.stepSeconds) : Json(nullptr)},
            {"tokens_per_second", plan.tokensPerSecond},
            {"bubble", {{"predicted", plan.bubble}, {"theory", plan.bubbleTheory}}},
            {"flops_per_step", plan.flopsPerStep},
            {"mfu", plan.mfu},
            {"exposed_communication", plan.exposedCommunication},
            {"stretch", plan.costs.stretch},
            {"capacity_bytes", plan.device.capacityBytes},
            {"reserve_bytes", plan.device.reserveBytes},
            {"usable_bytes", plan.device.usableBytes()},
            {"fits", plan.fits},
            {"memory", std::move(memory)},
            {"sent_bytes", plan.sentBytes},
            {"traffic", std::move(traffic)},
            {"host_copies", std::move(hosts)},
            {"losses", lossesJson(plan)},
            {"elastic", sizesJson(plan)},
            {"notes", std::move(notes)},
            {"faults", Json::array()}};
}

Json groundJson(const PublishedGround& ground) {
    const auto errors = [](const ErrorSummary& of) {
        return Json{{"runs", of.rows}, {"median", of.median}, {"nine_of_ten", of.ninetieth}};
    };
    return {{"runs_like", ground.likeness}, {"step", errors(ground.time)}, {"memory", errors(ground.memory)}};
}

Json fieldsJson(const std::vector<FieldChange>& changes) {
    Json fields = Json::object();
    for (const FieldChange& change : changes) fields[change.pointer] = Json::parse(change.to);
    return fields;
}

Json memoryCurveJson(const Plan& plan) {
    const DeviceTime device(plan.costs.stretch);
    Json curves = Json::array();
    for (const MemoryCurve& curve : predictedMemory(plan, plan.simulation.events)) {
        Json points = Json::array();
        for (const MemoryPoint& point : curve.points)
            points.push_back({{"seconds", device.seconds(toSeconds(point.time))}, {"bytes", bytesJson(point.bytes)}});
        curves.push_back({{"pipeline_rank", curves.size()}, {"peak", curve.peak}, {"points", std::move(points)}});
    }
    return curves;
}

Json criticalPathJson(const StepGraph& graph, const CriticalPath& path) {
    Json actions = Json::array(), ranks = Json::array();
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const StepGraph::Node& node = graph.nodes[i];
        actions.push_back({{"pipeline_rank", node.rank},
                           {"action", toText(node.action)},
                           {"begin", node.begin},
                           {"seconds", node.end - node.begin},
                           {"slack", path.slack[i]},
                           {"on_path", std::ranges::find(path.nodes, static_cast<int>(i)) != path.nodes.end()}});
    }
    for (std::size_t rank = 0; rank < path.ofRank.size(); ++rank)
        ranks.push_back({{"pipeline_rank", rank},
                         {"on_path",
                          {{"compute", path.onPath[rank].compute},
                           {"tensor", path.onPath[rank].tensor},
                           {"communication", path.onPath[rank].communication}}},
                         {"computing", path.ofRank[rank].computing},
                         {"tensor", path.ofRank[rank].tensor},
                         {"reducing", path.ofRank[rank].reducing},
                         {"waiting", path.ofRank[rank].waiting}});
    return {{"actions", std::move(actions)}, {"ranks", std::move(ranks)}};
}

}  // namespace shardlab::cli
