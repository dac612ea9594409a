// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/mesh/mesh_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <ranges>

namespace shardlab::ui {
namespace {

constexpr int headHeight = 20;
constexpr int gap = 6;
constexpr int margin = 12;
constexpr QSize leastCell(22, 18);  ///< the rank is read
constexpr int mostAcross = 12;      ///< so many stand beside each other in the narrowest column
constexpr QSize largestCell(150, 84);
/// Below these a cell shows one line, or none.
constexpr QSize twoLines(40, 34);
constexpr QSize oneLine(20, 15);

/// The text where there is room, else its part before `separator` ("67" of "67 %"), else nothing.
QString fitted(const QString& text, QChar separator, const QFontMetrics& metrics, int width) {
    if (metrics.horizontalAdvance(text) <= width) return text;
    const QString first = text.section(separator, 0, 0);
    return metrics.horizontalAdvance(first) <= width ? first : QString();
}

}  // namespace

MeshGrid::MeshGrid(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Ranks of the mesh"));
    connect(&theme_, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void MeshGrid::setMesh(const Mesh& mesh, QStringList heads) {
    const int stages = mesh.size(Axis::Pipeline);
    inner_ = mesh.size(Axis::Tensor);
    const int replicas = std::max(1, mesh.ranks() / std::max(1, stages * inner_));
    stagesDown_ = inner_ > 1 && stages * inner_ > mostAcross && replicas < stages;
    columns_ = stagesDown_ ? replicas : stages;
    rows_ = stagesDown_ ? stages : replicas;
    heads_ = std::move(heads);
    spots_.clear();
    stages_.clear();
    hosts_.set(mesh);
    hosts_.fit(size());
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(hosts_.used());
    setSizePolicy(policy);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const Coordinates at = mesh.coordinates(rank);
        const auto coordinate = [&](Axis axis) { return at[static_cast<std::size_t>(axis)]; };
        const int replica = coordinate(Axis::Data) * mesh.size(Axis::Context) + coordinate(Axis::Context);
        const int stage = coordinate(Axis::Pipeline);
        stages_.push_back(stage);
        spots_.push_back({stagesDown_ ? replica : stage, coordinate(Axis::Tensor), stagesDown_ ? stage : replica});
    }
    updateGeometry();
    update();
}

void MeshGrid::setCells(std::vector<MeshCell> cells) {
    cells_ = std::move(cells);
    update();
}

void MeshGrid::setSelected(int rank) {
    selected_ = rank;
    setAccessibleDescription(help(rank));
    update();
}

int MeshGrid::heightForWidth(int width) const { return hosts_.used() ? hosts_.heightForWidth(width) : -1; }

void MeshGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    hosts_.fit(size());
}

QSize MeshGrid::minimumSizeHint() const {
    if (hosts_.used()) return {hosts_.leastWidth(), 60};
    const int across = std::max(1, columns_ * inner_);
    return {2 * margin + across * leastCell.width() + (columns_ - 1) * gap,
            2 * margin + headsDown() * headHeight + rows_ * leastCell.height() + (rows_ - 1) * gap};
}

QRect MeshGrid::cellRect(int rank) const {
    if (rank < 0 || rank >= static_cast<int>(spots_.size())) return {};
    if (hosts_.used()) return hosts_.cell(rank);
    const Spot& at = spots_[static_cast<std::size_t>(rank)];
    const int across = width() - 2 * margin - (columns_ - 1) * gap;
    const int down = height() - 2 * margin - headsDown() * headHeight - (rows_ - 1) * gap;
    const int cellWidth = std::clamp(across / std::max(1, columns_ * inner_), leastCell.width(), largestCell.width());
    const int cellHeight = std::clamp(down / std::max(1, rows_), leastCell.height(), largestCell.height());
    const int x = margin + at.column * (cellWidth * inner_ + gap) + at.inner * cellWidth;
    const int y = margin + headHeight * (stagesDown_ ? at.row + 1 : 1) + at.row * (cellHeight + gap);
    return {x, y, cellWidth - (inner_ > 1 ? 1 : 0), cellHeight};
}

int MeshGrid::rankAt(const QPoint& point) const {
    for (int rank = 0; rank < static_cast<int>(spots_.size()); ++rank)
        if (cellRect(rank).contains(point)) return rank;
    return -1;
}

QString MeshGrid::help(int rank) const {
    return rank >= 0 && rank < static_cast<int>(cells_.size()) ? cells_[static_cast<std::size_t>(rank)].help
                                                               : QString();
}

/// Cells of one line have figures of one size: that of the longest, so that none is left out.
int MeshGrid::figurePixels(int width) const {
    QFont mono = theme_.theme().mono;
    mono.setWeight(QFont::DemiBold);
    for (const int pixels : {11, 10, 9}) {
        mono.setPixelSize(pixels);
        const QFontMetrics metrics(mono);
        if (std::ranges::all_of(cells_, [&](const MeshCell& cell) {
                return metrics.horizontalAdvance(cell.figure.section(QLatin1Char(' '), 0, 0)) <= width;
            }))
            return pixels;
    }
    return 11;
}

void MeshGrid::paintCell(QPainter& painter, const MeshCell& cell) const {
    const Theme& theme = theme_.theme();
    const QRect rect = cellRect(cell.rank);
    const QColor back = cell.lost ? theme.bad : mixed(theme.raised, theme.action(EventKind::Forward), cell.shade);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(rect, 4, 4);
    if (cell.rank == selected_ || cell.ended) {
        painter.setPen(QPen(cell.rank == selected_ ? theme.text : theme.bad, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 4, 4);
    }
    if (rect.width() < oneLine.width() || rect.height() < oneLine.height()) return;
    const bool both = rect.width() >= twoLines.width() && rect.height() >= twoLines.height();
    painter.setPen(readableOn(back));
    QFont mono = theme.mono;
    mono.setPixelSize(both ? 13 : figurePixels(rect.width() - 4));
    mono.setWeight(QFont::DemiBold);
    painter.setFont(mono);
    const QRect inside = rect.adjusted(2, 2, -2, -2);
    if (!both) {
        painter.drawText(inside, Qt::AlignCenter,
                         fitted(cell.figure, QLatin1Char(' '), painter.fontMetrics(), inside.width()));
        return;
    }
    const QRect upper(inside.x(), inside.center().y() - 17, inside.width(), 18);
    painter.drawText(upper, Qt::AlignCenter, cell.figure);
    QFont small = theme.body;
    small.setPixelSize(11);
    painter.setFont(small);
    const QRect lower(inside.x(), inside.center().y() + 1, inside.width(), 16);
    painter.drawText(lower, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(cell.detail, Qt::ElideRight, lower.width()));
}

QStringList MeshGrid::hostTitles(const QFontMetrics& metrics, int width) const {
    QStringList whole, named, ranks;
    for (const HostBlocks::Block& block : hosts_.blocks()) {
        const int last = block.first + block.count - 1;
        ranks << (block.count == 1 ? QString::number(block.first) : QStringLiteral("%1–%2").arg(block.first).arg(last));
        named << QStringLiteral("%1 · %2").arg(block.host, ranks.back());
        const auto stage = [this](int rank) { return stages_[static_cast<std::size_t>(rank)]; };
        const auto all = std::views::iota(block.first, last + 1);
        const bool one = std::ranges::all_of(all, [&](int rank) { return stage(rank) == stage(block.first); });
        const QString held = one ? heads_.value(stage(block.first)) : QString();
        whole << (held.isEmpty() ? named.back() : named.back() + QStringLiteral(" · ") + held);
    }
    const auto fit = [&](const QString& title) { return metrics.horizontalAdvance(title) <= width; };
    for (const QStringList& titles : {whole, named})
        if (std::ranges::all_of(titles, fit)) return titles;
    for (QString& title : ranks) title = metrics.elidedText(title, Qt::ElideRight, width);
    return ranks;
}

void MeshGrid::paintHosts(QPainter& painter) const {
    const Theme& theme = theme_.theme();
    QFont small = theme.body;
    small.setPixelSize(11);
    painter.setFont(small);
    painter.setPen(theme.dim);
    const QStringList titles = hostTitles(painter.fontMetrics(), hosts_.head(0).width());
    for (qsizetype block = 0; block < titles.size(); ++block)
        painter.drawText(hosts_.head(static_cast<std::size_t>(block)), Qt::AlignLeft | Qt::AlignVCenter, titles[block]);
    for (const MeshCell& cell : cells_) paintCell(painter, cell);
}

void MeshGrid::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = theme_.theme();
    QFont small = theme.body;
    small.setPixelSize(11);
    if (hosts_.used()) paintHosts(painter);
    for (std::size_t rank = 0; rank < spots_.size() && !hosts_.used(); ++rank) {
        const Spot& at = spots_[rank];
        const int stage = stagesDown_ ? at.row : at.column;
        const bool first = at.inner == 0 && (stagesDown_ ? at.column : at.row) == 0;
        if (first && stage < heads_.size()) {
            const QRect cell = cellRect(static_cast<int>(rank));
            const int length = stagesDown_ ? width() - cell.x() - margin : cell.width() * inner_ + inner_ - 1;
            const QRect head(cell.x(), cell.y() - headHeight, length, headHeight - 2);
            painter.setFont(small);
            painter.setPen(theme.dim);
            painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(heads_[stage], Qt::ElideRight, head.width()));
        }
        if (rank < cells_.size()) paintCell(painter, cells_[rank]);
    }
    if (hasFocus() && selected_ < 0) {
        painter.setPen(theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(rect().adjusted(2, 2, -3, -3), 4, 4);
    }
}

void MeshGrid::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int rank = rankAt(event->position().toPoint());
    Q_EMIT picked(rank == selected_ ? -1 : rank);
}

