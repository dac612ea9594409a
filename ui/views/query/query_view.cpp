// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/query/query_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/style_sheet.h"
#include "ui/core/theme.h"
#include "ui/views/query/query_model.h"
#include "ui/core/text.h"
#include "ui/core/work_button.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <optional>
#include <tuple>

namespace shardlab::ui {

namespace {

struct Example {
    const char* title;
    const char* sql;
};
constexpr Example questions[]{
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "The ten slowest steps"),
     "SELECT step, seconds, bubble, loss FROM steps ORDER BY seconds DESC LIMIT 10"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Time of each rank by kind"),
     "SELECT rank, kind, count(*) AS events, sum(duration_ns) / 1e6 AS clock_ms\nFROM events WHERE source = 'measured' "
     "AND duration_ns > 0\nGROUP BY rank, kind ORDER BY rank, clock_ms DESC"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Measured against predicted, by kind"),
     "SELECT kind, source, median(duration_ns) / 1e6 AS median_clock_ms, percentile(duration_ns, 95) / 1e6 AS "
     "p95_clock_ms\nFROM events WHERE lane = 'compute' AND duration_ns > 0\nGROUP BY kind, source ORDER BY kind"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Which rank waits most"),
     "SELECT rank, sum(waiting_ns) / 1e6 AS waiting_clock_ms, sum(busy_ns) / 1e6 AS busy_clock_ms\nFROM rank_steps "
     "GROUP BY rank ORDER BY waiting_clock_ms DESC"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Overflows of the scaled loss"),
     "SELECT step, rank, action, value AS layer, begin_ns FROM events WHERE kind = 'overflow' ORDER BY step, rank"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Products in 8 bits that saturate or become 0"),
     "SELECT step, kind, fp8_place(bytes) AS factor, rank, action, value AS numbers FROM events\nWHERE kind IN "
     "('fp8 saturated', 'fp8 flushed to zero') ORDER BY step, numbers DESC"},
    {QT_TRANSLATE_NOOP("shardlab::ui::QueryView", "Warnings and errors"),
     "SELECT time_ns, rank, level, text FROM log WHERE level <> 'information'"},
};

/// Six significant digits are read at a glance; the tooltip and what is copied have them all.
class ShortNumbers : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QString displayText(const QVariant& value, const QLocale& locale) const override {
        if (value.typeId() != QMetaType::Double) return QStyledItemDelegate::displayText(value, locale);
        const double number = value.toDouble();
        const bool large = std::abs(number) >= 1e6 && std::abs(number) < 1e15;
        return large ? QString::number(number, 'f', 0) : QString::number(number, 'g', 6);
    }
};

std::optional<std::int64_t> number(const Cell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
    return std::nullopt;
}

}  // namespace

QueryView::QueryView(const ViewContext& context, QWidget* parent)
    : View(context, parent), session_(child<QuerySession>(this)),
      answer_(child<QueryModel>(*session_, context.theme, this)), editor_(child<QPlainTextEdit>(this)),
      ask_(child<WorkButton>(tr("Ask"), this)), examples_(child<QToolButton>(this)), tables_(child<QToolButton>(this)),
      table_(child<QTableView>(this)), note_(child<QLabel>(this)) {
    setAccessibleName(tr("Query of the run"));
    editor_->setPlainText(QString::fromLatin1(questions[0].sql));
    editor_->setAccessibleName(tr("A SELECT over events, steps, rank_steps, ranks, log and run"));
    editor_->setToolTip(tr("Type one SELECT; Ctrl+Return runs it"));
    editor_->setTabChangesFocus(true);
    editor_->setMinimumHeight(34);
    editor_->installEventFilter(this);
    for (const auto& [button, name, help] :
         {std::tuple(examples_, tr("Examples"), tr("Examples of queries")),
          std::tuple(tables_, tr("Tables"), tr("Tables and columns that a query may name"))}) {
        button->setText(name);
        button->setToolTip(help);
        button->setProperty("role", QStringLiteral("flat"));
        button->setPopupMode(QToolButton::InstantPopup);
        button->setMenu(child<QMenu>(button));
    }
    fillExamples();
    fillTables();
    table_->setModel(answer_);
    table_->setItemDelegate(child<ShortNumbers>(table_));
    table_->setAccessibleName(tr("Result of the query"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(20);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setStretchLastSection(true);
    note_->setWordWrap(true);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto* bar = child<QHBoxLayout>();
    bar->setSpacing(4);
    bar->addWidget(examples_);
    bar->addWidget(tables_);
    bar->addStretch(1);
    bar->addWidget(ask_);
    auto* upper = child<QVBoxLayout>();
    upper->setContentsMargins(10, 4, 10, 2);
    upper->setSpacing(4);
    upper->addLayout(bar);
    upper->addWidget(editor_, 1);
    upper->addWidget(note_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    column->addLayout(upper, 2);
    column->addWidget(table_, 5);
    setFocusProxy(editor_);

    connect(ask_, &QPushButton::clicked, this, [this] {
        if (session_->running()) session_->cancel();
        else if (!ask_->late()) ask();
    });
    connect(session_, &QuerySession::changed, this, &QueryView::refresh);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) { goTo(index.row()); });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { goTo(index.row()); });
    connect(&context_.model, &RunModel::reset, session_, &QuerySession::clear);
    connect(&context_.theme, &ThemeSource::changed, table_->viewport(), qOverload<>(&QWidget::update));
    refresh();
}

