// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/layout_form.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/shrinking.h"
#include "ui/core/style_sheet.h"
#include "ui/views/layout_form/field_editor.h"
#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/section_notes.h"

#include "engine/layout/field_effect.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/text.h"
#include "ui/core/unbroken.h"
#include "ui/core/words.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <span>

namespace shardlab::ui {
namespace {

/// "/model/layers" is of "model"; "/name" of "layout". Where a layout runs and what it is planned for are two
/// questions, though the file has the answers to both below "cluster".
QString sectionOf(const QString& pointer) {
    if (pointer.startsWith(QLatin1String("/cluster/pace"))) return QStringLiteral("modelled");
    const QStringList parts = pointer.split(QLatin1Char('/'), Qt::SkipEmptyParts);
    return parts.size() > 1 ? parts.front() : QStringLiteral("layout");
}

QString titleOf(const QString& section) {
    if (section == QLatin1String("cluster")) return LayoutForm::tr("RUNS ON");
    if (section == QLatin1String("modelled")) return LayoutForm::tr("PLANNED FOR");
    return term(section.toStdString()).toUpper();
}

constexpr const char* foldedKey = "layoutForm/folded";
constexpr int besideRequested = 60;  ///< pixels in sight above and below a field that somebody asked for

/// Whether every word stands in the field's name, pointer or help, in English or in the desktop's language.
bool answers(const Field& field, const QString& words) {
    const QStringList said{text(field.pointer), text(field.label), term(field.label), text(field.help),
                           term(field.help)};
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (said.filter(word, Qt::CaseInsensitive).isEmpty()) return false;
    return true;
}

}  // namespace

LayoutForm::LayoutForm(const ViewContext& context, QWidget* parent)
    : View(context, parent), wanted_(child<QLineEdit>(this)), area_(child<QScrollArea>(this)),
      shrink_(child<QPushButton>(this)), none_(child<QLabel>(tr("No field has all of these words."))) {
    auto* outer = child<QVBoxLayout>(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto* above = child<QHBoxLayout>();
    above->setContentsMargins(12, 8, 12, 4);
    wanted_->setPlaceholderText(tr("find a field: zero, bucket, /run"));
    wanted_->setAccessibleName(tr("Find a field"));
    wanted_->setClearButtonEnabled(true);
    above->addWidget(wanted_);
    outer->addLayout(above);
    outer->addWidget(area_);
    auto* inside = child<QWidget>();
    area_->setWidget(inside);
    area_->setWidgetResizable(true);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area_->setFocusPolicy(Qt::NoFocus);
    auto* column = child<QVBoxLayout>(inside);
    column->setContentsMargins(12, 8, 12, 12);
    column->setSpacing(5);
    none_->setProperty("role", "dim");
    none_->setWordWrap(true);
    column->addWidget(none_);
    for (const Field& field : fields()) {
        const QString section = sectionOf(text(field.pointer));
        if (sections_.empty() || sections_.back().name != section) addSection(*column, section);
        rows_.push_back(child<FieldRow>(field, context_.document, inside));
        column->addWidget(rows_.back());
        sections_.back().lastRow = rows_.size();
        column->removeWidget(sections_.back().rest);
        column->addWidget(sections_.back().rest);
        if (field.pointer == "/cluster/hosts") column->addWidget(shrink_);
    }
    shrink_->setToolTip(tr("Take a smaller twin of this design that trains on this machine: the same schedule, a "
                           "smaller model on fewer ranks (Ctrl+Z takes the design back)"));
    connect(shrink_, &QPushButton::clicked, this, [this] {
        const auto changed = shrinkToThisMachine(context_.document, context_.document.layout());
        shrink_->setText(changed ? tr("Shrink to this machine") : told(changed.error()));
    });
    connect(wanted_, &QLineEdit::textChanged, this, &LayoutForm::showRows);
    column->addStretch(1);
    connect(&context_.document, &Document::layoutChanged, this, &LayoutForm::refresh);
    connect(&context_.document, &Document::planChanged, this, &LayoutForm::refreshNotes);
    connect(&context_.document, &Document::fieldRequested, this, &LayoutForm::focusField);
    qApp->installEventFilter(this);
    refresh();
}

bool LayoutForm::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        const auto* control = qobject_cast<QWidget*>(watched);
        if ((key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo)) && control && isAncestorOf(control)) {
            event->ignore();
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

void LayoutForm::addSection(QVBoxLayout& column, const QString& name) {
    auto* head = child<QWidget>();  // a layout alone would keep its margin where the section is not shown
    head->setProperty("role", "sectionHead");
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, sections_.empty() ? 0 : 8, 0, 0);
    auto* title = child<QToolButton>();
    title->setText(titleOf(name));
    title->setProperty("role", "section");
    title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    title->setCheckable(true);
    title->setChecked(!QSettings().value(foldedKey).toStringList().contains(name));
    title->setToolTip(tr("Fold or unfold the section"));
    auto* note = child<QLabel>();
    note->setProperty("role", "small");
    note->setAlignment(Qt::AlignRight | Qt::AlignTop);
    note->setWordWrap(true);  // a long note must not widen the form beyond its panel
    row->addWidget(title);
    row->addWidget(note, 1);
    column.addWidget(head);
    auto* rest = child<QToolButton>(area_->widget());
    rest->setProperty("role", "section");
    rest->setCheckable(true);
    rest->setToolTip(tr("Show or hide the fields that change nothing while the others are as they are"));
    connect(rest, &QToolButton::toggled, this, &LayoutForm::showRows);
    sections_.push_back({name, head, title, note, rest, rows_.size(), rows_.size()});
    connect(title, &QToolButton::toggled, this,
            [this, index = sections_.size() - 1](bool open) { fold(sections_[index], !open); });
}

void LayoutForm::fold(const Section& section, bool folded) {
    QStringList all = QSettings().value(foldedKey).toStringList();
    all.removeAll(section.name);
    if (folded) all.append(section.name);
    QSettings().setValue(foldedKey, all);
    showRows();
}

void LayoutForm::showRows() {
    const QString wanted = wanted_->text().trimmed();
    // A layout with faults is mended first.
    shrink_->setVisible(wanted.isEmpty() && context_.document.faults().empty() &&
                        isDesignForOtherMachines(context_.document.layout()));
    bool found = false;
    for (const Section& section : sections_) {
        const auto rows = std::span(rows_).subspan(section.firstRow, section.lastRow - section.firstRow);
        const bool faulty = std::ranges::any_of(rows, [](const FieldRow* row) { return !row->faultText().isEmpty(); });
        const bool open = section.title->isChecked() || !wanted.isEmpty() || faulty;
        bool any = wanted.isEmpty();
        int without = 0;
        for (FieldRow* row : rows) {
            const bool present = isPresent(row->field(), context_.document.layout());
            const bool idle = present && !row->hasEffect() && row->faultText().isEmpty();
            without += idle ? 1 : 0;
            const bool shown = present && open &&
                               (wanted.isEmpty() ? !idle || section.rest->isChecked()
                                                 : answers(row->field(), wanted) ||
                                                       section.name.compare(wanted, Qt::CaseInsensitive) == 0 ||
                                                       section.title->text().compare(wanted, Qt::CaseInsensitive) == 0);
            row->setVisible(shown);
            any = any || shown;
        }
        section.rest->setText(
            section.rest->isChecked()
                ? counted(without, tr("hide 1 field without effect"), tr("hide %1 fields without effect"))
                : counted(without, tr("1 more field, without effect here"), tr("%1 more fields, without effect here")));
        section.rest->setAccessibleName(QStringLiteral("%1: %2").arg(section.title->text(), section.rest->text()));
        section.rest->setVisible(open && without > 0 && wanted.isEmpty());
        section.title->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        section.head->setVisible(any);
        found = found || any;
    }
    none_->setVisible(!found);
    // Nothing of a field is cut off in a narrow window; nor does the form change its width as others are shown.
    const QMargins margins = area_->widget()->layout()->contentsMargins();
    int widest = 0;
    for (const FieldRow* row : rows_) widest = std::max(widest, row->minimumSizeHint().width());
    widest += margins.left() + margins.right() + area_->verticalScrollBar()->sizeHint().width();
    area_->setMinimumWidth(std::max(area_->minimumWidth(), widest));
}

FieldRow* LayoutForm::row(const QString& pointer) const {
    FieldRow* best = nullptr;
    for (FieldRow* row : rows_) {
        const QString own = text(row->field().pointer);
        const bool within = pointer == own || pointer.startsWith(own + QLatin1Char('/'));
        if (within && (!best || own.size() > text(best->field().pointer).size())) best = row;
    }
    return best;
}

void LayoutForm::refresh() {
    const Layout& layout = context_.document.layout();
    std::vector<std::vector<Fault>> faults(rows_.size());
    for (const Fault& fault : context_.document.faults()) {
        // A fault inside a list is shown at the list; one of a whole section at the section's first field.
        FieldRow* at = row(QString::fromStdString(fault.pointer));
        std::size_t index = 0;
        for (std::size_t candidate = 0; candidate < rows_.size(); ++candidate) {
            const bool own = rows_[candidate] == at;
            const bool inside =
                !at && text(rows_[candidate]->field().pointer).startsWith(QString::fromStdString(fault.pointer));
            if (!own && !inside) continue;
            index = candidate;
            break;
        }
        faults[index].push_back(fault);
    }
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        FieldRow& field = *rows_[index];
        if (isPresent(field.field(), layout)) field.display(layout);
        field.setFaults(faults[index]);
        field.setWithoutEffect(term(withoutEffect(field.field().pointer, layout, scheduleMethods())));
    }
    shrink_->setText(tr("Shrink to this machine"));
    showRows();
    refreshNotes();
    Q_EMIT subtitleChanged();
}

void LayoutForm::refreshNotes() {
    for (const Section& section : sections_) {
        const SectionNote note = sectionNote(section.name, context_.document);
        section.note->setText(unbroken(note.text));
        setRole(*section.note, note.role);
    }
}

void LayoutForm::focusField(const QString& pointer) {
    FieldRow* target = row(pointer);
    if (!target) return;
    Q_EMIT sightWanted();
    wanted_->clear();
    for (const Section& section : sections_)
        if (section.name == sectionOf(text(target->field().pointer))) {
            section.title->setChecked(true);
            if (!target->hasEffect()) section.rest->setChecked(true);
        }
    target->editor().control().setFocus(Qt::OtherFocusReason);
    // The rows that were not shown until now get their places first.
    QTimer::singleShot(0, target, [this, target] { area_->ensureWidgetVisible(target, 0, besideRequested); });
}

QString LayoutForm::subtitle() const {
    const std::size_t faults = context_.document.faults().size();
    return faults == 0 ? QString() : counted(faults, tr("1 fault"), tr("%1 faults"));
}

QString LayoutForm::asTable() const { return QString::fromStdString(writeLayout(context_.document.layout())); }

}  // namespace shardlab::ui
