// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/lesson_flow.h"

#include "engine/launch/lesson/lesson_text.h"
#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/views/lesson/lesson_part.h"

#include <QScrollBar>
#include <QVBoxLayout>

#include <memory>

namespace shardlab::ui {

LessonFlow::LessonFlow(const ViewContext& context, QWidget* parent)
    : QScrollArea(parent), context_(context), column_(child<QVBoxLayout>()) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = child<QWidget>();
    column_->setContentsMargins(6, 0, 6, 12);
    column_->setSpacing(6);
    page->setLayout(column_);
    setWidget(page);
}

void LessonFlow::rebuild() {
    for (LessonPart* part : parts_) const std::unique_ptr<LessonPart> gone(part);
    parts_.clear();
    while (column_->count() > 0) const std::unique_ptr<QLayoutItem> taken(column_->takeAt(0));
    const LessonSession& lessons = context_.lessons;
    if (lessons.lesson())
        for (const LessonBlock& block : lessonBlocks(*lessons.lesson(), lessons.known(), &lessons.reader(), toldText)) {
            parts_.push_back(makePart(context_, block, widget()));
            column_->addWidget(parts_.back());
            parts_.back()->show();
        }
    column_->addStretch(1);
    refresh();
    verticalScrollBar()->setValue(0);
}

void LessonFlow::refresh() {
    const LessonSession& lessons = context_.lessons;
    if (!lessons.lesson()) return;
    const std::vector<LessonBlock> blocks =
        lessonBlocks(*lessons.lesson(), lessons.known(), &lessons.reader(), toldText);
    if (blocks.size() != parts_.size()) return rebuild();
    for (std::size_t index = 0; index < blocks.size(); ++index) parts_[index]->refresh(blocks[index]);
    // Parts are made as they are needed, and what is made last is what Tab comes to last in the whole window.
    QWidget* last = this;
    for (QWidget* each : widget()->findChildren<QWidget*>()) {
        if (!(each->focusPolicy() & Qt::TabFocus)) continue;
        setTabOrder(last, each);
        last = each;
    }
}

}  // namespace shardlab::ui
