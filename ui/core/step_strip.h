// SPDX-License-Identifier: GPL-3.0-or-later
// A measured step as a small picture: a row for each sort of rank, on a time scale that others share, so that steps of
// several runs can be laid below each other.
#pragma once

#include "engine/trace/event/event.h"

#include <QRect>

#include <vector>

class QPainter;

namespace shardlab::ui {

class RunModel;
struct Theme;

struct StepStrip {
    static constexpr int mostRows = 8;
    struct Bar {
        int row = 0;
        double begin = 0, end = 0;  ///< seconds of the devices, from the step's begin
        EventKind kind = EventKind::Forward;
    };
    int rows = 0;  ///< 0: there is no step
    double seconds = 0;
    std::vector<Bar> bars;
};

/// The last step that every rank has ended. Ranks that do the same share a row, and of many the first ones have one.
StepStrip lastStepOf(const RunModel& model);

/// The strip takes as much of the place's width as its step has of `longest` seconds.
void paintStrip(QPainter& painter, const QRect& place, const StepStrip& strip, double longest, const Theme& theme);

}  // namespace shardlab::ui
