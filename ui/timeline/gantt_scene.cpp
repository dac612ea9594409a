// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/gantt_scene.h"

#include "ui/timeline/action_parts.h"
#include "ui/timeline/figure_strips.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::ui {

namespace {

// The least bar that holds a microbatch number, and what each more digit takes, in pixels.
constexpr int numberWidth = 13, numberHeight = 12, digitWidth = 6;
constexpr std::size_t mostNumbers = 3000;
constexpr std::size_t stepsDrawnEach = 2;  ///< predicted ones; of more in sight one is drawn, again and again
constexpr double farthest = 1 << 28;       ///< pixels away at which a step may begin
constexpr int readingMilliseconds = 4;     ///< of a frame; what is then not yet there comes in a later one
constexpr int leastStepWidth = 12;         ///< pixels of a step below which its predicted band would be noise

/// Joins equal neighbours of one colour, so that a full stretch of columns is one rectangle.
void addJoined(GanttScene::Batch& batch, const QRect& rect) {
    if (!batch.empty()) {
        QRect& last = batch.back();
        if (last.right() + 1 == rect.left() && last.top() == rect.top() && last.height() == rect.height()) {
            last.setRight(rect.right());
            return;
        }
    }
    batch.push_back(rect);
}

class Builder {
public:
    Builder(GanttScene& scene, const RunModel& model, const RunIndex& index, const TimeScale& scale, double letters)
        : scene_(scene), model_(model), index_(index), scale_(scale), letters_(letters),
          pipeline_(std::max(1, model.header().layout.parallel.pipeline)),
          chunked_(model.header().layout.schedule.chunks > 1), predicted_(showsPrediction(model)) {}

    void idle(const std::vector<Row>& rows) {
        const int right = scale_.left + scale_.width;
        std::vector<std::pair<int, int>> stretches;
        const auto add = [&](std::int64_t begin, std::int64_t end) {
            if (begin < 0 || end <= begin || end < scale_.begin || begin > scale_.end) return;
            const int x0 = std::max(scale_.left, static_cast<int>(scale_.x(std::max(begin, scale_.begin))));
            const int x1 = std::min(right, static_cast<int>(std::ceil(scale_.x(std::min(end, scale_.end)))));
            if (!stretches.empty() && x0 <= stretches.back().second + 1)
                stretches.back().second = std::max(x1, stretches.back().second);
            else if (x1 > x0) stretches.emplace_back(x0, x1);
        };
        if (showsPrediction(model_)) {
            add(model_.prediction().firstForward(), model_.prediction().lastBackward());
        } else {
            const auto& extents = model_.steps().extents();
            const StepRange steps = stepsWithin(model_, scale_.begin, scale_.end);
            const std::size_t stride =
                std::max<std::size_t>(1, (steps.last - steps.first) / static_cast<std::size_t>(scale_.width));
            const auto all = [&](const auto& active) {
                stretches.clear();
                for (std::size_t i = steps.first; i < steps.last; i += stride)
                    if (active(extents[i].step))
                        add(extents[i].firstForward, extents[std::min(i + stride, steps.last) - 1].lastBackward);
            };
            all([](int) { return true; });
            for (const Row& row : rows) {
                if (model_.steps().resized()) all([&](int step) { return takesPart(model_, row.rank, step); });
                for (const auto& [x0, x1] : stretches) scene_.idle.emplace_back(x0, row.barTop, x1 - x0, row.barHeight);
            }
            return;
        }
        for (const Row& row : rows) {
            for (const auto& [x0, x1] : stretches) scene_.idle.emplace_back(x0, row.barTop, x1 - x0, row.barHeight);
        }
    }

