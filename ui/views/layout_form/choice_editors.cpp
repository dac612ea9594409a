// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/choice_editors.h"

#include "ui/core/child.h"
#include "ui/views/layout_form/calm_controls.h"
#include "ui/views/layout_form/unit_line.h"

#include "engine/layout/schedule/custom.h"
#include "engine/layout/registries.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace shardlab::ui {
namespace {

/// What a person reads beside the word of the file.
QString titleOf(const Field& field, const QString& word) {
    for (const RegistryEntry& entry : registryOf(field, scheduleMethods()))
        if (text(entry.name) == word) return term(entry.title);
    return {};
}

}  // namespace

QStringList choicesOf(const Field& field) {
    QStringList words;
    for (const RegistryEntry& entry : registryOf(field, scheduleMethods())) words << text(entry.name);
    if (const auto* access = std::get_if<WordField>(&field.access))
        for (const std::string_view word : access->words) words << text(word);
    return words;
}

ChoiceEditor::ChoiceEditor(const Field& field, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), box_(child<CalmComboBox>(this)) {
    fillWith(*this, *box_);
    name(*box_);
    for (const QString& word : choicesOf(field)) {
        box_->addItem(word);
        box_->setItemData(box_->count() - 1, titleOf(field, word), Qt::ToolTipRole);
    }
    box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box_->setMinimumContentsLength(6);
    connect(box_, &QComboBox::currentTextChanged, this, [this](const QString& word) {
        edit(
            [this, &word](Layout& layout) {
                // An order written by hand comes and goes with its kind.
                if (this->field().pointer == "/schedule/kind")
                    layout = withScheduleKind(std::move(layout), word.toStdString());
                else if (const auto* access = std::get_if<WordField>(&this->field().access))
                    access->setWord(layout, word.toStdString());
                else std::get<TextField>(this->field().access)(layout) = word.toStdString();
            },
            word);
    });
}

void ChoiceEditor::display(const Layout& layout) {
    const QSignalBlocker quiet(box_);
    const auto* access = std::get_if<WordField>(&field().access);
    const QString word = access ? text(access->word(layout))
                                : QString::fromStdString(value(layout, std::get<TextField>(field().access)));
    // A name of a file that no registry knows is shown, so that its fault can be seen and mended.
    if (box_->findText(word) < 0) box_->addItem(word);
    box_->setCurrentText(word);
}

QWidget& ChoiceEditor::control() { return *box_; }

PlainTextEditor::PlainTextEditor(const Field& field, TextField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), line_(child<UnitLine>(this)) {
    fillWith(*this, *line_);
    line_->setPlaceholderText(term(field.empty));
    name(*line_);
    connect(line_, &QLineEdit::textEdited, this, &PlainTextEditor::set);
    if (field.pointer != "/data/path") return;
    auto* button = child<QToolButton>(this);
    button->setText(QStringLiteral("…"));
    button->setProperty("role", "flat");
    button->setAccessibleName(tr("Choose a text file"));
    button->setToolTip(tr("Choose a text file"));
    connect(button, &QToolButton::clicked, this, &PlainTextEditor::browse);
    layout()->addWidget(button);
}

void PlainTextEditor::set(const QString& word) {
    edit([this, &word](Layout& layout) { access_(layout) = word.toStdString(); }, word);
}

void PlainTextEditor::browse() {
    auto* dialog = child<QFileDialog>(this, tr("Choose a text file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &PlainTextEditor::set);
    dialog->open();
}

void PlainTextEditor::display(const Layout& layout) {
    const QString word = QString::fromStdString(value(layout, access_));
    if (line_->text() == word) return;
    line_->setText(word);
    line_->setCursorPosition(0);  // a long text shows its beginning
}

QWidget& PlainTextEditor::control() { return *line_; }

WordSetEditor::WordSetEditor(const Field& field, const WordSetField& access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access) {
    constexpr int columns = 3;
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    for (std::size_t i = 0; i < access.words.size(); ++i) {
        auto* box = child<QCheckBox>(text(access.words[i]), this);
        name(*box);
        box->setAccessibleName(tr("%1: %2").arg(term(field.label), box->text()));
        grid->addWidget(box, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
        connect(box, &QCheckBox::toggled, this, [this, i, box](bool on) {
            edit([this, i, on](Layout& layout) { access_.set(layout, i, on); },
                 on ? tr("%1: on").arg(box->text()) : tr("%1: off").arg(box->text()));
        });
        boxes_.push_back(box);
    }
}

void WordSetEditor::display(const Layout& layout) {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const QSignalBlocker quiet(boxes_[i]);
        boxes_[i]->setChecked(access_.has(layout, i));
    }
}

QWidget& WordSetEditor::control() { return *boxes_.front(); }

BooleanEditor::BooleanEditor(const Field& field, BooleanField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), box_(child<QCheckBox>(this)) {
    fillWith(*this, *box_);
    box_->setLayoutDirection(Qt::RightToLeft);
    name(*box_);
    connect(box_, &QCheckBox::toggled, this,
            [this](bool on) { edit([this, on](Layout& layout) { access_(layout) = on; }, on ? tr("on") : tr("off")); });
}

void BooleanEditor::display(const Layout& layout) {
    const QSignalBlocker quiet(box_);
    box_->setChecked(value(layout, access_));
}

QWidget& BooleanEditor::control() { return *box_; }

PaceEditor::PaceEditor(const Field& field, PaceField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), box_(child<QCheckBox>(this)) {
    fillWith(*this, *box_);
    box_->setLayoutDirection(Qt::RightToLeft);
    name(*box_);
    connect(box_, &QCheckBox::toggled, this, [this](bool on) {
        edit([this, on](Layout& layout) { access_(layout) = on ? std::optional(last_) : std::nullopt; },
             on ? tr("on") : tr("off"));
    });
}

void PaceEditor::display(const Layout& layout) {
    const QSignalBlocker quiet(box_);
    const std::optional<PaceSpec> pace = value(layout, access_);
    box_->setChecked(pace.has_value());
    if (pace) last_ = *pace;
}

QWidget& PaceEditor::control() { return *box_; }

}  // namespace shardlab::ui
