// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/recent_list.h"

#include "ui/core/child.h"
#include "ui/core/home_session.h"
#include "ui/core/recent_files.h"
#include "ui/core/taking.h"
#include "ui/core/ui_thread.h"
#include "ui/views/home/row_delegate.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPointer>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr int fileRole = Qt::UserRole;

/// "14:03" of today, else the date.
QString shortTime(const QDateTime& time) {
    if (!time.isValid()) return {};
    const bool today = time.date() == QDate::currentDate();
    return today ? QLocale().toString(time.time(), QStringLiteral("HH:mm"))
                 : QLocale().toString(time.date(), QLocale::ShortFormat);
}

QString nameOf(const QString& file) {
    QString name = QFileInfo(file).fileName();
    for (const char* suffix : {".layout.json", ".json", ".shardlab"})
        if (name.endsWith(QLatin1String(suffix))) return name.chopped(static_cast<qsizetype>(qstrlen(suffix)));
    return name;
}

}  // namespace

RecentList::RecentList(HomeSession& home, ThemeSource& theme, QWidget* parent)
    : QWidget(parent), home_(home), search_(child<QLineEdit>(this)), rows_(child<QListWidget>(this)),
      tags_(child<QLineEdit>(this)) {
    auto* title = child<QLabel>(tr("Recent"), this);
    title->setProperty("role", "title");
    title->setBuddy(search_);
    search_->setPlaceholderText(tr("Find by name, words or tag"));
    search_->setAccessibleName(tr("Find a recent run or layout"));
    search_->setClearButtonEnabled(true);
    prepareRows(*rows_, theme, tr("Recent runs and layouts"));
    rows_->setToolTip(tr("A double click or Enter opens it; Delete takes it off this list."));
    auto* label = child<QLabel>(tr("Tags"), this);
    label->setProperty("role", "small");
    label->setBuddy(tags_);
    tags_->setPlaceholderText(tr("your own words for the selected run or layout"));
    tags_->setAccessibleName(tr("Tags of the selected run or layout"));

    auto* head = child<QHBoxLayout>();
    head->setSpacing(14);
    head->addWidget(title);
    head->addWidget(search_, 1);
    auto* foot = child<QHBoxLayout>();
    foot->setSpacing(8);
    foot->addWidget(label);
    foot->addWidget(tags_, 1);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(12, 10, 10, 8);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(rows_, 1);
    column->addLayout(foot);

    connect(search_, &QLineEdit::textChanged, this, &RecentList::fill);
    connect(rows_, &QListWidget::currentRowChanged, this, &RecentList::showTags);
    connect(tags_, &QLineEdit::editingFinished, this, [this] {
        if (const QString file = fileOf(rows_->currentRow()); !file.isEmpty()) home_.setTags(file, tags_->text());
    });
    onTaken(*rows_, [this](const QModelIndex& index) {
        if (const QString file = fileOf(index.row()); !file.isEmpty()) home_.askForFile(file);
    });
    rows_->installEventFilter(this);
    search_->installEventFilter(this);
    connect(&home_, &HomeSession::tagsChanged, this, &RecentList::fill);
}

void RecentList::begin() {
    connect(&home_.recent(), &RecentFiles::changed, this, &RecentList::read);
    read();
}

/// What is known of a file is read again: it may have grown since, as a run does.
void RecentList::read() {
    fill();
    again_ = reading_;
    if (reading_) return;
    reading_ = true;
    QThreadPool::globalInstance()->start([list = QPointer(this), files = home_.recent().files()] {
        std::vector<RecentFacts> facts;
        for (const QString& file : files) facts.push_back(readRecent(file));
        onUserInterface([list, facts = std::move(facts)]() mutable {
            if (list) list->take(std::move(facts));
        });
    });
}

void RecentList::take(std::vector<RecentFacts> facts) {
    reading_ = false;
    known_.clear();
    for (RecentFacts& each : facts) known_.insert(each.file, std::move(each));
    if (again_) read();
    else fill();
}