    /// Draws the bars of the prediction where that is what is shown, else those of the measured events.
    void bars(const Row& row) {
        const LaneShape shape = shapeOf(row.rank, Lane::Compute);
        if (!shape.columns.empty()) {
            barColumns(row, shape.columns, columnsOf(row.rank, Lane::Comm));
            return;
        }
        for (const Bar& bar : shape.bars) addBar(row, bar);
        const LaneShape other = shapeOf(row.rank, Lane::Comm);
        for (const Bar& bar : other.bars) addBar(row, bar);
        for (const Column& column : other.columns) {
            tickColumn(row, column);
            if (column.share[static_cast<std::size_t>(Paint::Reduce)] > 0.5f)
                addJoined(scene_.reduces[GanttScene::colour(Paint::Reduce, false)],
                          {column.x, row.barTop, 1, row.barHeight});
        }
    }

    /// A snapshot halts training and fills the bar; writing it runs beside training, as a strip below. So do copies
    /// between a device and its host.
    void copies(const Row& row) {
        if (predicted_ ? index_.predicted(row.rank, Lane::Copy).events->empty()
                       : model_.store().lane(row.rank, Lane::Copy).empty())
            return;
        const auto draw = [&](Lane lane, Paint paint, const QRect& place) {
            const std::size_t colour = GanttScene::colour(paint, false);
            const LaneShape shape = shapeOf(row.rank, lane);
            for (const Bar& bar : shape.bars)
                if (paintOf(bar.event.kind) == paint)
                    scene_.bars[colour].emplace_back(bar.left, place.top(), bar.right - bar.left, place.height());
            for (const Column& column : shape.columns)
                if (column.share[static_cast<std::size_t>(paint)] > 0)
                    addJoined(scene_.bars[colour], {column.x, place.top(), 1, place.height()});
        };
        draw(Lane::Host, Paint::Checkpoint, {0, row.barTop, 1, row.barHeight});
        for (const Paint paint : {Paint::Checkpoint, Paint::Transfer}) draw(Lane::Copy, paint, copyStrip(row));
    }

    /// What actions are made of, where that was recorded.
    void parts(const Row& row) { addParts(scene_, model_, shapeOf(row.rank, Lane::Host), row, letters_); }

    /// What an imported run's program gave a name, where its prediction would be; one within another is darker.
    void annotations(const Row& row) {
        const LaneShape shape = shapeOf(row.rank, Lane::Host);
        std::int64_t until = 0;
        for (const Bar& bar : shape.bars) {
            const Event& event = bar.event;
            if (event.kind != EventKind::Annotation) continue;
            const bool nested = event.begin < until;
            until = std::max(until, event.end);
            const int gap = bar.right - bar.left > 3 ? 1 : 0;
            scene_.predicted[GanttScene::colour(Paint::Annotation, nested)].emplace_back(
                bar.left, row.bandTop, bar.right - bar.left - gap, row.bandHeight);
        }
        for (const Column& column : shape.columns)
            if (column.share[static_cast<std::size_t>(Paint::Annotation)] > 0)
                addJoined(scene_.predicted[GanttScene::colour(Paint::Annotation, false)],
                          {column.x, row.bandTop, 1, row.bandHeight});
    }

