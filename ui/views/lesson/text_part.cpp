// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/lesson/text_part.h"

#include "ui/core/child.h"
#include "ui/core/lesson_session.h"
#include "ui/core/markdown_page.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/views/lesson/show_links.h"

#include <QEvent>
#include <QVBoxLayout>

#include <cmath>

namespace shardlab::ui {

TextPart::TextPart(const ViewContext& context, QWidget* parent)
    : LessonPart(parent), context_(context), page_(child<MarkdownPage>(this)) {
    page_->setAccessibleName(tr("Text of the lesson"));
    page_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    page_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    page_->viewport()->installEventFilter(this);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(page_);
    connect(page_, &MarkdownPage::pageFollowed, this,
            [this](const QString& target) { followShowLink(context_.lessons, target); });
    connect(&context_.theme, &ThemeSource::changed, this, [this] {
        page_->setText(shown_, context_.theme.theme());
        fit();
    });
}

void TextPart::setTight() { page_->setRoom(0); }

void TextPart::refresh(const LessonBlock& block) {
    const QString markdown = text(block.text);
    if (markdown == shown_) return;
    shown_ = markdown;
    page_->setText(markdown, context_.theme.theme());
    page_->setFocusPolicy(hasLinks(markdown) ? Qt::StrongFocus : Qt::ClickFocus);
    fit();
}

bool TextPart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return LessonPart::eventFilter(watched, event);
    event->ignore();  // the page around it scrolls
    return true;
}

void TextPart::resizeEvent(QResizeEvent* event) {
    LessonPart::resizeEvent(event);
    fit();
}

void TextPart::fit() {
    const int frame = 2 * page_->frameWidth(), room = width() - frame;
    page_->document()->setTextWidth(room);
    const double bar = page_->document()->idealWidth() > room + 1 ? 12 : 0;  // of a table that is too wide
    page_->setFixedHeight(static_cast<int>(std::ceil(page_->document()->size().height() + bar)) + frame);
}

}  // namespace shardlab::ui
