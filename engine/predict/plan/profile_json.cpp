// SPDX-License-Identifier: Apache-2.0
#include "engine/base/failure.h"
#include "engine/base/json_fields.h"
#include "engine/base/library_words.h"
#include "engine/layout/json_text.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/profile.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace shardlab::predict {
namespace {

using Json = nlohmann::ordered_json;

Json partJson(const PartProfile& part) {
    return {{"name", part.name},
            {"forward_seconds", part.forward},
            {"backward_seconds", part.backward},
            {"input_grad_seconds", part.inputGrad},
            {"weight_grad_seconds", part.weightGrad},
            {"optimizer_seconds", part.optimizer},
            {"activation_bytes", part.activationBytes},
            {"weight_bytes", part.weightBytes}};
}

Json linkJson(const LinkProfile& link) {
    return {{"seconds", link.seconds}, {"bandwidth_bytes_per_second", link.bandwidth}};
}

Json kernelsJson(const KernelAccount& account) {
    Json kinds = Json::array();
    for (const KernelProfile& kernel : account.kernels)
        kinds.push_back({{"name", kernel.name},
                         {"calls", kernel.calls},
                         {"seconds", kernel.seconds},
                         {"flops", kernel.flops},
                         {"bytes", kernel.bytes}});
    return {{"step_seconds", account.seconds},
            {"peak_flops_per_second", account.peakFlops},
            {"memory_bytes_per_second", account.memoryBandwidth},
            {"kinds", std::move(kinds)}};
}

/// A figure of a file is a finite number, not negative; a count is a whole one.
template <class Number>
Number figure(const Json& object, const char* key) {
    const Json& value = object.at(key);
    std::optional<Number> number;
    if constexpr (std::is_integral_v<Number>) number = wholeNumber<Number>(value);
    else if (value.is_number()) number = value.get<Number>();
    if (!number || !(*number >= 0) || !std::isfinite(static_cast<double>(*number)))
        throw Failure(say("{} is {}, which is no measured figure", key, shownValue(value)));
    return *number;
}

PartProfile readPart(const Json& json) {
    PartProfile part;
    part.name = json.at("name").get<std::string>();
    part.forward = figure<double>(json, "forward_seconds");
    part.backward = figure<double>(json, "backward_seconds");
    part.inputGrad = figure<double>(json, "input_grad_seconds");
    part.weightGrad = figure<double>(json, "weight_grad_seconds");
    part.optimizer = figure<double>(json, "optimizer_seconds");
    part.activationBytes = figure<std::int64_t>(json, "activation_bytes");
    part.weightBytes = figure<std::int64_t>(json, "weight_bytes");
    return part;
}

LinkProfile readLink(const Json& json) {
    return {figure<double>(json, "seconds"), figure<double>(json, "bandwidth_bytes_per_second")};
}

KernelAccount readKernels(const Json& json) {
    KernelAccount account;
    account.seconds = figure<double>(json, "step_seconds");
    account.peakFlops = figure<double>(json, "peak_flops_per_second");
    account.memoryBandwidth = figure<double>(json, "memory_bytes_per_second");
    for (const Json& kind : json.at("kinds"))
        account.kernels.push_back({kind.at("name").get<std::string>(), figure<double>(kind, "calls"),
                                   figure<double>(kind, "seconds"), figure<double>(kind, "flops"),
                                   figure<double>(kind, "bytes")});
    return account;
}

Json spreadsJson(const std::vector<Spread>& spreads) {
    Json list = Json::array();
    for (const Spread& spread : spreads) list.push_back({{"of", spread.what}, {"share", spread.share}});
    return list;
}

std::vector<Spread> readSpreads(const Json& json) {
    std::vector<Spread> spreads;
    for (const Json& entry : json)
        spreads.push_back({entry.at("of").get<std::string>(), figure<double>(entry, "share")});
    return spreads;
}

std::vector<BlockProfile> readBlocks(const Json& json) {
    std::vector<BlockProfile> blocks;
    for (const Json& entry : json) {
        BlockProfile& block = blocks.emplace_back();
        block.layers = figure<int>(entry, "layers");
        for (const Json& part : entry.at("parts")) block.parts.push_back(readPart(part));
    }
    if (blocks.empty()) throw Failure(say("blocks is empty"));
    return blocks;
}

Layout readLayoutOf(const Json& json) {
    auto parsed = parseLayout(json.dump());
    if (!parsed) throw Failure(parsed.error().told());
    if (!parsed->faults.empty()) throw Failure(toText(parsed->faults));
    return std::move(parsed->layout);
}

Profile profileOf(const Json& json) {
    const int version = figure<int>(json, "shardlab_profile");
    if (version < 1 || version > Profile::currentVersion)
        throw Failure(
            say("it has version {}, this program reads versions 1 to {}", version, int{Profile::currentVersion}));
    Profile profile;
    profile.machine = {json.at("processor").get<std::string>(), figure<int>(json, "cores")};
    profile.date = json.at("date").get<std::string>();
    profile.threads = figure<int>(json, "threads");
    profile.embedding = readPart(json.at("embedding"));
    profile.blocks = readBlocks(json.at("blocks"));
    profile.output = readPart(json.at("output"));
    profile.send = readLink(json.at("send"));
    profile.allReduce = readLink(json.at("all_reduce"));
    profile.actionSeconds = figure<double>(json, "action_seconds");
    if (version >= 2) profile.kernels = readKernels(json.at("kernels"));
    profile.stepSeconds = figure<double>(json, "step_seconds");
    profile.predictedStepSeconds = figure<double>(json, "predicted_step_seconds");
    if (json.contains("spreads")) profile.spreads = readSpreads(json.at("spreads"));
    profile.layout = readLayoutOf(json.at("layout"));
    return profile;
}

}  // namespace

std::string writeProfile(const Profile& profile) {
    Json blocks = Json::array();
    for (const BlockProfile& block : profile.blocks) {
        Json parts = Json::array();
        for (const PartProfile& part : block.parts) parts.push_back(partJson(part));
        blocks.push_back({{"layers", block.layers}, {"parts", std::move(parts)}});
    }
    Json json{{"shardlab_profile", Profile::currentVersion},
              {"date", profile.date},
              {"processor", profile.machine.processor},
              {"cores", profile.machine.cores},
              {"threads", profile.threads},
              {"embedding", partJson(profile.embedding)},
              {"blocks", std::move(blocks)},
              {"output", partJson(profile.output)},
              {"send", linkJson(profile.send)},
              {"all_reduce", linkJson(profile.allReduce)},
              {"action_seconds", profile.actionSeconds},
              {"kernels", kernelsJson(profile.kernels)},
              {"step_seconds", profile.stepSeconds},
              {"predicted_step_seconds", profile.predictedStepSeconds}};
    if (!profile.spreads.empty()) json["spreads"] = spreadsJson(profile.spreads);
    json["layout"] = Json::parse(writeLayout(profile.layout));
    return json.dump(2) + "\n";
}

Result<Profile> parseProfile(std::string_view text) {
    if (const Result<JsonText> json = parseJsonText(text); !json)
        return fail(Error{say("this is no profile"), json.error().where, json.error().why,
                          say("what shardlab profile writes")});
    const auto refuse = [](const Sentence& why) {
        return fail(Error{say("this is no profile"), {}, why, say("what shardlab profile writes")});
    };
    try {
        return profileOf(Json::parse(text));
    } catch (const Json::exception& error) {
        return refuse(jsonReason(error.what()));
    } catch (const std::exception& error) {
        return refuse(saidBy(error));
    }
}

}  // namespace shardlab::predict
