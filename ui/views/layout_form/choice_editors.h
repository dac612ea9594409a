// SPDX-License-Identifier: GPL-3.0-or-later
// Controls for words: one of a set, free text, on or off, paced or not.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <QStringList>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace shardlab {

/// The words a field may hold, from its line in the table or from its registry; empty: any text.
QStringList choicesOf(const Field& field);

class ChoiceEditor : public FieldEditor {
    Q_OBJECT
public:
    ChoiceEditor(const Field& field, TextField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    TextField access_;
    QComboBox* box_;
};

class WordEditor : public FieldEditor {
    Q_OBJECT
public:
    WordEditor(const Field& field, TextField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    void browse();
    void set(const QString& text);
    TextField access_;
    QLineEdit* line_;
};

class BooleanEditor : public FieldEditor {
    Q_OBJECT
public:
    BooleanEditor(const Field& field, BooleanField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    BooleanField access_;
    QCheckBox* box_;
};

/// Whether the run is paced; its device and step time are fields of their own.
class PaceEditor : public FieldEditor {
    Q_OBJECT
public:
    PaceEditor(const Field& field, PaceField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    PaceField access_;
    QCheckBox* box_;
    PaceSpec last_;  ///< comes back when pacing is switched on again
};

}  // namespace shardlab