    /// Where a predicted step is drawn: added to its times, the pixel where its time 0 lies, and [from, to) of those in
    /// sight.
    struct Place {
        std::int64_t offset;
        int zero, from, to;
    };
    /// Draws the predicted band above a row. Where many steps are in sight, all of them look alike, to the pixel.
    void band(const Row& row, const std::vector<Place>& places) {
        for (const Lane lane : {Lane::Comm, Lane::Compute}) {
            if (places.size() > stepsDrawnEach) {
                bandAt(row, predictedShape(row.rank, lane, places), places);
                continue;
            }
            const LaneView view = index_.predicted(row.rank, lane);
            for (const Place& place : places)
                bandAt(row, laneShape(*view.events, *view.index, scale_, place.offset, place.from, place.to),
                       {{0, 0, place.from, place.to}});
        }
    }

private:
    void bandAt(const Row& row, const LaneShape& shape, const std::vector<Place>& places) {
        for (const Bar& bar : shape.bars) {
            const Paint paint = paintOf(bar.event.kind);
            if (!isBar(paint)) continue;
            const int gap = bar.right - bar.left > 3 ? 1 : 0;
            GanttScene::Batch& batch = scene_.predicted[GanttScene::colour(paint, dark(bar.event))];
            for (const Place& place : places) {
                const int left = std::max(bar.left + place.zero, place.from);
                const int right = std::min(bar.right + place.zero, place.to);
                if (left < right)
                    batch.emplace_back(left, row.bandTop, std::max(1, right - left - gap), row.bandHeight);
            }
        }
        for (const Stretch& each : largestOf(shape.columns)) {
            GanttScene::Batch& batch = scene_.predicted[GanttScene::colour(each.paint, false)];
            for (const Place& place : places) {
                const int left = std::max(each.left + place.zero, place.from);
                const int right = std::min(each.right + place.zero, place.to);
                if (left < right) batch.emplace_back(left, row.bandTop, right - left, row.bandHeight);
            }
        }
    }

    LaneShape shapeOf(int rank, Lane lane) const {
        const int from = scale_.left, to = scale_.left + scale_.width;
        if (!predicted_) return laneShape(model_.store().lane(rank, lane), index_.blocks(), scale_, from, to);
        const LaneView view = index_.predicted(rank, lane);
        return laneShape(*view.events, *view.index, scale_, 0, from, to);
    }
    /// What any of the places needs of it; time 0 at pixel 0.
    LaneShape predictedShape(int rank, Lane lane, const std::vector<Place>& places) const {
        int from = std::numeric_limits<int>::max(), to = std::numeric_limits<int>::min();
        for (const Place& place : places) {
            from = std::min(from, place.from - place.zero);
            to = std::max(to, place.to - place.zero);
        }
        if (from >= to) return {};
        const TimeScale scale{static_cast<std::int64_t>(from * scale_.perPixel()),
                              static_cast<std::int64_t>(to * scale_.perPixel()), from, to - from};
        if (scale.end <= scale.begin) return {};
        const LaneView view = index_.predicted(rank, lane);
        return laneShape(*view.events, *view.index, scale, 0, from, to);
    }

    /// Pixels [left, right) in which one paint fills the most.
    struct Stretch {
        int left, right;
        Paint paint;
    };
    static std::vector<Stretch> largestOf(const std::vector<Column>& columns) {
        std::vector<Stretch> stretches;
        for (const Column& column : columns) {
            const auto largest = std::max_element(column.share.begin(), column.share.end());
            const auto paint = static_cast<Paint>(largest - column.share.begin());
            if (!isBar(paint) || *largest <= 0.25f) continue;
            const bool goesOn =
                !stretches.empty() && stretches.back().paint == paint && stretches.back().right == column.x;
            if (goesOn) ++stretches.back().right;
            else stretches.push_back({column.x, column.x + 1, paint});
        }
        return stretches;
    }

    std::vector<Column> columnsOf(int rank, Lane lane) const {
        const int from = scale_.left, to = scale_.left + scale_.width;
        if (!predicted_) return laneColumns(model_.store().lane(rank, lane), index_.blocks(), scale_, from, to);
        const LaneView view = index_.predicted(rank, lane);
        return laneColumns(*view.events, *view.index, scale_, 0, from, to);
    }

    bool dark(const Event& event) const {
        return chunked_ && event.action != 0 && (actionFromId(event.action).stage / pipeline_) % 2 == 1;
    }

