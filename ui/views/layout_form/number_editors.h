// SPDX-License-Identifier: GPL-3.0-or-later
// Controls for whole numbers, numbers and lists of numbers.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <optional>
#include <vector>

class QSpinBox;

namespace shardlab::ui {

class UnitLine;

/// A spin box over all integers: what is legal is judged by the layout's check, not by the control.
class IntegerEditor : public FieldEditor {
    Q_OBJECT
public:
    IntegerEditor(const Field& field, IntegerField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    IntegerField access_;
    QSpinBox* box_;
};

/// A line of text that is read as a value after each keystroke.
class ReadEditor : public FieldEditor {
    Q_OBJECT
public:
    ReadEditor(const Field& field, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

protected:
    virtual QString write(const Layout& layout) const = 0;
    /// A change that sets the value, or nothing where the text is none.
    virtual std::function<void(Layout&)> read(const QString& text) const = 0;
    virtual QString expected() const = 0;  ///< "a number"
    /// The field's unit stands behind the number: the text has none of its own.
    virtual bool hasUnit() const { return false; }

private:
    void typed(const QString& text);
    void showUnit();
    /// As read() and write(), where the field has one with its word for 0.
    std::function<void(Layout&)> readWord(const QString& text) const;
    QString writeWord(const Layout& layout) const;

    QString zero_;
    UnitLine* line_;
    QString shown_;  ///< the value last displayed
};

class LongEditor : public ReadEditor {
    Q_OBJECT
public:
    LongEditor(const Field& field, LongField access, Document& document, QWidget* parent);

protected:
    QString write(const Layout& layout) const override;
    std::function<void(Layout&)> read(const QString& text) const override;
    QString expected() const override { return tr("a whole number of at most 64 bits"); }

    LongField access_;
};

/// A whole number that counts bytes, with its unit.
class BytesEditor : public LongEditor {
    Q_OBJECT
public:
    using LongEditor::LongEditor;

protected:
    QString write(const Layout& layout) const override;
    std::function<void(Layout&)> read(const QString& text) const override;
    QString expected() const override { return tr("a size such as 500 MB or 2 GiB"); }
};

class NumberEditor : public ReadEditor {
    Q_OBJECT
public:
    NumberEditor(const Field& field, NumberField access, Document& document, QWidget* parent);

protected:
    QString write(const Layout& layout) const override;
    std::function<void(Layout&)> read(const QString& text) const override;
    QString expected() const override { return tr("a number such as 0.1 or 3e-4"); }
    bool hasUnit() const override { return true; }

private:
    NumberField access_;
};

class IntegerListEditor : public ReadEditor {
    Q_OBJECT
public:
    IntegerListEditor(const Field& field, IntegerListField access, Document& document, QWidget* parent);

protected:
    QString write(const Layout& layout) const override;
    std::function<void(Layout&)> read(const QString& text) const override;
    QString expected() const override { return tr("whole numbers with a space between, such as 64 256 64"); }

private:
    IntegerListField access_;
};

class NumberListEditor : public ReadEditor {
    Q_OBJECT
public:
    NumberListEditor(const Field& field, NumberListField access, Document& document, QWidget* parent);

protected:
    QString write(const Layout& layout) const override;
    std::function<void(Layout&)> read(const QString& text) const override;
    QString expected() const override { return tr("numbers with a space between, such as 0.9 0.95"); }

private:
    NumberListField access_;
};

}  // namespace shardlab::ui
