// SPDX-License-Identifier: GPL-3.0-or-later
// The chosen lesson from top to bottom: its text, and between its paragraphs what there is to guess, to run and to do.
#pragma once

#include "ui/core/view.h"

#include <QScrollArea>

#include <vector>

class QVBoxLayout;

namespace shardlab::ui {

class LessonPart;

class LessonFlow : public QScrollArea {
    Q_OBJECT
public:
    LessonFlow(const ViewContext& context, QWidget* parent);

    /// Makes the parts of another lesson, from its top.
    void rebuild();
    /// Shows what is known by now.
    void refresh();

private:
    ViewContext context_;
    QVBoxLayout* column_;
    std::vector<LessonPart*> parts_;
};

}  // namespace shardlab::ui
