// SPDX-License-Identifier: GPL-3.0-or-later
// Controls for words: one of a set, free text, on or off, paced or not.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <QStringList>

#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace shardlab::ui {

/// The words that a field may hold, from its enum or from its registry; empty: any text.
QStringList choicesOf(const Field& field);

/// One of an enum's words, or one name of a registry.
class ChoiceEditor : public FieldEditor {
    Q_OBJECT
public:
    ChoiceEditor(const Field& field, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    QComboBox* box_;
};

/// Any text.
class PlainTextEditor : public FieldEditor {
    Q_OBJECT
public:
    PlainTextEditor(const Field& field, TextField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    void browse();
    void set(const QString& text);
    TextField access_;
    QLineEdit* line_;
};

/// Any of an enum's words, a check box each.
class WordSetEditor : public FieldEditor {
    Q_OBJECT
public:
    WordSetEditor(const Field& field, const WordSetField& access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;
    bool wide() const override { return true; }

private:
    WordSetField access_;
    std::vector<QCheckBox*> boxes_;
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

}  // namespace shardlab::ui
