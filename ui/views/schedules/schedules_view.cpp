// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/schedules/schedules_view.h"

#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "engine/predict/plan/costs.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/child.h"
#include "ui/core/field_words.h"
#include "ui/core/document.h"
#include "ui/core/taking.h"
#include "ui/core/theme.h"
#include "ui/views/schedules/schedules_plot.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace shardlab::ui {
namespace {

constexpr int rowHeight = 21;
constexpr int mostRowsInSight = 4;
enum Column { Kind, Bubble, Peak, Step, Traffic, columns };

}  // namespace

SchedulesView::SchedulesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), outcomes_(context.document, this),
      plot_(child<SchedulesPlot>(outcomes_, context.theme, this)), table_(child<QTableWidget>(0, columns, this)),
      take_(child<QPushButton>(tr("Take this schedule"), this)), choose_(child<QToolButton>(this)),
      menu_(child<QMenu>(this)) {
    setAccessibleName(tr("Schedules compared"));
    choose_->setText(tr("Choose …"));
    choose_->setToolTip(tr("Which schedules are compared"));
    choose_->setProperty("role", QStringLiteral("flat"));
    choose_->setPopupMode(QToolButton::InstantPopup);
    choose_->setMenu(menu_);
    connect(menu_, &QMenu::aboutToShow, this, &SchedulesView::fillMenu);

    table_->setAccessibleName(tr("Schedules"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setHorizontalHeaderLabels({tr("schedule"), tr("bubble"), tr("peak"), tr("step"), tr("traffic")});
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(rowHeight);
    QHeaderView* header = table_->horizontalHeader();
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->horizontalHeaderItem(Kind)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setMinimumSectionSize(30);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(Kind, QHeaderView::Stretch);
    header->setMinimumHeight(24);
    header->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 2px 4px; font-size: 11px; }"));
    setFocusProxy(table_);

    auto* scroll = child<QScrollArea>(this);
    scroll->setWidget(plot_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumHeight(70);
    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(8, 2, 8, 0);
    bar->addWidget(take_);
    bar->addStretch(1);
    bar->addWidget(choose_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(scroll, 1);
    column->addWidget(table_);

    connect(&outcomes_, &ScheduleOutcomes::changed, this, &SchedulesView::refresh);
    connect(&context_.theme, &ThemeSource::changed, this, &SchedulesView::refresh);
    connect(&context_.document, &Document::layoutChanged, this, &SchedulesView::refreshButton);
    connect(plot_, &SchedulesPlot::picked, this, [this](int row) { table_->selectRow(row); });
    connect(plot_, &SchedulesPlot::taken, this, &SchedulesView::take);
    connect(take_, &QPushButton::clicked, this, [this] { take(table_->currentRow()); });
    connect(table_, &QTableWidget::itemSelectionChanged, this, &SchedulesView::refreshButton);
    onTaken(*table_, [this](const QModelIndex& index) { take(index.row()); });
    refresh();
}

void SchedulesView::fillMenu() {
    menu_->clear();
    const std::vector<std::string> shown = outcomes_.kinds();
    for (const ScheduleMethod& method : scheduleMethods()) {
        QAction* action = menu_->addAction(term(method.title));
        action->setData(text(method.name));
        action->setCheckable(true);
        action->setChecked(std::ranges::find(shown, method.name) != shown.end());
        connect(action, &QAction::toggled, this, [this] {
            std::vector<std::string> kinds;
            for (const QAction* each : menu_->actions())
                if (each->isChecked()) kinds.push_back(each->data().toString().toStdString());
            outcomes_.choose(std::move(kinds));
        });
    }
}

void SchedulesView::refresh() {
    const Theme& theme = context_.theme.theme();
    const auto& all = outcomes_.outcomes();
    table_->setRowCount(static_cast<int>(all.size()));
    double least = std::numeric_limits<double>::infinity();
    for (const ScheduleOutcome& outcome : all)
        if (outcome.legal()) least = std::min(least, outcome.stepSeconds);
    const std::string quickest = formatSeconds(least);
    for (int row = 0; row < static_cast<int>(all.size()); ++row) {
        const ScheduleOutcome& outcome = all[static_cast<std::size_t>(row)];
        const bool own = outcome.kind == context_.document.layout().schedule.kind;
        QString kind = text(outcome.kind);
        if (own) kind += tr(" (now)");
        QStringList cells{kind};
        if (outcome.legal())
            cells << percent(outcome.bubble) << text(formatBytes(outcome.peakBytes))
                  << text(formatSeconds(outcome.stepSeconds)) << text(formatBytes(outcome.trafficBytes));
        else cells << told(outcome.faults.front().what);
        table_->setSpan(row, Bubble, 1, outcome.legal() ? 1 : columns - 1);
        for (int column = 0; column < columns; ++column) {
            auto* item = child<QTableWidgetItem>(cells.value(column));
            const bool figure = outcome.legal() && column != Kind;
            item->setTextAlignment((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            if (figure) {
                QFont mono = theme.mono;
                mono.setPixelSize(11);
                item->setFont(mono);
            }
            item->setForeground(!outcome.legal()                                                   ? theme.dim
                                : column == Peak && !outcome.fits                                  ? theme.bad
                                : column == Step && formatSeconds(outcome.stepSeconds) == quickest ? theme.good
                                                                                                   : theme.text);
            item->setToolTip(outcome.legal() ? tr("Enter or a double click takes this schedule")
                                             : faultsText(outcome.faults));
            table_->setItem(row, column, item);
        }
    }
    const int shown = std::min<int>(mostRowsInSight, static_cast<int>(all.size()));
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + shown * rowHeight + 2);
    plot_->refresh();
    refreshButton();
    Q_EMIT subtitleChanged();
}

void SchedulesView::refreshButton() {
    const auto& all = outcomes_.outcomes();
    const int row = table_->currentRow();
    const ScheduleOutcome* chosen =
        row >= 0 && row < static_cast<int>(all.size()) ? &all[static_cast<std::size_t>(row)] : nullptr;
    const bool own = chosen && chosen->kind == context_.document.layout().schedule.kind;
    take_->setEnabled(chosen && chosen->legal() && !own);
    take_->setToolTip(!chosen ? tr("Click a schedule first.")
                      : own   ? tr("The layout has this schedule already.")
                      : chosen->legal()
                          ? tr("Makes %1 the layout's schedule, in one step of undo (Enter, or a double click).")
                                .arg(text(chosen->kind))
                          : faultsText(chosen->faults));
}

void SchedulesView::take(int row) {
    if (row < 0 || row >= static_cast<int>(outcomes_.outcomes().size())) return;
    const ScheduleOutcome outcome = outcomes_.outcomes()[static_cast<std::size_t>(row)];  // taking it replaces them
    outcomes_.take(outcome);
}

QString SchedulesView::subtitle() const {
    if (outcomes_.outcomes().empty()) return {};
    return tr("one step on %1").arg(text(modelledDevice(context_.document.layout()).title));
}

QString SchedulesView::asTable() const {
    QString table = tr("schedule\tbubble\tpeak bytes\tstep s\ttraffic bytes\twhy not\n");
    if (outcomes_.outcomes().empty())  // planned once somebody looks
        for (const std::string& kind : outcomes_.kinds()) table += text(kind) + QStringLiteral("\t\t\t\t\t\n");
    for (const ScheduleOutcome& outcome : outcomes_.outcomes()) {
        const QString why =
            outcome.legal() ? QString() : faultsText(outcome.faults).replace(QLatin1Char('\n'), QStringLiteral("; "));
        table +=
            QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\n")
                .arg(text(outcome.kind), QString::number(outcome.bubble, 'f', 4), QString::number(outcome.peakBytes),
                     QString::number(outcome.stepSeconds, 'g', 6), QString::number(outcome.trafficBytes), why);
    }
    return table;
}

}  // namespace shardlab::ui
