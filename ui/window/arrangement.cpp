// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/arrangement.h"

#include <algorithm>
#include <initializer_list>
#include <set>

namespace shardlab::ui {
namespace {

constexpr int lowHeight = 720;
constexpr QSize tight(1040, 600);

Place view(const char* id, int size, bool grows = true) {
    return {.view = QString::fromLatin1(id), .size = size, .grows = grows};
}
Place beside(int size, std::vector<Place> parts, bool grows = true) {
    return {.size = size, .grows = grows, .orientation = Qt::Horizontal, .parts = std::move(parts)};
}
Place above(int size, std::vector<Place> parts, bool grows = true) {
    return {.size = size, .grows = grows, .orientation = Qt::Vertical, .parts = std::move(parts)};
}

Place fitting(const char* id, int size) {
    Place place = view(id, size, false);
    place.fits = true;
    return place;
}

/// A column at the edge: of that width in a window of 1280 pixels, of the other in one of 2560.
Place column(int size, int wide, std::vector<Place> parts) {
    Place place = above(size, std::move(parts), false);
    place.wide = wide;
    return place;
}

Place tabs(int size, std::initializer_list<const char*> views) {
    Place group{.size = size, .tabbed = true};
    for (const char* id : views) group.parts.push_back(view(id, size));
    return group;
}

/// A stack of tabs at the edge, which keeps its width.
Place sideTabs(int size, std::initializer_list<const char*> views) {
    Place group = tabs(size, views);
    group.grows = false;
    return group;
}

Place designed(bool low) {
    std::vector<Place> middle;
    if (low) middle.push_back(tabs(350, {"timeline", "memory_over_time", "waterfall", "order", "area", "inside"}));
    else middle = {view("timeline", 210), tabs(140, {"memory_over_time", "order", "area", "inside"})};
    middle.push_back(beside(290, {tabs(270, {"memory_per_rank", "activations", "critical_path"}),
                                  low ? tabs(330, {"candidates", "schedules", "kernels", "evidence"})
                                      : tabs(330, {"candidates", "waterfall", "schedules", "kernels", "evidence"})}));
    return beside(1200,
                  {above(318, {view("layout_form", 460), tabs(140, {"mesh", "traffic", "traffic_matrix"})}, false),
                   above(600, std::move(middle)),
                   column(270, 400, {view("sliders", 134, false), fitting("answer", 266), view("notes", 240)})});
}

Place watched(bool replayed, bool low) {
    std::vector<Place> middle;
    if (replayed) middle.push_back(view("replay", 52, false));
    middle.push_back(view("figures", 74, false));
    middle.push_back(replayed ? tabs(290, {"timeline", "compare"}) : view("timeline", 290));
    if (!low) middle.push_back(view("memory_over_time", 96));
    middle.push_back(beside(
        200, {low ? tabs(380, {"memory_per_rank", "memory_over_time", "counters", "inside"})
                  : tabs(380, {"memory_per_rank", "counters", "inside"}),
              tabs(520, {"loss", "loss_scale", "scales", "gradients", "experts", "exchange", "query", "area"})}));
    return beside(1200, {above(930, std::move(middle)),
                         column(270, 400,
                                {view("mesh", 190), tabs(210, {"selected", "critical_path", "traffic_matrix"}),
                                 tabs(190, {"events", "run_notes"})})});
}

Place taught(bool low) {
    std::vector<Place> right{view("figures", 74, false)};
    right.push_back(low ? tabs(290, {"timeline", "memory_over_time"}) : view("timeline", 290));
    if (!low) right.push_back(view("memory_over_time", 96));
    right.push_back(
        beside(200, {tabs(250, {"memory_per_rank", "selected", "inside"}),
                     tabs(350, {"loss", "loss_scale", "scales", "gradients", "experts", "exchange", "mesh"})}));
    return beside(1200, {column(460, 720, {view("lesson", 600)}), above(740, std::move(right))});
}

/// The timeline's stack has all that is as wide as it; beside it stands what is read or filled in.
Place tightlyPlaced(Workspace workspace) {
    switch (workspace) {
    case Workspace::Design:
        return beside(
            1200, {sideTabs(318, {"layout_form", "answer", "sliders", "notes", "mesh", "traffic", "traffic_matrix"}),
                   tabs(600, {"timeline", "candidates", "memory_per_rank", "memory_over_time", "waterfall", "order",
                              "area", "inside", "activations", "critical_path", "schedules", "kernels", "evidence"})});
    case Workspace::Learn:
        return beside(1200,
                      {sideTabs(400, {"lesson"}),
                       tabs(600, {"timeline", "figures", "loss", "memory_per_rank", "memory_over_time", "mesh",
                                  "selected", "inside", "loss_scale", "scales", "gradients", "experts", "exchange"})});
    case Workspace::Home: return above(1200, {view("home", 600)});
    case Workspace::Run:
    case Workspace::Replay: break;
    }
    std::vector<Place> middle;
    if (workspace == Workspace::Replay) middle.push_back(view("replay", 52, false));
    middle.push_back(
        tabs(400, {"timeline", "compare", "loss", "memory_per_rank", "memory_over_time", "counters", "inside",
                   "loss_scale", "scales", "gradients", "experts", "exchange", "query", "area"}));
    return beside(1200,
                  {above(600, std::move(middle)), sideTabs(250, {"figures", "mesh", "selected", "events",
                                                                 "critical_path", "traffic_matrix", "run_notes"})});
}

Place placesOf(Workspace workspace, Room room) {
    if (room == Room::Tight) return tightlyPlaced(workspace);
    const bool low = room == Room::Low;
    switch (workspace) {
    case Workspace::Design: return designed(low);
    case Workspace::Learn: return taught(low);
    case Workspace::Home: return above(1200, {view("home", 600)});
    case Workspace::Run:
    case Workspace::Replay: break;
    }
    return watched(workspace == Workspace::Replay, low);
}

/// Drops views that do not exist here, notes those that do; false where nothing is left.
bool keepKnown(Place& place, const std::set<QString>& known, std::set<QString>& placed) {
    if (place.parts.empty()) {
        if (!known.contains(place.view)) return false;
        placed.insert(place.view);
        return true;
    }
    std::erase_if(place.parts, [&](Place& part) { return !keepKnown(part, known, placed); });
    return !place.parts.empty();
}

}  // namespace

Room roomIn(const QSize& area) {
    if (area.width() < tight.width() || area.height() < tight.height()) return Room::Tight;
    return area.height() < lowHeight ? Room::Low : Room::Ample;
}

Place defaultArrangement(Workspace workspace, Room room) {
    std::set<QString> known;
    for (const ViewKind& kind : viewKinds())
        if (kind.appearsIn(workspace)) known.insert(QString::fromLatin1(kind.id));
    Place whole = placesOf(workspace, room);
    std::set<QString> placed;
    keepKnown(whole, known, placed);
    for (const ViewKind& kind : viewKinds()) {
        const QString id = QString::fromLatin1(kind.id);
        if (!known.contains(id) || placed.contains(id)) continue;
        std::vector<Place>& columns = whole.parts;
        if (columns.empty() || columns.back().parts.empty()) columns.push_back(above(262, {}, false));
        columns.back().parts.push_back(view(kind.id, 160));
    }
    return whole;
}

}  // namespace shardlab::ui