    void addBar(const Row& row, const Bar& bar) {
        const Event& event = bar.event;
        const Paint paint = paintOf(event.kind);
        if (paint == Paint::None) return;
        const int width = bar.right - bar.left;
        const std::size_t colour = GanttScene::colour(paint, dark(event));
        if (paint == Paint::Transfer) {
            scene_.ticks[colour].emplace_back(bar.left, row.barTop + row.barHeight - row.tickHeight, width,
                                              row.tickHeight);
            return;
        }
        const QRect rect(bar.left, row.barTop, width > 3 ? width - 1 : width, row.barHeight);
        auto& batches = paint == Paint::Reduce      ? scene_.reduces
                        : paint == Paint::Recompute ? scene_.recomputed
                                                    : scene_.bars;
        batches[colour].push_back(rect);
        if (paint == Paint::Recompute) {  // numbered by what it lies in
            if (!scene_.numbers.empty()) keepClear(scene_.numbers.back(), rect);
            return;
        }
        if (row.barHeight < numberHeight * letters_ || scene_.numbers.size() >= mostNumbers || event.action == 0)
            return;
        const int microbatch = actionFromId(event.action).microbatch;
        // Bars of equally long actions differ by a pixel: their lengths decide, so that all have numbers or none has.
        const double length = scale_.x(event.end) - scale_.x(event.begin), needed = widthOf(microbatch);
        if (microbatch < 0 || length < needed || width + 1 < needed) return;
        scene_.numbers.push_back({rect, microbatch, colour});
        for (const GanttScene::Batch& outlines : scene_.recomputed)
            if (!outlines.empty()) keepClear(scene_.numbers.back(), outlines.back());
    }

    double widthOf(int microbatch) const {
        return (numberWidth + digitWidth * ((microbatch > 9 ? 1 : 0) + (microbatch > 99 ? 1 : 0))) * letters_;
    }

    /// A number stands beside what is computed again within its bar, where there is room for it: the outlines would
    /// cross it.
    void keepClear(GanttScene::Number& number, const QRect& outline) const {
        if (!number.box.intersects(outline)) return;
        QRect before = number.box, after = number.box;
        before.setRight(outline.left() - 1);
        after.setLeft(outline.right() + 1);
        const QRect& wider = before.width() > after.width() ? before : after;
        if (wider.width() >= 2 * widthOf(number.microbatch)) number.box = wider;
        else number.crossed = true;
    }

    void tickColumn(const Row& row, const Column& column) {
        if (column.share[static_cast<std::size_t>(Paint::Transfer)] <= 0) return;
        addJoined(scene_.ticks[GanttScene::colour(Paint::Transfer, false)],
                  {column.x, row.barTop + row.barHeight - row.tickHeight, 1, row.tickHeight});
    }

    /// Shares stacked from the foot of the bar: the height that stays empty is the idle share.
    void barColumns(const Row& row, const std::vector<Column>& compute, const std::vector<Column>& comm) {
        GanttScene::Strip& strip =
            scene_.strips.emplace_back(QRect(scale_.left, row.barTop, scale_.width, row.barHeight));
        auto other = comm.begin();
        const auto stack = [&](int x, const std::array<float, paintCount>& share) {
            float below = 0;
            int bottom = row.barTop + row.barHeight;
            for (std::size_t i = 0; i < paintCount; ++i) {
                if (share[i] <= 0 || static_cast<Paint>(i) == Paint::Transfer) continue;
                below = std::min(1.0f, below + share[i]);
                const int top =
                    row.barTop + row.barHeight - static_cast<int>(below * static_cast<float>(row.barHeight) + 0.5f);
                strip.fill(x, top, bottom, GanttScene::colour(static_cast<Paint>(i), false));
                bottom = top;
            }
        };
        const auto otherOnly = [&] {
            tickColumn(row, *other);
            stack(other->x, other->share);
            ++other;
        };
        for (const Column& column : compute) {
            while (other != comm.end() && other->x < column.x) otherOnly();
            std::array<float, paintCount> share = column.share;
            if (other != comm.end() && other->x == column.x) {
                tickColumn(row, *other);
                constexpr auto reduce = static_cast<std::size_t>(Paint::Reduce);
                float sum = 0;
                for (const float part : share) sum += part;
                share[reduce] += std::min(other->share[reduce], std::max(0.0f, 1 - sum));
                ++other;
            }
            stack(column.x, share);
        }
        while (other != comm.end()) otherOnly();
    }

