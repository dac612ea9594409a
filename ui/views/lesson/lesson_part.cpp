// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/lesson_part.h"

#include "ui/core/child.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"
#include "ui/views/lesson/experiment_part.h"
#include "ui/views/lesson/question_part.h"
#include "ui/views/lesson/step_part.h"
#include "ui/views/lesson/text_part.h"
#include "ui/views/lesson/what_if_part.h"

#include <QVBoxLayout>

namespace shardlab::ui {

QVBoxLayout& LessonPart::beginTask(const ThemeSource& source) {
    const Theme& theme = source.theme();
    setProperty("role", "task");
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(theme.scaled(11), theme.scaled(8), theme.scaled(11), theme.scaled(8));
    column->setSpacing(theme.scaled(6));
    return *column;
}

std::string toldText(const Sentence& sentence) { return told(sentence).toStdString(); }

LessonPart* makePart(const ViewContext& context, const LessonBlock& block, QWidget* parent) {
    switch (block.kind) {
    case LessonBlock::Kind::Text: break;
    case LessonBlock::Kind::Experiment: return child<ExperimentPart>(context, block.index, parent);
    case LessonBlock::Kind::Question: return child<QuestionPart>(context, block.index, parent);
    case LessonBlock::Kind::Step: return child<StepPart>(context, block.index, parent);
    case LessonBlock::Kind::WhatIf: return child<WhatIfPart>(context, block.index, parent);
    }
    return child<TextPart>(context, parent);
}

}  // namespace shardlab::ui
