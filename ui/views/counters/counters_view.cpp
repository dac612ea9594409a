// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/counters/counters_view.h"

#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"
#include "ui/timeline/rank_filter.h"
#include "ui/views/counters/counter_plot.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int mostTableSamples = 2000;

/// What stands last in square brackets, as Nsight names units: "%" of "SMs Active [Throughput %], device 0".
QString unitIn(const QString& name) {
    const qsizetype end = name.lastIndexOf(QLatin1Char(']'));
    const qsizetype begin = name.lastIndexOf(QLatin1Char('['), end);
    if (begin < 0 || end < begin) return {};
    return name.mid(begin + 1, end - begin - 1).section(QLatin1Char(' '), -1, -1, QString::SectionSkipEmpty);
}

ShownCounter shownOf(const Counter& counter, const EventNames& names) {
    ShownCounter shown{counter.kind, counter.name, term(name(counter.kind)), {}, counter.bytes};
    if (counter.kind != EventKind::NamedCounter || names.of(counter.name).empty()) return shown;
    shown.title = text(names.of(counter.name));
    if (!shown.bytes) shown.unit = unitIn(shown.title);
    return shown;
}

/// "sms, learning rate": every word of a part that commas divide is in the name; "" is in any.
bool isNamed(const QString& title, const QString& filter) {
    const QStringList parts = filter.split(QLatin1Char(','), Qt::SkipEmptyParts);
    return parts.isEmpty() || std::ranges::any_of(parts, [&](const QString& part) {
               return std::ranges::all_of(part.split(QLatin1Char(' '), Qt::SkipEmptyParts), [&](const QString& word) {
                   return title.contains(word, Qt::CaseInsensitive);
               });
           });
}

}  // namespace

CountersView::CountersView(const ViewContext& context, QWidget* parent)
    : View(context, parent), names_(child<QLineEdit>(this)), ranks_(child<QLineEdit>(this)),
      plot_(child<CounterPlot>(context, this)), refresh_(
                                                    this, [this] { refresh(); }, 12) {
    setAccessibleName(tr("Counters"));
    plot_->setAccessibleName(accessibleName());
    names_->setPlaceholderText(tr("Names: learning, sms active"));
    names_->setAccessibleName(tr("Counters that are shown"));
    names_->setToolTip(tr("Counters whose names have all of these words; commas divide several such choices."));
    ranks_->setPlaceholderText(tr("Ranks: 0-3, dp0"));
    ranks_->setAccessibleName(tr("Ranks whose counters are shown"));
    ranks_->setToolTip(
        tr("Ranks by number, or by a word of their place. The line is the selected rank's, the band lies "
           "between the least and the most of all of them."));
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(10, 4, 10, 2);
    bar->setSpacing(8);
    bar->addWidget(names_, 2);
    bar->addWidget(ranks_, 1);
    auto* scroll = child<QScrollArea>(this);
    scroll->setWidgetResizable(true);
    scroll->setProperty("role", "bare");  // columns lie exactly below those of the timeline
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // the timeline has one in this place
    scroll->setWidget(plot_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(scroll, 1);
    setFocusProxy(names_);

    for (QLineEdit* field : {names_, ranks_}) {
        field->setClearButtonEnabled(true);
        connect(field, &QLineEdit::textChanged, &refresh_, &Throttle::request);
    }
    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.selection, &Selection::visibleChanged, &Selection::rankChanged, &Selection::cursorChanged);
    connect(&context_.theme, &ThemeSource::changed, plot_, qOverload<>(&QWidget::update));
    refresh_.flush();
}

void CountersView::refresh() {
    std::vector<ShownCounter> shown;
    for (const Counter& counter : context_.model.points().counters().all()) {
        ShownCounter each = shownOf(counter, context_.model.report().names());
        if (isNamed(each.title, names_->text())) shown.push_back(std::move(each));
    }
    std::ranges::sort(shown, [](const ShownCounter& a, const ShownCounter& b) {
        return a.title.compare(b.title, Qt::CaseInsensitive) < 0;
    });
    plot_->show(std::move(shown), filterRanks(context_.model, ranks_->text().toStdString()));
    tellSubtitle();
}

QString CountersView::subtitle() const {
    const std::size_t all = context_.model.points().counters().all().size(), shown = plot_->counters().size();
    if (all == 0) return {};
    return shown == all ? counted(all, tr("one counter"), tr("%1 counters"))
                        : tr("%1 of %2 counters").arg(shown).arg(all);
}

QString CountersView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty() || !context_.model.points().counters().all().empty())
        return text;
    if (QString text = notInForeign(tr("The trace has no counters.")); !text.isEmpty()) return text;
    return context_.model.report().end() ? tr("This run ended before its first step was complete.")
                                         : tr("Counters appear with the first complete step.");
}

void CountersView::fillContextMenu(QMenu& menu, const QPoint&) { plot_->addZoomOut(menu); }

QString CountersView::asTable() const {
    QString table = tr("counter\trank\ttime ms\tstep\tvalue\n");
    const TimeScale time = plot_->scale();
    int rows = 0;
    for (const ShownCounter& counter : plot_->counters()) {
        for (const auto& [rank, series] : plot_->seriesOf(counter)) {
            const std::size_t held = series->until(time.begin), until = series->until(time.end);
            for (std::size_t i = held > 0 ? held - 1 : 0; i < until; ++i) {
                if (++rows > mostTableSamples)
                    return table + tr("…\t\t\t\tmore, zoom in or choose fewer to see them\n");
                const CounterSample& sample = series->samples()[i];
                const double when = context_.model.deviceTime().seconds(static_cast<double>(sample.time) * 1e-6);
                table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                             .arg(counter.title, QString::number(rank), QString::number(when, 'f', 6),
                                  sample.step < 0 ? QString() : QString::number(sample.step),
                                  QString::number(sample.value, 'g', 10));
            }
        }
    }
    return table;
}

}  // namespace shardlab::ui
