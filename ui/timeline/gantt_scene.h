// SPDX-License-Identifier: GPL-3.0-or-later
// The geometry of a timeline: rectangles sorted by colour, for one stretch of time and one arrangement of rows.
// Built when those or the data change, painted as often as wanted.
#pragma once

#include "ui/core/theme.h"
#include "ui/timeline/lane_shape.h"
#include "ui/timeline/rows.h"
#include "ui/timeline/run_index.h"

#include <QRect>
#include <QString>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

class QPainter;

namespace shardlab::ui {

class ScenePixels;

struct GanttScene {
    /// A colour: paint, and whether the darker shade that tells chunks of one rank apart.
    static constexpr std::size_t colours = paintCount * 2;
    static constexpr std::size_t colour(Paint paint, bool dark) {
        return static_cast<std::size_t>(paint) * 2 + (dark ? 1 : 0);
    }

    struct Number {  ///< a microbatch, centred in its bar
        QRect box;
        int microbatch;
        std::size_t colour;    ///< of the bar
        bool crossed = false;  ///< by outlines, for want of room beside them: it stands on a plate of the bar's colour
    };
    struct Part {  ///< a layer or an operation within an action (action_parts.h)
        QRect box;
        QString name;
        bool layer = false;
        bool products = false;  ///< an operation that multiplies matrices; memory bounds all others
    };
    using Batch = std::vector<QRect>;

    /// Pixel columns of one row, painted as a picture: far cheaper than a rectangle for each colour of each column.
    struct Strip {
        static constexpr std::uint8_t nothing = 255;
        QRect area;
        std::vector<std::uint8_t> cells;  ///< colour of each pixel, line by line
        explicit Strip(const QRect& place)
            : area(place),
              cells(static_cast<std::size_t>(place.width()) * static_cast<std::size_t>(place.height()), nothing) {}
        const std::uint8_t* line(int y) const {
            return cells.data() + static_cast<std::ptrdiff_t>(y - area.top()) * area.width();
        }
        /// Colours pixels [top, bottom) of the column at x.
        void fill(int x, int top, int bottom, std::size_t colour) {
            std::uint8_t* cell =
                cells.data() + static_cast<std::ptrdiff_t>(top - area.top()) * area.width() + (x - area.left());
            for (int y = top; y < bottom; ++y, cell += area.width()) *cell = static_cast<std::uint8_t>(colour);
        }
    };

    std::vector<QRect> idle;             ///< hatched
    std::array<Batch, colours> reduces;  ///< under compute: what stays visible of them is exposed
    std::array<Batch, colours> bars;
    std::array<Batch, colours> recomputed;  ///< outlined
    std::array<Batch, colours> ticks;       ///< transfers
    std::array<Batch, colours> predicted;   ///< the thin band
    std::vector<Number> numbers;
    std::vector<Strip> strips;
    std::vector<Strip> figures;  ///< of steps whose events are not there: what they were made of, fainter
    std::vector<Part> parts;     ///< of actions, over their bars

    void clear();
    std::size_t rectangles() const;
};

/// True while nothing was measured: the prediction is drawn as the bars.
bool showsPrediction(const RunModel& model);

void buildScene(GanttScene& scene, const RunModel& model, const RunIndex& index, const TimeScale& scale,
                const Rows& rows);
void paintScene(QPainter& painter, const GanttScene& scene, const Theme& theme);
/// The same over what `ground` draws on an empty panel; on a screen much faster, as `pixels` of `area`, which holds all
/// that is to be seen.
void paintScene(QPainter& painter, const GanttScene& scene, const Theme& theme, const QRect& area,
                const std::function<void(QPainter&)>& ground, ScenePixels& pixels);

/// Top and height of what is drawn of the copy lane, below the bar.
QRect copyStrip(const Row& row);
/// Where an overflow's marker stands in its rank's row; its foot points at the moment.
QRect overflowMark(const Row& row, const TimeScale& scale, std::int64_t time);

/// The overflow whose marker is at a pixel, else the measured event (predicted while nothing was measured; on the band,
/// the measured event of the same action, or the predicted one moved to where it is drawn).
std::optional<Event> eventAt(const RunModel& model, const RunIndex& index, const TimeScale& scale, const Rows& rows,
                             int x, int y);

/// Where the predicted events of a step are drawn: added to their times.
std::int64_t predictedOffset(const RunModel& model, const StepExtent& extent);

/// Steps in sight: indices [first, last) into model.steps().extents().
struct StepRange {
    std::size_t first;
    std::size_t last;
};
StepRange stepsWithin(const RunModel& model, std::int64_t begin, std::int64_t end);

}  // namespace shardlab::ui
