// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/export_window.h"

#include "engine/layout/layout_file.h"
#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/document.h"
#include "ui/core/field_words.h"
#include "ui/core/style_sheet.h"
#include "ui/core/taking.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr auto targetKey = "export/target";
constexpr auto slurmKey = "export/slurm";
constexpr QSize firstExportSize(920, 600);
constexpr int mostNoteLines = 6;  ///< in sight; the rest is scrolled to

enum RefusalColumn { FieldColumn, WhatColumn, WhyColumn, NearestColumn, refusalColumns };

QPlainTextEdit* readable(QWidget* parent, const QString& name) {
    auto* made = child<QPlainTextEdit>(parent);
    made->setReadOnly(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    made->setTabChangesFocus(true);
    made->setAccessibleName(name);
    return made;
}

QLabel* wrapped(QWidget* parent, const char* role) {
    auto* made = child<QLabel>(parent);
    made->setProperty("role", role);
    made->setWordWrap(true);
    return made;
}

}  // namespace

ExportWindow::ExportWindow(Document& document, QWidget* parent)
    : QDialog(parent), document_(document), targets_(child<ElidedComboBox>(this)),
      slurm_(child<QCheckBox>(tr("With a script for S&lurm"), this)), about_(wrapped(this, "dim")),
      heading_(wrapped(this, "section")), leftOutTitle_(wrapped(this, "section")), note_(wrapped(this, "small")),
      pages_(child<QStackedWidget>(this)), files_(child<QTabBar>(this)),
      preview_(readable(this, tr("Text of the file"))), leftOut_(readable(this, tr("Not carried over"))),
      refusals_(child<QTableWidget>(0, refusalColumns, this)),
      nearest_(child<QPushButton>(tr("Take all the &nearest"), this)), copy_(child<QPushButton>(tr("&Copy"), this)),
      save_(child<QPushButton>(tr("&Save …"), this)) {
    leftOut_->setProperty("role", "prose");
    build();
    for (const TrainerTarget& each : trainerTargets()) targets_->addItem(text(each.program), text(each.name));
    const QSettings settings;
    slurm_->setToolTip(tr("Write a script that sbatch takes, which starts the training by itself"));
    slurm_->setChecked(settings.value(slurmKey).toBool());
    targets_->setCurrentIndex(std::max(0, targets_->findData(settings.value(targetKey))));
    resize(firstExportSize.boundedTo(parent ? parent->size() : firstExportSize));
    connect(targets_, &QComboBox::currentIndexChanged, this, [this] {
        QSettings().setValue(targetKey, targets_->currentData());
        refresh();
    });
    connect(slurm_, &QCheckBox::toggled, this, [this](bool on) {
        QSettings().setValue(slurmKey, on);
        refresh();
    });
    connect(files_, &QTabBar::currentChanged, this, &ExportWindow::showFile);
    connect(copy_, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(preview_->toPlainText());
        const auto file = static_cast<std::size_t>(files_->currentIndex());
        say(tr("%1 was copied.").arg(text(made_.files[file].name)), "small");
    });
    connect(save_, &QPushButton::clicked, this, &ExportWindow::askAndSave);
    connect(nearest_, &QPushButton::clicked, this, &ExportWindow::takeNearest);
    for (auto signal : {&Document::layoutChanged, &Document::fileChanged})
        connect(&document_, signal, this, &ExportWindow::refresh);
    onTaken(*refusals_, [this](const QModelIndex& row) {
        if (!row.isValid()) return;
        Q_EMIT fieldWanted(text(made_.refused[static_cast<std::size_t>(row.row())].pointer));
    });
    refresh();
    targets_->setFocus();
}

