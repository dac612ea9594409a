// SPDX-License-Identifier: GPL-3.0-or-later
// The control of one field of a layout, made from its line in the field table.
#pragma once

#include "engine/layout/fields.h"

#include <QWidget>

#include <functional>

namespace shardlab::ui {

class Document;

class FieldEditor : public QWidget {
    Q_OBJECT
public:
    FieldEditor(const Field& field, Document& document, QWidget* parent);

    const Field& field() const { return field_; }
    /// Shows the layout's value; never edits, and leaves a text that means the same as it was typed.
    virtual void display(const Layout& layout) = 0;
    /// What the keyboard goes to and a fault marks.
    virtual QWidget& control() = 0;
    /// Needs the form's whole width: stands below its label, not beside it.
    virtual bool wide() const { return false; }

Q_SIGNALS:
    /// The text is no value of this field: why; empty once it is one again.
    void misread(const QString& why);

protected:
    /// One undoable step of the document; `shown` is the new value in words.
    void edit(const std::function<void(Layout&)>& change, const QString& shown);
    /// The field of a copy, for reading.
    template <class Access>
    auto value(Layout layout, Access access) const {
        return std::decay_t<decltype(access(layout))>(access(layout));
    }
    void name(QWidget& control) const;
    const Document& document() const { return document_; }

private:
    const Field& field_;
    Document& document_;
};

FieldEditor* makeFieldEditor(const Field& field, Document& document, QWidget* parent);

}  // namespace shardlab::ui
