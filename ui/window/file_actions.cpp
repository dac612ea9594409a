// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/file_actions.h"

#include "ui/core/child.h"
#include "ui/core/workbench.h"

#include "engine/layout/presets.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr auto layoutFilter = QT_TR_NOOP("Layouts (*.layout.json *.json)");
constexpr auto everyFilter = QT_TR_NOOP("Layouts, runs, traces and other trainers' files (*.layout.json *.json "
                                        "*.json.gz *.shardlab *.sqlite *.pickle *.pkl "
                                        "*_rank_* *.log *.out *.txt *.sh *.sbatch *.toml);;All files (*)");
constexpr auto traceFilter =
    QT_TR_NOOP("Traces, dumps and logs (*.json *.json.gz *.sqlite *.pickle *.pkl *_rank_* *.log *.out *.txt);;All "
               "files (*)");
constexpr int listed = 10;  ///< of the recent files, in the menu; the home page has all
const QString runSuffix = QStringLiteral(".shardlab");

}  // namespace

FileActions::FileActions(Workbench& workbench, QWidget* window)
    : QObject(window), workbench_(workbench), window_(window) {
    makePresets();
    makeRecent();
    connect(&workbench.recent(), &RecentFiles::changed, this, &FileActions::makeRecent);
}

void FileActions::makePresets() {
    const auto known = presets();
    if (!known) {
        workbench_.messages().post(tr("The presets could not be read"), known.error(), "presets");
        return;
    }
    for (const Preset& preset : *known) {
        auto* action = child<QAction>(tr("New from preset: %1").arg(QString::fromStdString(preset.name)), this);
        action->setProperty("help", term(preset.summary));
        action->setProperty("short", QString::fromStdString(preset.name));
        action->setProperty("family", term(preset.family));
        action->setToolTip(term(preset.summary));
        connect(action, &QAction::triggered, this, [this, layout = preset.layout] {
            whenSaved(tr("Begin with a preset?"), [this, layout] { workbench_.newFromPreset(layout); });
        });
        presets_.push_back(action);
    }
}

void FileActions::makeRecent() {
    for (QAction* old : recent_) old->deleteLater();
    recent_.clear();
    for (const QString& file : workbench_.recent().files().mid(0, listed)) {
        auto* action = child<QAction>(tr("Open recent: %1").arg(QFileInfo(file).fileName()), this);
        action->setProperty("help", file);
        action->setProperty("short", QFileInfo(file).fileName());
        action->setToolTip(file);
        connect(action, &QAction::triggered, this, [this, file] { open(file); });
        recent_.push_back(action);
    }
    Q_EMIT recentChanged();
}

void FileActions::openNew() {
    whenSaved(tr("Begin a new layout?"), [this] { workbench_.newFromPreset(Layout{}); });
}

void FileActions::askAndOpen() {
    if (dialog_) return dialog_->raise();
    dialog_ = child<QFileDialog>(window_, tr("Open a layout or a run"), QString(), ui::tr(everyFilter));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setFileMode(QFileDialog::ExistingFile);
    connect(dialog_, &QFileDialog::fileSelected, this, &FileActions::open);
    dialog_->open();
}

void FileActions::askAndCompare() {
    if (dialog_) return dialog_->raise();
    dialog_ = child<QFileDialog>(window_, tr("Compare with a run"), text(workbench_.replay().file().parent_path()),
                                 tr("Runs (*.shardlab)"));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setFileMode(QFileDialog::ExistingFile);
    connect(dialog_, &QFileDialog::fileSelected, this,
            [this](const QString& file) { workbench_.compare().compareWith(file.toStdString()); });
    dialog_->open();
}

void FileActions::askAndImport() {
    if (dialog_) return dialog_->raise();
    dialog_ = child<QFileDialog>(window_, tr("Import traces of one training job: one file per rank, or one with all"),
                                 QString(), ui::tr(traceFilter));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog_, &QFileDialog::filesSelected, this, [this](const QStringList& chosen) {
        std::vector<std::filesystem::path> files;
        for (const QString& file : chosen) files.emplace_back(file.toStdString());
        workbench_.importTraces(std::move(files));
    });
    dialog_->open();
}

void FileActions::open(const QString& file) {
    const std::filesystem::path path = file.toStdString();
    if (workbench_.leavesLayoutAlone(path)) return workbench_.open(path);
    whenSaved(tr("Open %1?").arg(QFileInfo(file).fileName()), [this, path] { workbench_.open(path); });
}

void FileActions::openNamed(const QString& which) {
    const auto preset = findPreset(which.toStdString());
    if (!preset || QFileInfo::exists(which)) return open(which);
    whenSaved(tr("Begin with a preset?"), [this, layout = preset->layout] { workbench_.newFromPreset(layout); });
}

void FileActions::save(std::function<void()> then) {
    const std::filesystem::path& file = workbench_.document().file();
    if (file.empty()) return saveAs(std::move(then));
    if (workbench_.saveLayout(file) && then) then();
}

void FileActions::saveAs(std::function<void()> then) {
    if (dialog_) return dialog_->raise();
    dialog_ = child<QFileDialog>(window_, tr("Save the layout"), QString(), ui::tr(layoutFilter));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setAcceptMode(QFileDialog::AcceptSave);
    const std::filesystem::path& file = workbench_.document().file();
    dialog_->selectFile(file.empty() ? QString::fromStdString(workbench_.document().layout().name) +
                                           QStringLiteral(".layout.json")
                                     : QString::fromStdString(file.string()));
    connect(dialog_, &QFileDialog::fileSelected, this, [this, then = std::move(then)](QString chosen) {
        if (!chosen.endsWith(QStringLiteral(".json"))) chosen += QStringLiteral(".layout.json");
        if (workbench_.saveLayout(chosen.toStdString()) && then) then();
    });
    dialog_->open();
}

void FileActions::replayLast() {
    for (const QString& file : workbench_.recent().files())
        if (file.endsWith(runSuffix)) return workbench_.openRun(file.toStdString());
    workbench_.messages().post({.level = MessageLevel::Info,
                                .title = tr("No run was recorded yet"),
                                .detail = tr("Press Run this layout (Ctrl+R) first."),
                                .topic = "file",
                                .holds = [this] {
                                    return std::ranges::none_of(workbench_.recent().files(), [](const QString& file) {
                                        return file.endsWith(runSuffix);
                                    });
                                }});
}

void FileActions::whenSaved(const QString& question, std::function<void()> then) {
    if (!workbench_.document().unsaved()) return then();
    const QString name = QString::fromStdString(workbench_.document().layout().name);
    workbench_.messages().post({.level = MessageLevel::Warning,
                                .title = question,
                                .detail = tr("The layout “%1” has changes that are not saved.").arg(name),
                                .choices = {{tr("Save"), [this, then] { save(then); }},
                                            {tr("Discard the changes"), then},
                                            {tr("Go back"), [] {}}},
                                .topic = "unsaved",
                                .holds = [this] { return workbench_.document().unsaved(); }});
}

}  // namespace shardlab::ui
