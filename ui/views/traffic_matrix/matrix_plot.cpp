// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/traffic_matrix/matrix_plot.h"

#include "engine/base/units.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int left = 34;
constexpr int top = 20;
constexpr int below = 26;
constexpr int leastText = 15;  ///< height of a cell in which a label fits
constexpr int scaleWidth = 60;
constexpr int scaleColours = 6;
constexpr double leastShare = 0.12;

QString text(std::int64_t bytes) { return QString::fromStdString(formatBytes(bytes)); }

/// How far a cell's colour is on the way to that of the largest cell. Equal ratios are equal ways, and a range within a
/// power of ten takes only a part of the colours, so that what is nearly alike looks so.
double shareOf(std::int64_t bytes, std::int64_t least, std::int64_t most) {
    const auto powers = [&](std::int64_t of) {
        return std::log10(static_cast<double>(most) / static_cast<double>(of));
    };
    return 1 - (1 - leastShare) * powers(bytes) / std::max(1.0, powers(least));
}

}  // namespace

MatrixPlot::MatrixPlot(const RunModel& model, Selection& selection, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), model_(model), selection_(selection), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bytes from rank to rank; arrows walk the cells"));
    connect(&selection_, &Selection::rankChanged, this, qOverload<>(&QWidget::update));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void MatrixPlot::setMatrix(std::optional<TrafficMatrix> matrix, TrafficMatrix::Part part) {
    matrix_ = std::move(matrix);
    part_ = part;
    if (!matrix_ || chosen_.first >= matrix_->ranks() || chosen_.second >= matrix_->ranks()) chosen_ = {-1, -1};
    update();
}

QRect MatrixPlot::grid() const {
    const int side = std::max(1, std::min(width() - left - 8, height() - top - below));
    return {left, top, side, side};
}

QRect MatrixPlot::cellRect(int from, int to) const {
    if (!matrix_ || matrix_->ranks() == 0) return {};
    const QRect whole = grid();
    const auto edge = [&](int index) { return whole.width() * index / matrix_->ranks(); };
    return QRect(QPoint(whole.left() + edge(to), whole.top() + edge(from)),
                 QPoint(whole.left() + edge(to + 1) - 1, whole.top() + edge(from + 1) - 1));
}

int MatrixPlot::labelStride() const {
    const int ranks = matrix_ ? matrix_->ranks() : 0, side = grid().height();
    return std::max(1, (leastText * ranks + side - 1) / side);
}

std::pair<int, int> MatrixPlot::at(QPoint position) const {
    const QRect whole = grid();
    if (!matrix_ || !whole.contains(position)) return {-1, -1};
    const auto index = [&](int pixels) {
        return std::min(matrix_->ranks() - 1, pixels * matrix_->ranks() / whole.width());
    };
    return {index(position.y() - whole.top()), index(position.x() - whole.left())};
}

QString MatrixPlot::textOf(int from, int to) const {
    if (!matrix_ || from < 0 || to < 0) return {};
    const TrafficMatrix::Cell cell = matrix_->cell(from, to, part_);
    if (cell.count == 0) return tr("rank %1 → rank %2: nothing").arg(from).arg(to);
    const int steps = std::max(1, matrix_->steps());
    return tr("rank %1 → rank %2: %3 a step in %4 sends")
        .arg(from)
        .arg(to)
        .arg(text(cell.bytes / steps), QString::fromStdString(formatCount(static_cast<double>(cell.count) / steps)));
}