QStringList RecentList::linesOf(const RecentFacts& facts, const RecentFacts* before) const {
    QStringList lines;
    QStringList words{facts.run ? tr("run") : tr("layout")};
    if (!facts.outcome.isEmpty()) words << facts.outcome;
    if (facts.layout) words << layoutInWords(*facts.layout);
    if (!facts.trouble.isEmpty()) words << facts.trouble;
    lines << words.join(QStringLiteral(" · "));
    if (before && before->layout && facts.layout) {
        const QString difference = differenceInWords(*before->layout, *facts.layout);
        lines << (difference.isEmpty() ? tr("same layout as %1").arg(nameOf(before->file))
                                       : tr("after %1: %2").arg(nameOf(before->file), difference));
    }
    if (const QStringList tags = home_.tags(facts.file); !tags.isEmpty())
        lines << QStringLiteral("#") + tags.join(QStringLiteral(" #"));
    return lines;
}

void RecentList::fill() {
    const QStringList files = home_.recent().files();
    // What was opened since is the one that a person means next, to tag it say.
    const bool opened = std::exchange(newest_, files.value(0)) != files.value(0);
    const QString selected = opened ? QString() : fileOf(rows_->currentRow());
    const QStringList wanted = search_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    rows_->clear();
    for (qsizetype index = 0; index < files.size(); ++index) {
        const RecentFacts facts = known_.value(
            files[index], {files[index], files[index].endsWith(QStringLiteral(".shardlab")), {}, {}, {}, {}});
        // The one before it is the next in the list whose layout is known.
        const RecentFacts* before = nullptr;
        for (qsizetype older = index + 1; older < files.size() && !before; ++older)
            if (const auto found = known_.constFind(files[older]); found != known_.constEnd() && found->layout)
                before = &*found;
        const QStringList lines = linesOf(facts, before);
        const QString all = nameOf(facts.file) + QLatin1Char(' ') + lines.join(QLatin1Char(' '));
        if (!std::ranges::all_of(wanted, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); }))
            continue;
        QListWidgetItem* row = addRow(*rows_, nameOf(facts.file), shortTime(facts.written), lines);
        row->setData(fileRole, facts.file);
        row->setToolTip(facts.file + QLatin1Char('\n') + lines.join(QLatin1Char('\n')));
        if (facts.file == selected) rows_->setCurrentItem(row);
    }
    if (files.isEmpty()) addHeading(*rows_, tr("Runs and layouts that you open will stand here."));
    else if (rows_->count() == 0) addHeading(*rows_, tr("None has all of these words."));
    if (rows_->currentRow() < 0)
        if (QListWidgetItem* first = firstRow(*rows_)) rows_->setCurrentItem(first);
    showTags();
    Q_EMIT changed();
}

void RecentList::showTags() {
    const QString file = fileOf(rows_->currentRow());
    tags_->setEnabled(!file.isEmpty());
    if (!tags_->hasFocus()) tags_->setText(home_.tags(file).join(QLatin1Char(' ')));
}

QString RecentList::fileOf(int row) const {
    const QListWidgetItem* item = rows_->item(row);
    return item ? item->data(fileRole).toString() : QString();
}

QString RecentList::asTable() const {
    QString table;
    for (int row = 0; row < rows_->count(); ++row)
        if (!fileOf(row).isEmpty())
            table += nameOf(fileOf(row)) + QLatin1Char('\t') +
                     rows_->item(row)->data(Qt::AccessibleTextRole).toString() + QLatin1Char('\n');
    return table;
}

bool RecentList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (watched == rows_ && key == Qt::Key_Delete) {
        if (const QString file = fileOf(rows_->currentRow()); !file.isEmpty())
            home_.recent().remove(file.toStdString());
        return true;
    }
    if (watched == search_ && key == Qt::Key_Down) {
        rows_->setFocus(Qt::TabFocusReason);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace shardlab::ui