void QueryView::fillExamples() {
    for (const Example& example : questions) {
        QAction* action = examples_->menu()->addAction(tr(example.title));
        connect(action, &QAction::triggered, this, [this, sql = QString::fromLatin1(example.sql)] {
            editor_->setPlainText(sql);
            ask();
        });
    }
}

void QueryView::fillTables() {
    for (const TableHelp& table : queryTables()) {
        QMenu* columns = tables_->menu()->addMenu(tr("%1: %2").arg(text(table.name), text(table.help)));
        for (const QueryColumn& column : table.columns) {
            QAction* action = columns->addAction(tr("%1 — %2").arg(text(column.name), text(column.help)));
            connect(action, &QAction::triggered, this, [this, name = text(column.name)] {
                editor_->insertPlainText(name);
                editor_->setFocus();
            });
        }
    }
}

bool QueryView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == editor_ && event->type() == QEvent::KeyPress) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if ((key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) && (key.modifiers() & Qt::ControlModifier)) {
            ask();
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

void QueryView::ask() {
    if (context_.model.file().empty()) return;
    session_->ask(context_.model.file(), editor_->toPlainText().toStdString());
}

void QueryView::refresh() {
    ask_->setStops(session_->running());
    ask_->setText(session_->running() ? tr("Cancel") : tr("Ask"));
    ask_->setToolTip(session_->running() ? tr("Stop the query and keep the rows that have arrived")
                                         : tr("Run the query (Ctrl+Return)"));
    ask_->setAccessibleName(ask_->toolTip());
    QString said;
    const char* role = "small";
    if (const auto& error = session_->error()) {
        said = told(*error);
        role = "fault";
    } else if (session_->cut()) {
        said = tr("Only the first %1 rows are shown; LIMIT, WHERE or GROUP BY give fewer.").arg(QuerySession::mostRows);
    } else if (session_->cancelled()) {
        said = tr("Cancelled: only the rows that had arrived are shown.");
    } else if (session_->answered() && !session_->running() && session_->rows().empty()) {
        said = tr("No row matches the query.");
    }
    note_->setText(said);
    note_->setVisible(!said.isEmpty());
    setRole(*note_, role);
    if (!session_->running() && answer_->columnCount() > 0) table_->resizeColumnsToContents();
    Q_EMIT subtitleChanged();
}

void QueryView::goTo(int row) {
    Selection& selection = context_.selection;
    const RunModel& model = context_.model;
    std::optional<std::int64_t> time = number(answer_->cell(row, "begin_ns"));
    if (!time) time = number(answer_->cell(row, "time_ns"));
    if (const auto step = number(answer_->cell(row, "step")); step && !time)
        if (const StepExtent* extent = model.steps().extentOf(*step)) time = extent->begin;
    if (const auto rank = number(answer_->cell(row, "rank")); rank && *rank >= 0 && *rank < model.ranks())
        selection.setRank(static_cast<int>(*rank));
    const Cell source = answer_->cell(row, "source");
    if (!time || source == Cell(std::string("predicted"))) return;
    selection.goTo(*time);
}

QString QueryView::emptyText() const {
    if (QString text = View::emptyText(); !text.isEmpty()) return text;
    return context_.model.file().empty() ? tr("This run is not recorded in a file, so it cannot be queried.")
                                         : QString();
}

QString QueryView::subtitle() const {
    if (session_->running()) return tr("asking …");
    if (!session_->answered()) return tr("SQL over this run");
    const QString rows = counted(session_->rows().size(), tr("1 row"), tr("%1 rows"));
    return session_->error() || session_->cancelled()
               ? rows
               : tr("%1 in %2").arg(rows, QString::fromStdString(formatSeconds(session_->seconds())));
}

QString QueryView::asTable() const {
    QString table;
    const auto line = [&](const auto& cells, const auto& textOf) {
        QStringList texts;
        for (const auto& cell : cells)
            texts += QString::fromStdString(textOf(cell))
                         .replace(QLatin1Char('\t'), QLatin1Char(' '))
                         .replace(QLatin1Char('\n'), QLatin1Char(' '));
        table += texts.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    line(session_->columns(), [](const std::string& name) { return name; });
    for (const std::vector<Cell>& row : session_->rows()) line(row, [](const Cell& cell) { return toText(cell); });
    return table;
}

}  // namespace shardlab::ui
