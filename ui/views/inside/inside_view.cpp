// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/inside/inside_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/views/inside/flame_plot.h"

#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

InsideView::InsideView(const ViewContext& context, QWidget* parent)
    : View(context, parent), plot_(child<FlamePlot>(context, this)), refresh_(this, [this] { refresh(); }) {
    setAccessibleName(tr("Inside the selected action"));
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidget(plot_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->addWidget(scroll);
    refresh_.follow(context_.selection, &Selection::eventChanged);
    refresh_.follow(context_.model, &RunModel::reset);
    connect(plot_, &FlamePlot::picked, this, [this](const Event& event) { context_.selection.select(event); });
    connect(plot_, &FlamePlot::entered, this, &InsideView::enter);
    connect(plot_, &FlamePlot::left, this, &InsideView::leave);
    refresh();
}

bool InsideView::showsSelected() const {
    const auto& selected = context_.selection.event();
    const auto& bars = plot_->flame().bars;
    return selected && std::ranges::find(bars, *selected, &Flame::Bar::event) != bars.end();
}

void InsideView::refresh() {
    const auto& selected = context_.selection.event();
    if (!showsSelected()) {
        around_.clear();
        if (selected && selected->rank >= 0 && selected->rank < context_.model.ranks() && isSpan(selected->kind))
            around_.push_back(*selected);
    }
    plot_->setFlame(around_.empty() ? Flame{} : flameOf(context_.model, around_.back()));
    Q_EMIT subtitleChanged();
}

void InsideView::enter(const Event& event) {
    around_.push_back(event);
    plot_->setFlame(flameOf(context_.model, event));
    Q_EMIT subtitleChanged();
}

void InsideView::leave() {
    if (around_.size() < 2) return context_.selection.select(around_.front());
    around_.pop_back();
    plot_->setFlame(flameOf(context_.model, around_.back()));
    Q_EMIT subtitleChanged();
}

void InsideView::fillContextMenu(QMenu& menu, const QPoint& at) {
    const Flame::Bar* bar = plot_->barAt(plot_->mapFrom(this, at));
    if (bar && bar->row > 0)
        menu.addAction(tr("Let it fill the width"), this, [this, event = bar->event] { enter(event); });
    if (around_.size() > 1) menu.addAction(tr("Go out to what is around"), this, &InsideView::leave);
}

QString InsideView::subtitle() const {
    if (around_.empty() || !emptyText().isEmpty()) return {};
    QStringList path;
    for (const Event& event : around_) path << flameText(context_.model, event);
    QString told = tr("%1 · %2").arg(path.join(QStringLiteral(" › ")),
                                     seconds(context_.model, around_.back().end - around_.back().begin));
    if (const std::int64_t left = plot_->flame().left; left > 0)
        told += tr(" · %1 more are too many to draw: select a shorter span").arg(left);
    return told;
}

QString InsideView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    if (around_.empty()) return tr("Click an action in the timeline\nto see what it is made of.");
    if (plot_->flame().bars.size() > 1 || plot_->flame().left > 0) return {};
    if (showsPrediction(context_.model))
        return tr("This action is predicted as a whole: it exchanges nothing with its group\nand computes nothing "
                  "again.\n\nThe view Kernels of Design tells which kernels a step is made of.");
    return tr("Nothing is recorded within this action: it exchanges nothing with its group\nand computes nothing "
              "again.\n\nRun › Record operations has every tenth step of later runs record its operations;\nnot of "
              "paced runs, which show the times of other devices.");
}

QString InsideView::asTable() const {
    if (around_.empty()) return {};
    QString table = tr("row\twhat\tlane\tfrom ms\tms\tshare\tbytes\tFLOP\n");
    const bool own = context_.model.header().hasLayout();
    const Event& whole = around_.back();
    const auto milliseconds = [&](std::int64_t nanoseconds) {
        return QString::number(context_.model.deviceTime().seconds(static_cast<double>(nanoseconds) * 1e-6), 'f', 6);
    };
    for (const Flame::Bar& bar : plot_->flame().bars) {
        const std::int64_t lasts = bar.event.end - bar.event.begin;
        const auto all = static_cast<double>(std::max<std::int64_t>(1, whole.end - whole.begin));
        const bool works = own && bar.event.kind == EventKind::Operation;
        table +=
            QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\n")
                .arg(QString::number(bar.row), flameText(context_.model, bar.event), text(name(bar.event.lane)),
                     milliseconds(bar.event.begin - whole.begin), milliseconds(lasts),
                     percent(static_cast<double>(lasts) / all), works ? QString::number(bar.event.bytes) : QString(),
                     works ? QString::number(bar.event.value, 'g', 9) : QString());
    }
    return table;
}

}  // namespace shardlab::ui
