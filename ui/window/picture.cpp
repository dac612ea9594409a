// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/picture.h"

#include "ui/core/workbench.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <optional>
#include <vector>

namespace shardlab::ui {
namespace {

/// Views gather changes for at most some frames before they draw.
constexpr int settleMilliseconds = 400;

void wait(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

/// The steps of the picture, with the cursor in the midst of the last: the figures of all views are of one moment, in
/// which activations are held.
void showLastSteps(const RunModel& model, Selection& selection) {
    const std::span<const StepExtent> steps = stepsOfPicture(model);
    if (steps.empty()) return;
    const std::int64_t begin = steps.front().begin;
    const std::int64_t length = std::max<std::int64_t>(1, steps.back().end - begin);
    selection.setVisible({begin - length / 40, begin + length + length / 40});
    selection.setCursor((steps.back().begin + steps.back().end) / 2);
}

}  // namespace

std::span<const StepExtent> stepsOfPicture(const RunModel& model) {
    const std::span<const StepExtent> steps = model.steps().extents();
    const auto count = static_cast<std::size_t>(model.steps().indexAt(-1) + 1);
    return steps.first(count).last(std::min<std::size_t>(count, 2));
}

Status renderRun(const std::filesystem::path& run, const std::filesystem::path& picture, QSize size, bool light) {
    Workbench workbench(Job::start, {});
    workbench.theme().setDark(!light);
    MainWindow window(workbench, MainWindow::Memory::Forget);
    window.setMinimumSize(size);
    window.resize(size);
    window.show();

    std::optional<Error> error;
    QEventLoop reading;
    QObject::connect(&workbench.replay(), &ReplaySession::finished, &reading, &QEventLoop::quit);
    QObject::connect(&workbench.replay(), &ReplaySession::failed, &reading, [&](const QString&, const Error& what) {
        error = what;
        reading.quit();
    });
    workbench.openRun(run);
    reading.exec();
    if (error) return fail(*error);
    wait(settleMilliseconds);
    showLastSteps(workbench.model(Workspace::Replay), workbench.selection(Workspace::Replay));
    wait(settleMilliseconds);
    if (!window.grab().save(QString::fromStdString(picture.string()), "PNG"))
        return fail({.what = "the picture could not be written",
                     .where = picture.string(),
                     .why = "the folder is missing or not writable, or the disk is full"});
    return {};
}

}  // namespace shardlab::ui
