// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/order_grid.h"

#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int margin = 6;
constexpr int leastSlot = 22;

QString wordOf(ActionKind kind) {
    return isCompute(kind) ? term(actionTraits[kind].title) : OrderGrid::tr("communication or update");
}

}  // namespace

OrderGrid::OrderGrid(ThemeSource& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Order of actions, with a row for each pipeline rank"));
    connect(&theme_, &ThemeSource::changed, this, [this] {
        measure();
        update();
    });
    measure();
}

void OrderGrid::display(Schedule schedule, std::optional<Finding> wrong) {
    schedule_ = std::move(schedule);
    wrong_ = std::move(wrong);
    cells_ = cellsOf(schedule_, wrong_);
    if (!actionAt(schedule_, current_)) current_ = {};
    measure();
    update();
}

void OrderGrid::setEditable(bool editable) {
    editable_ = editable;
    if (!editable) endDrag();
    update();
}

void OrderGrid::measure() {
    QFont font = theme_.theme().mono;
    font.setPixelSize(11);
    const QFontMetrics metrics(font);
    slotWidth_ = leastSlot;
    std::size_t longest[3] = {0, 0, 0};  // by slots: one measurement each instead of one a cell
    QString texts[3];
    for (const auto& row : cells_.ranks)
        for (const OrderCell& cell : row) {
            const auto slots = static_cast<std::size_t>(std::min(cell.slots, 2));
            if (static_cast<std::size_t>(cell.text.size()) <= longest[slots]) continue;
            longest[slots] = static_cast<std::size_t>(cell.text.size());
            texts[slots] = cell.text;
        }
    for (int slots = 1; slots <= 2; ++slots)
        slotWidth_ = std::max(slotWidth_, (metrics.horizontalAdvance(texts[slots]) + 8 + slots - 1) / slots);
    headWidth_ =
        margin +
        metrics.horizontalAdvance(tr("pp%1").arg(std::max<int>(9, static_cast<int>(cells_.ranks.size()) - 1))) + 10;
    setMinimumSize(sizeHint());
    updateGeometry();
}

QSize OrderGrid::sizeHint() const {
    return {headWidth_ + cells_.slots * slotWidth_ + margin, static_cast<int>(cells_.ranks.size()) * rowHeight + 2};
}

QRect OrderGrid::rectOf(int rank, const OrderCell& cell) const {
    return {headWidth_ + cell.begin * slotWidth_, rank * rowHeight + 2, cell.slots * slotWidth_ - 1, rowHeight - 3};
}

QRect OrderGrid::cellRect(OrderPlace place) const {
    if (!actionAt(schedule_, place)) return {};
    return rectOf(place.rank,
                  cells_.ranks[static_cast<std::size_t>(place.rank)][static_cast<std::size_t>(place.position)]);
}

int OrderGrid::rowAt(int y) const {
    const int row = y / rowHeight;
    return y >= 0 && row < static_cast<int>(cells_.ranks.size()) ? row : -1;
}

const OrderCell* OrderGrid::cellAt(const QPoint& point) const {
    const int rank = rowAt(point.y());
    if (rank < 0 || point.x() < headWidth_) return nullptr;
    const auto& row = cells_.ranks[static_cast<std::size_t>(rank)];
    const int slot = (point.x() - headWidth_) / slotWidth_;
    const auto cell = std::ranges::lower_bound(row, slot + 1, {}, &OrderCell::end);
    return cell != row.end() && cell->begin <= slot ? &*cell : nullptr;
}

bool OrderGrid::isWrong(int rank, const OrderCell& cell) const {
    return wrong_ && wrong_->rank == rank && wrong_->position == cell.position;
}

QString OrderGrid::helpOf(int rank, const OrderCell& cell) const {
    QString help = tr("%1: %2 of microbatch %3 on stage %4, pipeline rank %5")
                       .arg(cell.text, wordOf(cell.action.kind))
                       .arg(cell.action.microbatch)
                       .arg(cell.action.stage)
                       .arg(rank);
    if (!isWrong(rank, cell)) return help;
    help += QLatin1Char('\n') + told(wrong_->why);
    if (!wrong_->legal.empty()) help += tr("\nLegal: %1").arg(told(wrong_->legal));
    return help;
}

void OrderGrid::setCurrent(OrderPlace place) {
    if (!actionAt(schedule_, place)) place = {};
    const bool same = place == current_;
    current_ = place;
    if (place.rank >= 0)
        setAccessibleDescription(helpOf(
            place.rank, cells_.ranks[static_cast<std::size_t>(place.rank)][static_cast<std::size_t>(place.position)]));
    else setAccessibleDescription({});
    update();
    if (!same) Q_EMIT currentChanged();
}

