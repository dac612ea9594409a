// SPDX-License-Identifier: GPL-3.0-or-later
// One field of the form: label, control, and below them what is wrong with it, why, and what would be legal.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <QWidget>

#include <vector>

class QLabel;

namespace shardlab {

class Document;
class FieldEditor;
struct Field;

class FieldRow : public QWidget {
    Q_OBJECT
public:
    FieldRow(const Field& field, Document& document, QWidget* parent);

    const Field& field() const;
    FieldEditor& editor() const { return *editor_; }
    void display(const Layout& layout);
    /// The faults of this field; empty: none.
    void setFaults(const std::vector<Fault>& faults);
    /// What is shown of them; empty: nothing.
    QString faultText() const;

private:
    void showFault();
    FieldEditor* editor_;
    QLabel* fault_;
    QString misread_;
    QString faults_;
};

}  // namespace shardlab
