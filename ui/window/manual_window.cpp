// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/manual_window.h"

#include "ui/core/child.h"
#include "ui/core/markdown_page.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QScrollBar>

namespace shardlab::ui {
namespace {
constexpr QSize firstManualSize(1040, 680);
constexpr int besideTopics = 24;  ///< pixels, for their margins and a scroll bar
}  // namespace

ManualWindow::ManualWindow(ThemeSource& theme, QWidget* parent)
    : QDialog(parent), theme_(theme), topics_(child<QListWidget>(this)), page_(child<MarkdownPage>(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Manual"));
    setAccessibleName(windowTitle());
    topics_->setAccessibleName(tr("Topics"));
    topics_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    topics_->setFrameShape(QFrame::NoFrame);
    page_->setAccessibleName(tr("Page of the manual"));
    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(topics_);
    row->addWidget(page_, 1);
    resize(firstManualSize);
    connect(topics_, &QListWidget::currentRowChanged, this, &ManualWindow::showTopic);
    connect(page_, &MarkdownPage::pageFollowed, this, &ManualWindow::follow);
    connect(&theme_, &ThemeSource::changed, this, [this] { showTopic(topics_->currentRow()); });

    auto pages = manualPages();
    if (!pages) {
        page_->setPlainText(told(pages.error()));
        return;
    }
    pages_ = std::move(*pages);
    for (const Page& page : pages_) topics_->addItem(QString::fromStdString(page.title));
    topics_->ensurePolished();
    topics_->setFixedWidth(topics_->sizeHintForColumn(0) + besideTopics);
    topics_->setCurrentRow(0);
    topics_->setFocus();
}

void ManualWindow::showTopic(int topic) {
    if (topic < 0 || topic >= static_cast<int>(pages_.size())) return;
    page_->setText(QString::fromStdString(pages_[static_cast<std::size_t>(topic)].text), theme_.theme());
    page_->verticalScrollBar()->setValue(0);
}

void ManualWindow::follow(const QString& target) {
    const QString file = target.section(QLatin1Char('#'), 0, 0);
    for (std::size_t topic = 0; topic < pages_.size(); ++topic)
        if (file == QString::fromStdString(pages_[topic].name) ||
            file.endsWith(QStringLiteral("-%1.md").arg(QString::fromStdString(pages_[topic].name))))
            return topics_->setCurrentRow(static_cast<int>(topic));
}

}  // namespace shardlab::ui