void MeshGrid::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(spots_.size());
    if (count == 0) return QWidget::keyPressEvent(event);
    const Spot from =
        selected_ >= 0 && selected_ < count ? spots_[static_cast<std::size_t>(selected_)] : Spot{-1, 0, 0};
    if (hosts_.used()) {
        const bool sideways = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
        const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                         : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                                       : 0;
        if (step != 0)
            return Q_EMIT picked(selected_ < 0 || selected_ >= count
                                     ? 0
                                     : hosts_.neighbour(selected_, sideways ? step : 0, sideways ? 0 : step));
    }
    int across = from.column * inner_ + from.inner;
    int row = from.row;
    switch (event->key()) {
    case Qt::Key_Left: --across; break;
    case Qt::Key_Right: ++across; break;
    case Qt::Key_Up: --row; break;
    case Qt::Key_Down: ++row; break;
    case Qt::Key_Escape: Q_EMIT picked(-1); return;
    default: return QWidget::keyPressEvent(event);
    }
    across = std::clamp(across, 0, columns_ * inner_ - 1);
    row = std::clamp(row, 0, rows_ - 1);
    for (int rank = 0; rank < count; ++rank) {
        const Spot& at = spots_[static_cast<std::size_t>(rank)];
        if (at.row == row && at.column * inner_ + at.inner == across) return Q_EMIT picked(rank);
    }
}

bool MeshGrid::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), this->help(rankAt(help->pos())), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace shardlab::ui
