// SPDX-License-Identifier: GPL-3.0-or-later
// Text of a lesson, as high as it is, so that the page around it scrolls.
#pragma once

#include "ui/views/lesson/lesson_part.h"

namespace shardlab::ui {

class MarkdownPage;

class TextPart : public LessonPart {
    Q_OBJECT
public:
    TextPart(const ViewContext& context, QWidget* parent);
    /// Without room around the text, for one that stands in another part.
    void setTight();
    void refresh(const LessonBlock& block) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    ViewContext context_;
    MarkdownPage* page_;
    QString shown_;
};

}  // namespace shardlab::ui