    GanttScene& scene_;
    const RunModel& model_;
    const RunIndex& index_;
    const TimeScale& scale_;
    double letters_;
    const int pipeline_;
    const bool chunked_;
    const bool predicted_;
};

}  // namespace

void GanttScene::clear() {
    idle.clear();
    numbers.clear();
    parts.clear();
    strips.clear();
    figures.clear();
    for (auto* batches : {&reduces, &bars, &recomputed, &ticks, &predicted}) {
        for (Batch& batch : *batches) batch.clear();
    }
}

std::size_t GanttScene::rectangles() const {
    std::size_t count = idle.size();
    for (const auto* batches : {&reduces, &bars, &recomputed, &ticks, &predicted}) {
        for (const Batch& batch : *batches) count += batch.size();
    }
    return count;
}

bool showsPrediction(const RunModel& model) { return model.recorded().events == 0 && model.steps().extents().empty(); }

std::int64_t predictedOffset(const RunModel& model, const StepExtent& extent) {
    return std::max(extent.firstForward, std::int64_t{0}) - model.prediction().firstForward();
}

StepRange stepsWithin(const RunModel& model, std::int64_t begin, std::int64_t end) {
    const auto& extents = model.steps().extents();
    const auto first =
        std::partition_point(extents.begin(), extents.end(), [&](const StepExtent& e) { return e.end < begin; });
    const auto last = std::partition_point(first, extents.end(), [&](const StepExtent& e) { return e.begin < end; });
    return {static_cast<std::size_t>(first - extents.begin()), static_cast<std::size_t>(last - extents.begin())};
}

void buildScene(GanttScene& scene, const RunModel& model, const RunIndex& index, const TimeScale& scale,
                const Rows& rows) {
    scene.clear();
    if (model.empty() || scale.width <= 0 || scale.end <= scale.begin) return;
    index.blocks().begin(model.store().cache(), readingMilliseconds);
    Builder builder(scene, model, index, scale, rows.letters());
    FigureStrips figures(model, scale);
    const std::vector<Row> visible = rows.visible();
    builder.idle(visible);
    const bool prediction = showsPrediction(model);
    for (const Row& row : visible) {
        if (prediction) {
            builder.bars(row);
            builder.copies(row);
        } else {
            figures.draw(scene, row);
            if (!figures.coarse()) builder.bars(row);
            builder.copies(row);
            if (model.header().hasLayout()) builder.parts(row);
            else builder.annotations(row);
        }
    }
    index.blocks().end();
    if (prediction || model.prediction().end() <= 0) return;
    const double stepWidth = static_cast<double>(model.prediction().end()) / scale.perPixel();
    if (stepWidth < leastStepWidth) return;
    const StepRange steps = stepsWithin(model, scale.begin - model.prediction().end(), scale.end);
    const auto pixel = [&](std::int64_t time) {
        return static_cast<int>(std::floor(scale.x(std::clamp(time, scale.begin, scale.end))));
    };
    std::vector<Builder::Place> places;
    for (const Row& row : visible) {
        const auto& events = model.prediction().lane(row.rank, Lane::Compute);
        const std::int64_t lag = events.empty() ? 0 : events.front().begin;
        places.clear();
        for (std::size_t i = steps.first; i < steps.last; ++i) {
            const StepExtent& extent = model.steps().extents()[i];
            if (extent.firstForward < 0 || !model.steps().isPredicted(extent.step)) continue;
            const std::int64_t offset = predictedOffset(model, extent);
            std::int64_t last = offset + model.prediction().end();
            // Up to the row's own begin of the next step: where steps are not flushed, rows begin it at different
            // times.
            if (i + 1 < model.steps().extents().size() && model.steps().extents()[i + 1].begin > 0)
                last = std::min(last, model.steps().extents()[i + 1].begin + lag);
            const double zero = std::floor(std::clamp(scale.x(offset), -farthest, farthest));
            places.push_back({offset, static_cast<int>(zero), pixel(offset), pixel(last)});
        }
        builder.band(row, places);
    }
}

