// SPDX-License-Identifier: GPL-3.0-or-later
// One field of the form: label, control, and below them what is wrong with it, why, and what would be legal.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <QWidget>

#include <vector>

class QLabel;

namespace shardlab::layout {
struct Field;
}  // namespace shardlab::layout

namespace shardlab::ui {

class Document;
class FieldEditor;

class FieldRow : public QWidget {
    Q_OBJECT
public:
    FieldRow(const Field& field, Document& document, QWidget* parent);

    const Field& field() const;
    FieldEditor& editor() const { return *editor_; }
    void display(const Layout& layout);
    /// The faults of this field; empty: none.
    void setFaults(const std::vector<Fault>& faults);
    /// Why the field changes nothing at present, "only with fp16": it is drawn subdued then, and its tooltip says so.
    /// Empty: it has an effect.
    void setWithoutEffect(const QString& takes);
    bool hasEffect() const { return takes_.isEmpty(); }
    /// What is shown of them; empty: nothing.
    QString faultText() const;

private:
    void showFault();
    QString helpText() const;
    FieldEditor* editor_;
    QLabel* label_;
    QLabel* fault_;
    QString misread_;
    QString faults_;
    QString takes_;
};

}  // namespace shardlab::ui
