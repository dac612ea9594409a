// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/run_comparison.h"

#include "engine/base/json_fields.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson known(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }
OrderedJson pair(const Compared& figure) {
    return {{"a", known(figure.a)}, {"b", known(figure.b)}, {"difference", known(figure.difference())}};
}
OrderedJson layers(std::pair<int, int> range) {
    return range.second < range.first ? OrderedJson(nullptr) : OrderedJson{range.first, range.second};
}
std::string kindName(EventKind kind) { return std::string(name(kind)); }

OrderedJson side(const ComparedSide& side, const std::string& file) {
    return {{"run", file},         {"name", side.name},       {"source", side.predicted ? "predicted" : "measured"},
            {"paced", side.paced}, {"stretch", side.stretch}, {"ranks", side.ranks},
            {"steps", side.steps}};
}

OrderedJson losses(const std::optional<RunComparison::Losses>& losses) {
    if (!losses) return nullptr;
    return {{"steps", losses->steps},
            {"tolerance", losses->tolerance},
            {"largest_relative_difference",
             std::isfinite(losses->largest) ? OrderedJson(losses->largest) : OrderedJson(nullptr)},
            {"largest_step", losses->largestStep},
            {"first_step_apart", losses->firstApart ? OrderedJson(*losses->firstApart) : OrderedJson(nullptr)}};
}

}  // namespace

std::string toJson(const RunComparison& c, const std::string& nameA, const std::string& nameB) {
    const OrderedJson json{
        {"a", side(c.a, nameA)},
        {"b", side(c.b, nameB)},
        {"first_step", c.firstStep},
        {"last_step", c.lastStep},
        {"compared_steps", c.stepCount},
        {"aligned_actions", c.alignedActions},
        {"step_seconds", pair(c.stepSeconds)},
        {"bubble", pair(c.bubble)},
        {"sent_bytes", pair(c.sentBytes)},
        {"losses", losses(c.losses)},
        {"largest", listOf(c.largest,
                           [](const RunComparison::Difference& row) {
                               OrderedJson object{{"action", row.action ? OrderedJson(toText(actionFromId(row.action)))
                                                                        : OrderedJson(nullptr)},
                                                  {"kind", kindName(row.kind)},
                                                  {"rank_a", row.rankA},
                                                  {"rank_b", row.rankB},
                                                  {"steps", row.steps},
                                                  {"seconds", pair(row.seconds)}};
                               object["worst_step"] = row.worstStep;
                               object["worst_difference"] = row.worst;
                               return object;
                           })},
        {"kinds", listOf(c.kinds,
                         [](const RunComparison::Kind& row) {
                             return OrderedJson{{"kind", kindName(row.kind)},
                                                {"count", pair(row.count)},
                                                {"seconds", pair(row.seconds)}};
                         })},
        {"ranks", listOf(c.ranks,
                         [](const RunComparison::Rank& row) {
                             return OrderedJson{{"rank_a", row.a},
                                                {"rank_b", row.b},
                                                {"label", row.label},
                                                {"computing", pair(row.computing)},
                                                {"waiting", pair(row.waiting)},
                                                {"communicating", pair(row.communicating)},
                                                {"updating", pair(row.updating)}};
                         })},
        {"stages", listOf(c.stages,
                          [](const RunComparison::Stage& row) {
                              return OrderedJson{{"stage", row.stage},
                                                 {"layers_a", layers(row.layersA)},
                                                 {"layers_b", layers(row.layersB)},
                                                 {"seconds", pair(row.seconds)}};
                          })},
        {"layers", listOf(c.layers,
                          [](const RunComparison::Layer& row) {
                              return OrderedJson{{"layer", row.layer},
                                                 {"stage_a", row.stageA},
                                                 {"stage_b", row.stageB},
                                                 {"seconds", pair(row.seconds)}};
                          })},
        {"step",
         listOf(c.steps,
                [](const RunComparison::Step& row) {
                    return OrderedJson{{"step", row.step}, {"seconds", pair(row.seconds)}, {"loss", pair(row.loss)}};
                })},
        {"notes", listOf(c.notes, [](const Sentence& note) { return OrderedJson(note.english()); })}};
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace shardlab::trace
