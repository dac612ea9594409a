// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/manual_window.h"

#include "ui/core/child.h"
#include "ui/core/markdown_page.h"
#include "ui/core/taking.h"
#include "ui/core/text.h"
#include "ui/core/theme.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr QSize firstManualSize(1040, 680);
constexpr int besideTopics = 24;  ///< pixels, for their margins and a scroll bar
constexpr int hitsWidth = 360;
constexpr qsizetype before = 24;  ///< letters in front of what was found
constexpr int topicRole = Qt::UserRole, hitRole = Qt::UserRole + 1;

/// A line of the list, which begins near the first of the words.
QString excerpt(const QString& paragraph, const QStringList& words) {
    qsizetype first = paragraph.size();
    for (const QString& word : words) first = std::min(first, paragraph.indexOf(word, 0, Qt::CaseInsensitive));
    const qsizetype begin = first > before ? paragraph.indexOf(QLatin1Char(' '), first - before) + 1 : 0;
    return begin > 0 && begin <= first ? QStringLiteral("… ") + paragraph.mid(begin) : paragraph;
}

}  // namespace

ManualWindow::ManualWindow(ThemeSource& theme, QWidget* parent)
    : QDialog(parent), theme_(theme), query_(child<QLineEdit>(this)), topics_(child<QListWidget>(this)),
      hits_(child<QListWidget>(this)), page_(child<MarkdownPage>(this)) {
    build();
    connect(topics_, &QListWidget::currentRowChanged, this, &ManualWindow::showTopic);
    connect(page_, &MarkdownPage::pageFollowed, this, &ManualWindow::follow);
    connect(&theme_, &ThemeSource::changed, this, [this] { showTopic(topics_->currentRow()); });
    connect(query_, &QLineEdit::textChanged, this, &ManualWindow::find);
    connect(query_, &QLineEdit::returnPressed, this, &ManualWindow::goToHit);
    connect(hits_, &QListWidget::itemClicked, this, &ManualWindow::goToHit);
    connect(child<QShortcut>(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
        query_->setFocus();
        query_->selectAll();
    });

    auto pages = manualPages();
    if (!pages) {
        page_->setPlainText(told(pages.error()));
        return;
    }
    pages_ = std::move(*pages);
    for (const Page& page : pages_) topics_->addItem(text(page.title));
    topics_->ensurePolished();
    topics_->setFixedWidth(topics_->sizeHintForColumn(0) + besideTopics);
    topics_->setCurrentRow(0);
    topics_->setFocus();
}

void ManualWindow::build() {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Manual"));
    setAccessibleName(windowTitle());
    query_->setPlaceholderText(tr("find (Ctrl+F)"));
    query_->setAccessibleName(tr("Find in the manual"));
    query_->setToolTip(tr("Find lines with all of these words, on any page. Return goes to the chosen line."));
    query_->setClearButtonEnabled(true);
    walkFrom(*query_, *hits_);
    topics_->setAccessibleName(tr("Topics"));
    hits_->setAccessibleName(tr("Lines found"));
    hits_->setFixedWidth(hitsWidth);
    hits_->setFocusPolicy(Qt::NoFocus);
    hits_->hide();
    for (QListWidget* list : {topics_, hits_}) {
        list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        list->setFrameShape(QFrame::NoFrame);
    }
    page_->setAccessibleName(tr("Page of the manual"));
    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* side = child<QVBoxLayout>();
    side->setSpacing(0);
    auto* finding = child<QHBoxLayout>();
    finding->setContentsMargins(8, 8, 8, 4);
    finding->addWidget(query_);
    side->addLayout(finding);
    side->addWidget(topics_, 1);
    side->addWidget(hits_, 1);
    row->addLayout(side);
    row->addWidget(page_, 1);
    resize(firstManualSize);
}

void ManualWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !query_->text().isEmpty()) query_->clear();
    else if (!query_->hasFocus() || (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter))
        QDialog::keyPressEvent(event);
}

void ManualWindow::showTopic(int topic) {
    if (topic < 0 || topic >= static_cast<int>(pages_.size())) return;
    page_->setText(text(pages_[static_cast<std::size_t>(topic)].text), theme_.theme());
    page_->verticalScrollBar()->setValue(0);
}

void ManualWindow::follow(const QString& target) {
    const QString file = target.section(QLatin1Char('#'), 0, 0);
    for (std::size_t topic = 0; topic < pages_.size(); ++topic)
        if (file == text(pages_[topic].name) || file.endsWith(QStringLiteral("-%1.md").arg(text(pages_[topic].name))))
            return topics_->setCurrentRow(static_cast<int>(topic));
}

void ManualWindow::find() {
    const QStringList words = wordsOf(query_->text());
    topics_->setVisible(words.isEmpty());
    hits_->setVisible(!words.isEmpty());
    hits_->clear();
    if (words.isEmpty()) return;
    if (paragraphs_.empty())
        for (const Page& page : pages_) paragraphs_.push_back(paragraphsOf(text(page.text)));
    for (std::size_t topic = 0; topic < pages_.size(); ++topic) {
        int hit = 0;
        for (const QString& paragraph : paragraphs_[topic]) {
            if (!hasWords(paragraph, words)) continue;
            if (hit == 0) {
                auto* title = child<QListWidgetItem>(text(pages_[topic].title), hits_);
                title->setFlags(Qt::NoItemFlags);
                title->setForeground(theme_.theme().dim);
            }
            auto* line = child<QListWidgetItem>(QStringLiteral("    ") + excerpt(paragraph, words), hits_);
            line->setData(topicRole, static_cast<int>(topic));
            line->setData(hitRole, hit++);
            line->setData(Qt::AccessibleTextRole, tr("%1: %2").arg(text(pages_[topic].title), paragraph));
        }
    }
    if (hits_->count() > 0) return hits_->setCurrentRow(1);
    child<QListWidgetItem>(tr("no line has all of this"), hits_)->setFlags(Qt::NoItemFlags);
}

void ManualWindow::goToHit() {
    const QListWidgetItem* item = hits_->currentItem();
    if (!item || !item->flags().testFlag(Qt::ItemIsSelectable)) return;
    topics_->setCurrentRow(item->data(topicRole).toInt());
    page_->mark(wordsOf(query_->text()), item->data(hitRole).toInt(), theme_.theme());
}

}  // namespace shardlab::ui
