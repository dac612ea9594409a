// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/analysis/run_comparison.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using Json = nlohmann::ordered_json;

Json known(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json pair(const Compared& figure) {
    return {{"a", known(figure.a)}, {"b", known(figure.b)}, {"difference", known(figure.difference())}};
}
Json layers(std::pair<int, int> range) {
    return range.second < range.first ? Json(nullptr) : Json{range.first, range.second};
}
std::string kindName(EventKind kind) { return std::string(name(kind)); }

Json side(const ComparedSide& side, const std::string& file) {
    return {{"run", file},         {"name", side.name},       {"source", side.predicted ? "predicted" : "measured"},
            {"paced", side.paced}, {"stretch", side.stretch}, {"ranks", side.ranks},
            {"steps", side.steps}};
}

Json losses(const std::optional<RunComparison::Losses>& losses) {
    if (!losses) return nullptr;
    return {{"steps", losses->steps},
            {"tolerance", losses->tolerance},
            {"largest_relative_difference", std::isfinite(losses->largest) ? Json(losses->largest) : Json(nullptr)},
            {"largest_step", losses->largestStep},
            {"first_step_apart", losses->firstApart ? Json(*losses->firstApart) : Json(nullptr)}};
}

template <class Rows, class Write>
Json rowsOf(const Rows& rows, Write write) {
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(write(row));
    return list;
}

}  // namespace

std::string toJson(const RunComparison& c, const std::string& nameA, const std::string& nameB) {
    const Json json{
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
        {"largest", rowsOf(c.largest,
                           [](const RunComparison::Difference& row) {
                               Json object{
                                   {"action", row.action ? Json(toText(actionFromId(row.action))) : Json(nullptr)},
                                   {"kind", kindName(row.kind)},
                                   {"rank_a", row.rankA},
                                   {"rank_b", row.rankB},
                                   {"steps", row.steps},
                                   {"seconds", pair(row.seconds)}};
                               object["worst_step"] = row.worstStep;
                               object["worst_difference"] = row.worst;
                               return object;
                           })},
        {"kinds",
         rowsOf(
             c.kinds,
             [](const RunComparison::Kind& row) {
                 return Json{{"kind", kindName(row.kind)}, {"count", pair(row.count)}, {"seconds", pair(row.seconds)}};
             })},
        {"ranks", rowsOf(c.ranks,
                         [](const RunComparison::Rank& row) {
                             return Json{{"rank_a", row.a},
                                         {"rank_b", row.b},
                                         {"label", row.label},
                                         {"computing", pair(row.computing)},
                                         {"waiting", pair(row.waiting)},
                                         {"communicating", pair(row.communicating)},
                                         {"updating", pair(row.updating)}};
                         })},
        {"stages", rowsOf(c.stages,
                          [](const RunComparison::Stage& row) {
                              return Json{{"stage", row.stage},
                                          {"layers_a", layers(row.layersA)},
                                          {"layers_b", layers(row.layersB)},
                                          {"seconds", pair(row.seconds)}};
                          })},
        {"layers", rowsOf(c.layers,
                          [](const RunComparison::Layer& row) {
                              return Json{{"layer", row.layer},
                                          {"stage_a", row.stageA},
                                          {"stage_b", row.stageB},
                                          {"seconds", pair(row.seconds)}};
                          })},
        {"step", rowsOf(c.steps,
                        [](const RunComparison::Step& row) {
                            return Json{{"step", row.step}, {"seconds", pair(row.seconds)}, {"loss", pair(row.loss)}};
                        })},
        {"notes", rowsOf(c.notes, [](const Sentence& note) { return Json(note.english()); })}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace shardlab::trace