void OrderGrid::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const QPoint at = event->position().toPoint();
    const OrderCell* cell = cellAt(at);
    const OrderPlace place = cell ? OrderPlace{rowAt(at.y()), cell->position} : OrderPlace{};
    setCurrent(place);
    if (editable_ && actionAt(schedule_, place))
        drag_ = Drag{place, at, cells_.ranks[static_cast<std::size_t>(place.rank)]};
}

void OrderGrid::mouseMoveEvent(QMouseEvent* event) {
    if (!drag_) return;
    const QPoint at = event->position().toPoint();
    if (drag_->to < 0 && std::abs(at.x() - drag_->pressed.x()) < QApplication::startDragDistance()) return;
    setCursor(Qt::ClosedHandCursor);
    int to = 0;
    for (const OrderCell& cell : drag_->row)
        if (cell.position >= 0 && cell.position != drag_->from.position &&
            rectOf(drag_->from.rank, cell).center().x() < at.x())
            ++to;
    if (to == drag_->to) return;
    drag_->to = to;
    Q_EMIT dragged(drag_->from, to);
}

void OrderGrid::mouseReleaseEvent(QMouseEvent*) {
    if (!drag_) return;
    const Drag drag = *drag_;
    endDrag();
    if (drag.to >= 0 && drag.to != drag.from.position) Q_EMIT moved(drag.from, drag.to);
    else if (drag.to >= 0) Q_EMIT dragCancelled();
}

void OrderGrid::endDrag() {
    drag_.reset();
    unsetCursor();
}

void OrderGrid::mouseDoubleClickEvent(QMouseEvent*) {
    endDrag();
    if (editable_ && current_.rank >= 0) Q_EMIT typingAsked(current_);
}

void OrderGrid::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void OrderGrid::step(int across, int down) {
    if (cells_.ranks.empty()) return;
    const int last = static_cast<int>(cells_.ranks.size()) - 1;
    if (current_.rank < 0) return setCurrent({0, 0});
    OrderPlace to{std::clamp(current_.rank + down, 0, last), current_.position + across};
    if (down != 0) {
        const int slot =
            cells_.ranks[static_cast<std::size_t>(current_.rank)][static_cast<std::size_t>(current_.position)].begin;
        const auto& row = cells_.ranks[static_cast<std::size_t>(to.rank)];
        const auto cell = std::ranges::lower_bound(row, slot + 1, {}, &OrderCell::end);
        to.position =
            static_cast<int>(cell == row.end() ? row.size() - 1 : static_cast<std::size_t>(cell - row.begin()));
    }
    if (actionAt(schedule_, to)) setCurrent(to);
}

void OrderGrid::keyPressEvent(QKeyEvent* event) {
    const bool moves = event->modifiers() & Qt::ControlModifier;
    const auto move = [&](int to) {
        if (!editable_ || !actionAt(schedule_, current_)) return;
        to = std::clamp(to, 0, static_cast<int>(schedule_.ranks[static_cast<std::size_t>(current_.rank)].size()) - 1);
        if (to != current_.position) Q_EMIT moved(current_, to);
    };
    const int end = 1 << 28;
    switch (event->key()) {
    case Qt::Key_Left: moves ? move(current_.position - 1) : step(-1, 0); return;
    case Qt::Key_Right: moves ? move(current_.position + 1) : step(1, 0); return;
    case Qt::Key_Home: moves ? move(0) : setCurrent({std::max(0, current_.rank), 0}); return;
    case Qt::Key_End:
        if (moves) return move(end);
        if (current_.rank >= 0)
            setCurrent(
                {current_.rank, static_cast<int>(schedule_.ranks[static_cast<std::size_t>(current_.rank)].size()) - 1});
        return;
    case Qt::Key_Up: step(0, -1); return;
    case Qt::Key_Down: step(0, 1); return;
    case Qt::Key_F2:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (editable_ && current_.rank >= 0) Q_EMIT typingAsked(current_);
        return;
    case Qt::Key_Escape:
        if (!drag_) break;
        endDrag();
        Q_EMIT dragCancelled();
        return;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

QString OrderGrid::wordsAt(const QPoint& at) const {
    const OrderCell* cell = cellAt(at);
    return cell ? helpOf(rowAt(at.y()), *cell) : QString();
}

bool OrderGrid::event(QEvent* event) { return showsWords(*this, *this, *event) || QWidget::event(event); }

}  // namespace shardlab::ui
