// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a whole run: tokens, price, failures. It is remembered from one start of the desktop to the next.
#pragma once

#include "engine/predict/plan/whole_run.h"

#include <QWidget>

#include <vector>

class QLineEdit;

namespace shardlab::ui {

class WholeRunForm : public QWidget {
    Q_OBJECT
public:
    explicit WholeRunForm(QWidget* parent = nullptr);
    const WholeRunQuestion& question() const { return question_; }
    /// The field of that figure.
    QLineEdit& field(double WholeRunQuestion::*figure) const;

Q_SIGNALS:
    void changed();

private:
    struct Field {
        double WholeRunQuestion::*figure;
        QLineEdit* edit;
    };
    void add(double WholeRunQuestion::*figure, const char* key, const QString& label, const QString& help);

    WholeRunQuestion question_;
    std::vector<Field> fields_;
};

}  // namespace shardlab::ui
