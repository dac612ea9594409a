// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run_notes/run_notes_view.h"

#include "ui/core/child.h"
#include "ui/core/note_book.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/event_text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

enum Column { When, Who, What, columns };
constexpr std::int64_t exactness = 1'000'000;  ///< of the moments shown, on the run's clock

}  // namespace

RunNotesView::RunNotesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), field_(child<QLineEdit>(this)), add_(child<QPushButton>(tr("Add"), this)),
      remove_(child<QPushButton>(tr("Remove"), this)), table_(child<QTableWidget>(this)), error_(child<QLabel>(this)) {
    setAccessibleName(tr("Notes"));
    setFocusProxy(field_);
    field_->setPlaceholderText(tr("a note at the cursor"));
    field_->setAccessibleName(tr("New note"));
    field_->setToolTip(tr(
        "The note is placed at the cursor, or else at the selected action, and on the selected rank; Return adds it"));
    add_->setToolTip(tr("Add the note, which is kept in the run file"));
    add_->setAccessibleName(tr("Add the note"));
    remove_->setToolTip(tr("Remove the chosen note (Delete)"));
    remove_->setAccessibleName(tr("Remove the note"));
    for (QPushButton* button : {add_, remove_}) button->setProperty("role", QStringLiteral("flat"));
    table_->setColumnCount(columns);
    table_->setAccessibleName(tr("Notes by their moment"));
    table_->setFrameShape(QFrame::NoFrame);
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(22);
    table_->horizontalHeader()->hide();
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(What, QHeaderView::Stretch);
    error_->setProperty("role", "fault");
    error_->setWordWrap(true);
    error_->setContentsMargins(10, 0, 10, 2);
    error_->hide();

    auto* bar = child<QHBoxLayout>();
    bar->setContentsMargins(8, 6, 8, 0);
    bar->setSpacing(4);
    bar->addWidget(field_, 1);
    bar->addWidget(add_);
    bar->addWidget(remove_);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(4);
    column->addLayout(bar);
    column->addWidget(table_, 1);
    column->addWidget(error_);

    connect(field_, &QLineEdit::returnPressed, this, &RunNotesView::add);
    connect(field_, &QLineEdit::textChanged, this, &RunNotesView::refresh);
    connect(add_, &QPushButton::clicked, this, &RunNotesView::add);
    connect(remove_, &QPushButton::clicked, this, &RunNotesView::remove);
    auto* deleting = child<QShortcut>(QKeySequence(Qt::Key_Delete), table_);
    deleting->setContext(Qt::WidgetShortcut);
    connect(deleting, &QShortcut::activated, this, &RunNotesView::remove);
    connect(table_, &QTableWidget::itemSelectionChanged, this,
            [this] { remove_->setEnabled(table_->currentRow() >= 0); });
    connect(table_, &QTableWidget::cellClicked, this, &RunNotesView::goTo);
    connect(table_, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem* item) {
        if (filling_ || item->column() != What) return;
        // Not now: the editor is still at work in the row that may go.
        QMetaObject::invokeMethod(
            this,
            [this, row = item->row(), text = item->text()] {
                context_.model.notes().change(static_cast<std::size_t>(row), text);
            },
            Qt::QueuedConnection);
    });
    connect(&context_.model.notes(), &NoteBook::changed, this, &RunNotesView::refresh);
    refresh();
}

std::int64_t RunNotesView::moment() const {
    const Selection& selection = context_.selection;
    if (selection.cursor() >= 0) return selection.cursor();
    if (selection.event()) return selection.event()->begin;
    const TimeRange visible = selection.visible();
    return std::max<std::int64_t>(0, visible.begin + (visible.end - visible.begin) / 2);
}

void RunNotesView::add() {
    context_.model.notes().add(moment(), context_.selection.rank(), field_->text());
    field_->clear();
}

void RunNotesView::remove() {
    if (table_->currentRow() >= 0) context_.model.notes().remove(static_cast<std::size_t>(table_->currentRow()));
}

void RunNotesView::refresh() {
    const QScopedValueRollback guard(filling_, true);
    const std::vector<Note>& notes = context_.model.notes().all();
    const int current = table_->currentRow();
    table_->setRowCount(static_cast<int>(notes.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const Note& note = notes[static_cast<std::size_t>(row)];
        const QString cells[columns]{ui::moment(context_.model, note.time, context_.model.recorded().last, exactness),
                                     note.rank < 0 ? QString() : tr("rank %1").arg(note.rank),
                                     QString::fromStdString(note.text)};
        for (int column = 0; column < columns; ++column) {
            auto* item = child<QTableWidgetItem>(cells[column]);
            if (column != What) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
            item->setToolTip(column == What ? tr("%1\nwritten %2; double click to change")
                                                  .arg(cells[What], QString::fromStdString(note.created))
                                            : QString());
            table_->setItem(row, column, item);
        }
    }
    if (current >= 0 && current < table_->rowCount()) table_->setCurrentCell(current, What);
    add_->setEnabled(!field_->text().trimmed().isEmpty());
    remove_->setEnabled(table_->currentRow() >= 0);
    error_->setVisible(context_.model.notes().error().has_value());
    if (context_.model.notes().error()) error_->setText(told(*context_.model.notes().error()));
    Q_EMIT subtitleChanged();
}

void RunNotesView::goTo(int row) {
    const Note note = context_.model.notes().all()[static_cast<std::size_t>(row)];
    if (note.rank >= 0) context_.selection.setRank(note.rank);
    context_.selection.goTo(note.time);
}

QString RunNotesView::subtitle() const {
    if (context_.model.empty()) return {};
    const auto count = context_.model.notes().all().size();
    if (count == 0) return tr("none yet");
    const bool waiting = !context_.model.report().end() || context_.model.file().empty();
    const QString text = counted(count, tr("1 note"), tr("%1 notes"));
    return waiting ? tr("%1 · saved when the run ends").arg(text) : tr("%1 · in the run file").arg(text);
}

QString RunNotesView::asTable() const {
    QString table = tr("time s\trank\tnote\twritten\n");
    for (const Note& note : context_.model.notes().all())
        table += QStringLiteral("%1\t%2\t%3\t%4\n")
                     .arg(QString::number(context_.model.deviceTime().seconds(static_cast<double>(note.time) * 1e-9),
                                          'f', 6),
                          note.rank < 0 ? QString() : QString::number(note.rank),
                          QString::fromStdString(note.text).replace(QLatin1Char('\t'), QLatin1Char(' ')),
                          QString::fromStdString(note.created));
    return table;
}

}  // namespace shardlab::ui
