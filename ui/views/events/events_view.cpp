// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/events/events_view.h"

#include "ui/core/child.h"
#include "ui/core/rounding.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/events/happenings_filter.h"
#include "ui/views/events/happenings_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace shardlab::ui {

namespace {
constexpr int timesWidth = 360;
}

EventsView::EventsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), happenings_(child<HappeningsModel>(context.model, context.theme, this)),
      shown_(child<HappeningsFilter>(this)), table_(child<QTableView>(this)), filter_(child<QLineEdit>(this)),
      problems_(child<QPushButton>(tr("Problems"), this)), detail_(child<QLabel>(this)),
      refresh_(
          this, [this] { refresh(); }, 150) {
    setAccessibleName(tr("Events"));
    shown_->setSourceModel(happenings_);
    table_->setModel(shown_);
    table_->setAccessibleName(tr("Events, newest first"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideRight);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(HappeningsModel::Time, 74);
    filter_->setPlaceholderText(tr("filter"));
    filter_->setAccessibleName(tr("Show only events with this text"));
    filter_->setClearButtonEnabled(true);
    problems_->setCheckable(true);
    problems_->setProperty("role", QStringLiteral("flat"));
    problems_->setToolTip(tr("Only warnings and errors"));

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(8, 6, 8, 0);
    bar->addWidget(filter_, 1);
    bar->addWidget(problems_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(4);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    detail_->setWordWrap(true);
    detail_->setProperty("role", QStringLiteral("small"));
    detail_->setContentsMargins(10, 0, 10, 2);
    detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    detail_->hide();
    column->addWidget(detail_);

    refresh_.follow(context_.model, &RunModel::reset, &RunModel::appended);
    refresh_.follow(context_.model.report(), &RunReport::logged, &RunReport::ranksChanged, &RunReport::ended);
    connect(&context_.theme, &ThemeSource::changed, table_->viewport(), qOverload<>(&QWidget::update));
    connect(filter_, &QLineEdit::textChanged, shown_, &HappeningsFilter::setText);
    connect(problems_, &QPushButton::toggled, shown_, &HappeningsFilter::setProblemsOnly);
    const auto tellRow = [this](const QModelIndex& row) {
        const QString text =
            row.isValid() ? shown_->index(row.row(), HappeningsModel::Text).data().toString() : QString();
        const bool elided =
            table_->fontMetrics().horizontalAdvance(text) + 8 > table_->columnWidth(HappeningsModel::Text);
        detail_->setText(text);
        detail_->setVisible(elided);
    };
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, tellRow);
    connect(shown_, &QAbstractItemModel::modelReset, this,
            [this, tellRow] { tellRow(table_->currentIndex()); });  // another run
    connect(table_, &QTableView::clicked, this, &EventsView::goTo);
    connect(table_, &QTableView::activated, this, &EventsView::goTo);
    refresh();
}

void EventsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    // Where there is little room, what happened goes before when: the tooltip tells that too.
    table_->setColumnHidden(HappeningsModel::Time, width() < timesWidth);
}

void EventsView::refresh() {
    std::vector<Happening> all = context_.model.empty() ? std::vector<Happening>{} : happenings(context_.model);
    int last = 0;
    for (const Happening& happening : all) last = std::max(last, happening.step);
    happenings_->setHappenings(std::move(all));
    // Wide enough for the largest number, whose digits are all of one width.
    const QFontMetrics digits(context_.theme.theme().mono);
    table_->setColumnWidth(HappeningsModel::Step, std::max(36, digits.horizontalAdvance(QString::number(last)) + 10));
    Q_EMIT subtitleChanged();
}

void EventsView::goTo(const QModelIndex& index) {
    const Happening& happening = happenings_->at(shown_->mapToSource(index).row());
    Selection& selection = context_.selection;
    if (happening.rank >= 0) selection.setRank(happening.rank);
    // A counter of rounded numbers is not drawn: the action that rounded them is selected.
    const bool rounding = happening.event && isRounding(happening.event->kind);
    const std::optional<Event> told = rounding ? roundingAction(context_.model, *happening.event) : happening.event;
    const std::int64_t time = told && rounding ? told->begin : happening.time;
    if (told) selection.select(told);
    selection.goTo(time);
}

QString EventsView::subtitle() const {
    int problems = 0;
    for (int row = 0; row < happenings_->rowCount(); ++row)
        problems += happenings_->at(row).level == LogLevel::Info ? 0 : 1;
    if (problems > 0) return counted(problems, tr("1 problem"), tr("%1 problems"));
    return happenings_->rowCount() > 0 ? tr("newest first") : QString();
}

QString EventsView::asTable() const {
    QString table = tr("step\ttime s\trank\tlevel\twhat\n");
    for (int row = 0; row < shown_->rowCount(); ++row) {
        const Happening& happening = happenings_->at(shown_->mapToSource(shown_->index(row, 0)).row());
        const char* level = happening.level == LogLevel::Error     ? "error"
                            : happening.level == LogLevel::Warning ? "warning"
                                                                   : "info";
        table += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                     .arg(happening.step < 0 ? QString() : QString::number(happening.step),
                          QString::number(
                              context_.model.deviceTime().seconds(static_cast<double>(happening.time) * 1e-9), 'f', 6),
                          happening.rank < 0 ? QString() : QString::number(happening.rank), QLatin1String(level),
                          happening.text);
    }
    return table;
}

}  // namespace shardlab::ui