void ExportWindow::build() {
    setWindowTitle(tr("Export for another trainer"));
    setAccessibleName(windowTitle());
    auto* column = child<QVBoxLayout>(this);
    auto* bar = child<QHBoxLayout>();
    column->addLayout(bar);
    auto* caption = child<QLabel>(tr("Export &for"), this);
    caption->setBuddy(targets_);
    targets_->setAccessibleName(tr("The trainer that reads the files"));
    bar->addWidget(caption);
    bar->addWidget(targets_);
    bar->addSpacing(12);
    bar->addWidget(slurm_);
    bar->addStretch(1);
    column->addWidget(about_);
    column->addWidget(pages_, 1);

    auto* shown = child<QWidget>(pages_);
    auto* page = child<QVBoxLayout>(shown);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    files_->setAccessibleName(tr("Files that would be written"));
    files_->setDrawBase(false);
    files_->setExpanding(false);
    page->addWidget(files_);
    preview_->setLineWrapMode(QPlainTextEdit::NoWrap);
    page->addWidget(preview_, 1);
    leftOutTitle_->setText(tr("Not carried over"));
    leftOutTitle_->setContentsMargins(0, 8, 0, 2);
    page->addWidget(leftOutTitle_);
    page->addWidget(leftOut_);
    leftOut_->installEventFilter(this);
    pages_->addWidget(shown);

    auto* refused = child<QWidget>(pages_);
    page = child<QVBoxLayout>(refused);
    page->setContentsMargins(0, 0, 0, 0);
    auto* above = child<QHBoxLayout>();
    above->addWidget(heading_, 1);
    nearest_->setToolTip(tr("Set every refused field to the nearest that is possible, as one step that can be undone"));
    nearest_->setAutoDefault(false);
    above->addWidget(nearest_);
    page->addLayout(above);
    refusals_->setHorizontalHeaderLabels({tr("field"), tr("refused"), tr("why"), tr("nearest that is possible")});
    refusals_->setAccessibleName(tr("What is refused; Enter goes to its field"));
    refusals_->verticalHeader()->hide();
    refusals_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    refusals_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    refusals_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    refusals_->setSelectionBehavior(QAbstractItemView::SelectRows);
    refusals_->setSelectionMode(QAbstractItemView::SingleSelection);
    refusals_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    refusals_->setTabKeyNavigation(false);
    refusals_->setShowGrid(false);
    refusals_->setFrameShape(QFrame::NoFrame);
    page->addWidget(refusals_, 1);
    pages_->addWidget(refused);

    auto* buttons = child<QHBoxLayout>();
    column->addLayout(buttons);
    buttons->addWidget(note_, 1);
    copy_->setToolTip(tr("Copy the file in sight"));
    copy_->setAutoDefault(false);
    buttons->addWidget(copy_);
    save_->setToolTip(tr("Write the file and those that belong beside it"));
    save_->setProperty("role", "primary");
    save_->setAutoDefault(false);
    buttons->addWidget(save_);
    // The order of what is seen, which is not the order in which it was made.
    QWidget* last = targets_;
    for (QWidget* next :
         std::initializer_list<QWidget*>{slurm_, files_, preview_, leftOut_, nearest_, refusals_, copy_, save_}) {
        setTabOrder(last, next);
        last = next;
    }
}

void ExportWindow::setTarget(const TrainerTarget& target) {
    targets_->setCurrentIndex(targets_->findData(text(target.name)));
}

const TrainerTarget& ExportWindow::target() const {
    return trainerTargets()[static_cast<std::size_t>(targets_->currentIndex())];
}

void ExportWindow::refresh() {
    note_->clear();
    const TrainerTarget& to = target();
    about_->setText(tr("%1: %2.").arg(text(to.program), term(to.description)));
    const bool sbatch = slurm_->isChecked();
    made_ = exportOf(document_, to, exportName(document_, to, sbatch), sbatch);
    const bool possible = made_.refused.empty();
    copy_->setEnabled(possible);
    save_->setEnabled(possible);
    pages_->setCurrentIndex(possible ? 0 : 1);
    if (!possible) return showRefusals();

    const int before = files_->currentIndex();
    {
        const QSignalBlocker quiet(files_);
        while (files_->count() > 0) files_->removeTab(0);
        for (const CompanionFile& file : made_.files) files_->addTab(text(file.name).replace(QLatin1Char('&'), "&&"));
        files_->setCurrentIndex(before >= 0 && before < files_->count() ? before : 0);
        files_->updateGeometry();  // tabs added to a hidden bar do not tell the layout that it has grown
    }
    showFile(files_->currentIndex());
    QStringList lines;
    for (const Sentence& line : made_.leftOut) lines << told(line);
    leftOut_->setPlainText(lines.join(QLatin1Char('\n')));
    leftOut_->setVisible(!lines.isEmpty());
    leftOutTitle_->setVisible(!lines.isEmpty());
    fitLeftOut();
}

bool ExportWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == leftOut_ && event->type() == QEvent::Resize) fitLeftOut();
    return QDialog::eventFilter(watched, event);
}

