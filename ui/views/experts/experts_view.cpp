// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/experts/experts_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/legend.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/step_counters.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/experts/experts_plot.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {

ExpertsView::ExpertsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), plot_(child<ExpertsPlot>(context.theme, this)),
      legend_(child<Legend>(context.theme, Qt::AlignLeft | Qt::AlignVCenter, 2, this)), note_(child<QLabel>(this)),
      refresh_(
          this, [this] { refresh(); }, 66) {
    setAccessibleName(tr("Load of experts"));
    note_->setProperty("role", QStringLiteral("small"));
    note_->setWordWrap(true);
    auto* foot = child<QVBoxLayout>();
    foot->setContentsMargins(10, 0, 10, 4);
    foot->setSpacing(0);
    foot->addWidget(legend_);
    foot->addWidget(note_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(plot_, 1);
    column->addLayout(foot);
    setFocusProxy(plot_);

    connect(plot_, &ExpertsPlot::markedChanged, this, [this] {
        const QString marked = plot_->markedText();
        note_->setText(marked.isEmpty() ? summary() : marked);
    });
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::cursorChanged, &Selection::rankChanged);
    refresh_.follow(context_.theme, &ThemeSource::changed);
    refresh_.flush();
}

void ExpertsView::refresh() {
    const RunModel& model = context_.model;
    const int wanted = context_.stepAtCursor(), rank = context_.selectedRank();
    loads_ = {};
    step_ = -1;
    const auto& all = model.points().of(EventKind::ExpertLoad);
    if (const Event* last = atStep(all, wanted)) step_ = last->step;
    for (const EventKind kind : {EventKind::ExpertLoad, EventKind::ExpertDropped, EventKind::UntakenTokens,
                                 EventKind::ExpertsOfToken, EventKind::AssignmentRounds}) {
        const auto& events = model.points().of(kind);
        auto event = std::partition_point(events.begin(), events.end(), [&](const Event& e) { return e.step < step_; });
        for (; event != events.end() && event->step == step_; ++event)
            if (rank < 0 || event->rank == rank) loads_.add(*event);
    }
    const Theme& theme = context_.theme.theme();
    const bool dropsTokens = !(model.header().hasLayout() && dropless(model.header().layout.model));
    std::vector<LegendItem> items{
        {dropsTokens ? tr("within capacity") : tr("tokens"), theme.action(EventKind::Forward)}};
    if (dropsTokens) items.push_back({tr("dropped"), theme.action(EventKind::Overflow)});
    items.push_back({tr("equal load"), theme.text, LegendItem::Mark::Dashed});
    legend_->setItems(std::move(items));
    legend_->setToolTip((dropsTokens ? tr("Each bar shows how many tokens chose an expert. A token whose expert is "
                                          "full is dropped: the block passes it on unchanged.")
                                     : tr("Each bar shows how many tokens chose an expert. No token is dropped.")) +
                        QLatin1Char(' ') + tr("The dashed line is the load of each expert if all had the same."));
    plot_->setLoads(loads_.layers());
    Q_EMIT subtitleChanged();
}

QString ExpertsView::summary() const {
    const auto uneven = loads_.unevenness(), dropped = loads_.droppedShare();
    if (!uneven || !dropped) return {};
    QString text = tr("busiest expert: %1 × the average · dropped: %2").arg(*uneven, 0, 'f', 2).arg(percent(*dropped));
    if (const auto chosen = loads_.chosen()) {
        text += tr(" · tokens that no expert took: %1 a layer · at most %2 experts a token")
                    .arg(chosen->untaken, 0, 'f', 0)
                    .arg(chosen->mostOfToken);
        if (chosen->mostRounds > 0) text += tr(" · rounds of assignment: %1").arg(chosen->mostRounds);
    }
    return text;
}

QString ExpertsView::subtitle() const {
    if (step_ < 0) return {};
    const int rank = context_.selection.rank();
    return tr("step %1 · %2")
        .arg(step_)
        .arg(rank < 0 || rank >= context_.model.ranks() ? tr("all ranks") : tr("rank %1").arg(rank));
}

QString ExpertsView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    const auto& all = context_.model.points().of(EventKind::ExpertLoad);
    if (!all.empty())
        return step_ < 0        ? tr("No load was counted this early in the run.")
               : loads_.empty() ? tr("This rank holds no layer with experts.")
                                : QString();
    if (QString text = notInForeign(tr("The trace does not record the load of experts.")); !text.isEmpty()) return text;
    if (!hasExperts(context_.model.header().layout.model))
        return tr("This model has no experts.\nSet Model to gpt-moe in Design, and run.");
    return context_.model.report().end() ? tr("This run ended before its first step was complete.")
                                         : tr("The bars appear with the first complete step.");
}

QString ExpertsView::asTable() const {
    QString text = tr("step\tlayer\texpert\ttokens\tdropped\n");
    for (const auto& [layer, loads] : loads_.layers())
        for (std::size_t e = 0; e < loads.size(); ++e)
            text += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                        .arg(step_)
                        .arg(layer)
                        .arg(e)
                        .arg(loads[e].asked)
                        .arg(loads[e].dropped);
    return text;
}

}  // namespace shardlab::ui