QRect copyStrip(const Row& row) {
    const int top = row.barTop + row.barHeight + 1;
    return {0, top, 1, std::max(1, row.top + row.height - top - 2)};
}

QRect overflowMark(const Row& row, const TimeScale& scale, std::int64_t time) {
    constexpr int width = 11;
    constexpr int height = 9;
    return {static_cast<int>(std::floor(scale.x(time))) - width / 2, row.barTop - 2, width, height};
}

namespace {

const Event* overflowAt(const RunModel& model, const TimeScale& scale, const Row& row, int x, int y) {
    const auto reach = static_cast<std::int64_t>(scale.perPixel() * 8);
    const auto& overflows = model.points().overflows(row.rank);
    auto event = std::lower_bound(overflows.begin(), overflows.end(), scale.time(x) - reach,
                                  [](const Event& e, std::int64_t time) { return e.begin < time; });
    for (; event != overflows.end() && event->begin <= scale.time(x + 1) + reach; ++event)
        if (overflowMark(row, scale, event->begin).contains(x, y)) return &*event;
    return nullptr;
}

}  // namespace

std::optional<Event> eventAt(const RunModel& model, const RunIndex& index, const TimeScale& scale, const Rows& rows,
                             int x, int y) {
    const int position = rows.positionAt(y);
    if (model.empty() || position < 0 || x < scale.left || x >= scale.left + scale.width) return {};
    const Row row = rows.row(position);
    if (const Event* overflow = overflowAt(model, scale, row, x, y)) return *overflow;
    const bool prediction = showsPrediction(model);
    const auto expected = [&](Lane kind, std::int64_t offset) {
        const LaneView view = index.predicted(row.rank, kind);
        return eventAt(*view.events, *view.index, scale, offset, x + 0.5, 3);
    };
    const auto find = [&](Lane kind) {
        return prediction ? expected(kind, 0) : eventAt(model.store().lane(row.rank, kind), scale, x + 0.5, 3);
    };

    if (y >= row.bandTop && y < row.bandTop + row.bandHeight && !prediction && !model.header().hasLayout()) {
        return find(Lane::Host);
    }
    if (y >= row.bandTop && y < row.bandTop + row.bandHeight && !prediction) {
        const StepExtent* step = model.steps().extentAt(scale.time(x + 0.5));
        if (!step || !model.steps().isPredicted(step->step)) return {};
        const std::int64_t offset = predictedOffset(model, *step);
        const std::optional<Event> predicted = expected(Lane::Compute, offset);
        if (!predicted) return {};
        for (const Event& measured : eventsOfStep(model, row.rank, Lane::Compute, step->step)) {
            if (measured.action == predicted->action && measured.kind == predicted->kind) return measured;
        }
        Event moved = *predicted;
        moved.begin += offset;
        moved.end += offset;
        moved.step = step->step;
        return moved;
    }
    if (const QRect strip = copyStrip(row); y >= strip.top() && y <= strip.bottom()) {
        return find(Lane::Copy);
    }
    if (y < row.barTop || y >= row.barTop + row.barHeight) return {};
    if (const auto part = partAt(model, scale, row, rows.letters(), x, y)) return part;
    const std::optional<Event> compute = find(Lane::Compute);
    const std::optional<Event> comm = find(Lane::Comm);
    const bool onTicks = y >= row.barTop + row.barHeight - row.tickHeight;
    const bool computes = compute && paintOf(compute->kind) != Paint::None;
    if (comm && (onTicks || (!computes && paintOf(comm->kind) == Paint::Reduce))) return comm;
    if (compute) return compute;
    return prediction ? std::nullopt : find(Lane::Host);
}

}  // namespace shardlab::ui