void MatrixPlot::paintEvent(QPaintEvent*) {
    if (!matrix_) return;
    const Theme& theme = theme_.theme();
    QPainter painter(this);
    QFont font = theme.mono;
    font.setPixelSize(10);
    painter.setFont(font);
    const int ranks = matrix_->ranks();
    const int steps = std::max(1, matrix_->steps());
    const std::int64_t least = matrix_->smallest(part_), most = matrix_->largest(part_);
    const QColor low = theme.raised;
    const QColor high = theme.action(EventKind::Forward);
    painter.fillRect(grid(), theme.panel);
    for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) {
            const QRect rect = cellRect(from, to);
            const std::int64_t bytes = matrix_->cell(from, to, part_).bytes;
            const int gap = rect.width() > 6 ? 1 : 0;
            const QColor back = bytes > 0    ? mixed(low, high, shareOf(bytes, least, most))
                                : from == to ? theme.grid
                                             : low;
            painter.fillRect(rect.adjusted(0, 0, -gap, -gap), back);
            const QString figure = bytes > 0 && rect.height() >= leastText ? text(bytes / steps) : QString();
            if (figure.isEmpty() || painter.fontMetrics().horizontalAdvance(figure) + 4 > rect.width()) continue;
            painter.setPen(readableOn(back));
            painter.drawText(rect, Qt::AlignCenter, figure);
        }
    }
    const int stride = labelStride();
    const int widest = painter.fontMetrics().horizontalAdvance(QString::number(ranks - 1)) + 4;
    const int apart = std::max(1, grid().width() * stride / std::max(1, ranks));
    const int everyColumn = stride * ((widest + apart - 1) / apart);
    for (int rank = 0; rank < ranks; rank += stride) {
        const bool chosen = selection_.rank() == rank;
        painter.setPen(chosen ? theme.text : theme.dim);
        const QRect row = cellRect(rank, 0);
        const QRect column = cellRect(0, rank);
        painter.drawText(QRect(0, row.center().y() - 7, left - 5, 14), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(rank));
        if (rank % everyColumn == 0)
            painter.drawText(QRect(column.center().x() - 12, top - 16, 24, 14), Qt::AlignCenter, QString::number(rank));
    }
    painter.setBrush(Qt::NoBrush);
    if (const int rank = selection_.rank(); rank >= 0 && rank < ranks) {
        painter.setPen(theme.accent);
        painter.drawRect(cellRect(rank, 0).united(cellRect(rank, ranks - 1)).adjusted(0, 0, -1, -1));
        painter.drawRect(cellRect(0, rank).united(cellRect(ranks - 1, rank)).adjusted(0, 0, -1, -1));
    }
    if (chosen_.first >= 0) {
        painter.setPen(QPen(theme.text, 2));
        painter.drawRect(cellRect(chosen_.first, chosen_.second).adjusted(0, 0, -1, -1));
    }
    painter.setPen(theme.dim);
    font = theme.body;
    font.setPixelSize(11);
    painter.setFont(font);
    paintScale(painter, low, high);
}

QStringList MatrixPlot::scaleEnds() const {
    if (!matrix_ || matrix_->largest(part_) == 0) return {};
    const int steps = std::max(1, matrix_->steps());
    QStringList ends{text(matrix_->smallest(part_) / steps), text(matrix_->largest(part_) / steps)};
    ends.removeDuplicates();
    return ends;
}

/// Below the grid: what was chosen, else how to read it; at the right what the colours mean, from the smallest cell
/// that has bytes to the largest.
void MatrixPlot::paintScale(QPainter& painter, const QColor& low, const QColor& high) const {
    const QFontMetrics metrics = painter.fontMetrics();
    const QRect line(8, grid().bottom() + 4, width() - 16, 18);
    int room = line.width();
    const QStringList ends = scaleEnds();
    if (chosen_.first < 0 && !ends.isEmpty()) {
        const QString least = ends.size() > 1 ? ends.front() : QString(), most = ends.back();
        const int colours = ends.size() > 1 ? scaleColours : 1, width = scaleWidth * colours / scaleColours;
        const int right = line.right() - metrics.horizontalAdvance(most);
        const QRect scale(right - width - 4, line.center().y() - 4, width, 9);
        const int begin = scale.left() - metrics.horizontalAdvance(least) - 4;
        painter.drawText(QRect(begin, line.top(), line.right() - begin + 1, line.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, least);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, most);
        const std::int64_t smallest = matrix_->smallest(part_);
        const double first = shareOf(smallest, smallest, matrix_->largest(part_));
        for (int colour = 0; colour < colours; ++colour) {
            const double share = colours > 1 ? first + (1 - first) * colour / (colours - 1) : 1;
            painter.fillRect(scale.left() + width * colour / colours, scale.top(), width / colours - 1, scale.height(),
                             mixed(low, high, share));
        }
        room = begin - line.left() - 8;
    }
    const QString said = chosen_.first >= 0 ? textOf(chosen_.first, chosen_.second) : tr("row → column, a step");
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(said, Qt::ElideRight, room));
}

void MatrixPlot::choose(int from, int to) {
    chosen_ = {from, to};
    if (from >= 0) selection_.setRank(from);
    setAccessibleDescription(textOf(from, to));
    update();
}

QString MatrixPlot::wordsAt(const QPoint& at) const {
    const auto [from, to] = this->at(at);
    return from >= 0 ? textOf(from, to) : QString();
}

void MatrixPlot::mouseMoveEvent(QMouseEvent* event) {
    QToolTip::showText(event->globalPosition().toPoint(), wordsAt(event->position().toPoint()), this);
}

void MatrixPlot::mousePressEvent(QMouseEvent* event) {
    const auto [from, to] = at(event->position().toPoint());
    choose(from, to);
}

void MatrixPlot::keyPressEvent(QKeyEvent* event) {
    if (!matrix_ || matrix_->ranks() == 0) return QWidget::keyPressEvent(event);
    auto [from, to] = chosen_;
    switch (event->key()) {
    case Qt::Key_Left: --to; break;
    case Qt::Key_Right: ++to; break;
    case Qt::Key_Up: --from; break;
    case Qt::Key_Down: ++from; break;
    default: return QWidget::keyPressEvent(event);
    }
    const int last = matrix_->ranks() - 1;
    choose(std::clamp(from, 0, last), std::clamp(to, 0, last));
}

}  // namespace shardlab::ui
