// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/checkpoint_list.h"

#include "engine/base/units.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/checkpoint/checkpoint_folder.h"
#include "engine/trace/checkpoint/state_source.h"
#include "ui/core/child.h"
#include "ui/core/text.h"
#include "ui/core/words.h"
#include "ui/core/workbench.h"

#include <QApplication>
#include <QDateTime>
#include <QFileDialog>
#include <QHeaderView>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

enum Column { Steps, Written, Size, Trained, columns };
constexpr int pathRole = Qt::UserRole;

QString shapeOf(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    QString shape = QString::fromStdString(rankFactorsText(p));
    if (p.expert > 1) shape += CheckpointList::tr(", experts over %1").arg(p.expert);
    if (p.zero > 0) shape += CheckpointList::tr(", ZeRO %1").arg(p.zero);
    return shape;
}

}  // namespace

CheckpointList::CheckpointList(Workbench& workbench, QWidget* window)
    : Overlay(window), workbench_(workbench), where_(child<QLabel>(this)),
      table_(child<QTableWidget>(0, columns, this)), note_(child<QLabel>(this)) {
    setObjectName(QStringLiteral("checkpointList"));
    setAccessibleName(tr("Checkpoints"));
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(18, 14, 18, 14);
    auto* title = child<QLabel>(tr("Checkpoints"), this);
    title->setProperty("role", "brand");
    column->addWidget(title);
    where_->setProperty("role", "small");
    where_->setWordWrap(true);
    column->addWidget(where_);
    table_->setHorizontalHeaderLabels({tr("steps done"), tr("written"), tr("size"), tr("trained by")});
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(Trained, QHeaderView::Stretch);
    table_->verticalHeader()->hide();
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setShowGrid(false);
    table_->setAccessibleName(tr("Checkpoints, the newest first"));
    column->addWidget(table_, 1);
    note_->setProperty("role", "small");
    note_->setWordWrap(true);
    column->addWidget(note_);
    auto* row = child<QHBoxLayout>();
    column->addLayout(row);
    row->addWidget(
        button(tr("Other folder …"), tr("Show the checkpoints of another folder"), &CheckpointList::askFolder));
    row->addWidget(verify_ =
                       button(tr("Check every byte"), tr("Read the whole checkpoint and compare it with its checksums"),
                              &CheckpointList::verify));
    row->addStretch(1);
    row->addWidget(own_ =
                       button(tr("Go on with its layout"), tr("Continue the training with the checkpoint's own layout"),
                              &CheckpointList::resumeOwn));
    row->addWidget(design_ = button(tr("Go on with the layout in Design"),
                                    tr("Continue the training with the layout that stands in Design"),
                                    &CheckpointList::resumeDesign));
    design_->setProperty("role", "primary");
    setFocusProxy(table_);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &CheckpointList::refresh);
}

QPushButton* CheckpointList::button(const QString& text, const QString& help, void (CheckpointList::*act)()) {
    auto* made = child<QPushButton>(text, this);
    made->setToolTip(help);
    connect(made, &QPushButton::clicked, this, act);
    return made;
}

QRect CheckpointList::place(const QSize& window) const {
    const int width = std::min(760, window.width() - 40);
    const int height = std::min(420, window.height() - 60);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

void CheckpointList::opened() { show(workbench_.checkpoints()); }

void CheckpointList::show(const std::filesystem::path& folder) {
    folder_ = folder;
    std::vector<CheckpointPlace> places = listCheckpoints(folder);
    std::error_code ignored;
    if (places.empty() && std::filesystem::exists(folder / manifestFile, ignored)) places.push_back({folder, 0, 0});
    where_->setText(folder.empty() ? QString() : text(folder));
    table_->setRowCount(0);
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        const int row = table_->rowCount();
        const auto manifest = readManifest(place->path);
        table_->insertRow(row);
        const auto cell = [&](int column, const QString& content) {
            auto* item = child<QTableWidgetItem>(content);
            item->setData(pathRole, text(place->path));
            item->setToolTip(manifest ? text(place->path) : told(manifest.error()));
            table_->setItem(row, column, item);
        };
        cell(Steps, QString::number(manifest ? manifest->step : place->step));
        cell(Written, manifest ? QDateTime::fromString(QString::fromStdString(manifest->created), Qt::ISODate)
                                     .toLocalTime()
                                     .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                               : QString());
        cell(Size, manifest ? QString::fromStdString(formatBytes(manifest->bytes())) : QString());
        cell(Trained, manifest ? QStringLiteral("%1 · %2").arg(QString::fromStdString(manifest->layout.name),
                                                               shapeOf(manifest->layout))
                               : told(manifest.error().what));
    }
    if (table_->rowCount() > 0) table_->selectRow(0);
    note_->setText(table_->rowCount() > 0
                       ? QString()
                       : tr("This folder holds no checkpoint. A run takes a checkpoint on the command Checkpoint now, "
                            "and by itself after every so many steps if its layout says so."));
    refresh();
}

std::optional<std::filesystem::path> CheckpointList::chosen() const {
    const QTableWidgetItem* item = table_->item(table_->currentRow(), Steps);
    if (!item || !item->isSelected()) return std::nullopt;
    return item->data(pathRole).toString().toStdString();
}

void CheckpointList::refresh() {
    const bool one = chosen().has_value();
    verify_->setEnabled(one);
    own_->setEnabled(one && !workbench_.runTaken());
    design_->setEnabled(one && !workbench_.runTaken());
    if (table_->rowCount() > 0 && workbench_.runTaken())
        note_->setText(tr("A run is under way: stop it before another one begins."));
}

void CheckpointList::resumeOwn() {
    const auto place = chosen();
    const auto manifest = readManifest(*place);
    dismiss();
    if (!manifest)
        workbench_.messages().post(tr("Cannot go on from this checkpoint"), manifest.error(), QStringLiteral("run"));
    else workbench_.startRun(manifest->layout, *place);
}

void CheckpointList::resumeDesign() {
    const auto place = chosen();
    dismiss();
    workbench_.startRun(*place);
}

void CheckpointList::verify() {
    note_->setText(tr("Reading every byte …"));
    verify_->setEnabled(false);
    QThreadPool::globalInstance()->start([self = QPointer(this), place = *chosen()] {
        DiskFileSystem files;
        const Status whole = verifyCheckpoint(files, place);
        const QString said = whole ? tr("All checksums are correct.") : told(whole.error());
        QMetaObject::invokeMethod(
            qApp,
            [self, said] {
                if (!self) return;
                self->verify_->setEnabled(true);
                self->note_->setText(said);
            },
            Qt::QueuedConnection);
    });
}

void CheckpointList::askFolder() {
    dialog_ = child<QFileDialog>(window(), tr("A folder of checkpoints"), text(folder_));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setFileMode(QFileDialog::Directory);
    dialog_->setOption(QFileDialog::ShowDirsOnly);
    dismiss();
    connect(dialog_, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        open();
        show(folder.toStdString());
    });
    dialog_->open();
}

}  // namespace shardlab::ui