void ExportWindow::fitLeftOut() {
    // Measured, as a plain text wraps only those of its lines that are in sight.
    constexpr int edges = 24, tall = 10000;
    const QFontMetrics metrics = leftOut_->fontMetrics();
    const QRect room(0, 0, std::max(1, leftOut_->width() - edges), tall);
    const int height = metrics.boundingRect(room, Qt::TextWordWrap, leftOut_->toPlainText()).height();
    leftOut_->setFixedHeight(std::min(height, metrics.lineSpacing() * mostNoteLines) + edges);
}

void ExportWindow::showFile(int file) {
    if (file < 0 || file >= static_cast<int>(made_.files.size())) return;
    const QString content = text(made_.files[static_cast<std::size_t>(file)].text);
    if (content == preview_->toPlainText()) return;
    // A change of the layout leaves the place that is read in sight.
    const int place = preview_->verticalScrollBar()->value();
    preview_->setPlainText(content);
    preview_->verticalScrollBar()->setValue(place);
}

void ExportWindow::showRefusals() {
    const auto count = static_cast<int>(made_.refused.size());
    const QString program = text(target().program);
    heading_->setText(
        made_.legal
            ? counted(count, tr("%1 cannot do what this layout asks for in 1 place.").arg(program),
                      tr("%1 cannot do what this layout asks for in %2 places.").arg(program, QStringLiteral("%1")))
            : counted(count, tr("The layout has a fault, and can be exported once that is mended."),
                      tr("The layout has %1 faults, and can be exported once they are mended.")));
    nearest_->setVisible(made_.legal);
    refusals_->setRowCount(count);
    for (int row = 0; row < count; ++row) {
        const Fault& fault = made_.refused[static_cast<std::size_t>(row)];
        const auto cell = [&](int column, const QString& content) {
            auto* item = child<QTableWidgetItem>(content);
            item->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
            item->setToolTip(text(fault.pointer) + QLatin1Char('\n') + tr("Enter goes to the field."));
            refusals_->setItem(row, column, item);
        };
        cell(FieldColumn, fieldLabel(fault.pointer));
        cell(WhatColumn, told(fault.what));
        cell(WhyColumn, told(fault.why));
        cell(NearestColumn, told(fault.legal));
    }
    if (refusals_->currentRow() < 0) refusals_->setCurrentCell(0, 0);
}

void ExportWindow::takeNearest() {
    const Layout before = document_.resolvedLayout();
    const std::vector<FieldChange> changes = changesBetween(before, nearestFor(before, target()));
    Layout layout = document_.layout();  // whose paths stay as they are written
    for (const FieldChange& change : changes)
        if (auto changed = setField(layout, change.pointer + '=' + change.to)) layout = std::move(changed->layout);
    document_.change(std::move(layout), tr("Take what %1 can do").arg(text(target().program)));
    const QString left = tr("What is refused still has no nearest value of its field alone.");
    if (changes.empty()) return say(left, "small");
    const QString done = tr("Changed: %1.").arg(changesText(changes));
    say(made_.refused.empty() ? done : done + QLatin1Char(' ') + left, made_.refused.empty() ? "good" : "small");
}

void ExportWindow::say(const QString& what, const char* role) {
    setRole(*note_, role);
    note_->setText(what);
}

void ExportWindow::askAndSave() {
    if (dialog_) return dialog_->raise();
    dialog_ = child<QFileDialog>(this, tr("Export for %1").arg(text(target().program)));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setAcceptMode(QFileDialog::AcceptSave);
    if (!document_.file().empty()) dialog_->setDirectory(text(document_.file().parent_path()));
    dialog_->selectFile(text(made_.files.front().name));
    connect(dialog_, &QFileDialog::fileSelected, this, [this](const QString& file) { saveAs(file.toStdString()); });
    dialog_->open();
}

void ExportWindow::saveAs(const std::filesystem::path& file) {
    const LayoutExport made = exportOf(document_, target(), file.filename().string(), slurm_->isChecked());
    if (!made.refused.empty()) return refresh();  // a change of the layout came before the name
    if (const Status written = writeExport(made, file); !written) return say(told(written.error()), "bad");
    QStringList names;
    for (const CompanionFile& each : made.files) names << text(each.name);
    say(tr("Written to %1: %2.").arg(text(file.parent_path()), names.join(QStringLiteral(", "))), "good");
}

}  // namespace shardlab::ui
