// SPDX-License-Identifier: GPL-3.0-or-later
// From pressing Run in the desktop to the run's first step: first_step [times]. The window, the job and its ranks are
// real; the layout is the default one. Prints, asserts nothing.
#include "engine/launch/job/process.h"
#include "tests/ui/desktop_fixture.h"
#include "tests/support/wings.h"
#include "engine/launch/job/job.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

using namespace shardlab::test;

namespace {

constexpr int patience = 60'000;  ///< milliseconds

/// Lets the program work until `happened` is true; milliseconds since `timer` began, or -1.
template <class Condition>
double until(const QElapsedTimer& timer, Condition happened) {
    while (!happened()) {
        if (timer.elapsed() > patience) return -1;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
    }
    return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

/// Milliseconds until the first step is over and shown.
double once(Workbench& workbench, MainWindow& window) {
    RunModel& model = workbench.model(Workspace::Run);
    bool fresh = false;  // the model has forgotten the run before
    const auto told = QObject::connect(&model, &RunModel::reset, [&] { fresh = true; });
    QElapsedTimer timer;
    timer.start();
    window.commands()["run.start"].trigger();
    const double started = until(timer, [&] { return workbench.run().active(); });
    const auto over = [&] { return !workbench.run().active(); };  // it could not start
    const double event = until(timer, [&] { return (fresh && model.recorded().events > 0) || over(); });
    const double step = until(timer, [&] { return (fresh && !model.steps().all().empty()) || over(); });
    QObject::disconnect(told);
    if (over()) throw std::runtime_error("the run ended before its first step");
    std::printf("  job asked for %7.1f ms, first event here %7.1f ms, first step over and shown %7.1f ms\n", started,
                event, step);
    window.commands()["run.stop"].trigger();
    until(timer, [&] { return !workbench.run().active(); });
    return step;
}

/// Programs of measurements lie beside the folder of those that they measure.
Result<std::unique_ptr<Job>> start(const JobOptions& options, RunObserver& observer) {
    JobOptions found = options;
    found.rankProgram = programFolder().parent_path() / "bin" / "shardlab-rank";
    return Job::start(found, observer);
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const PrivateSettings settings;
    QApplication application(argc, argv);
    Workbench workbench(start, std::filesystem::path(settings.folder.path().toStdString()) / "runs");
    MainWindow window(workbench, MainWindow::Memory::Forget);
    window.resize(1600, 900);
    window.show();
    QCoreApplication::processEvents();
    try {
        std::vector<double> times(static_cast<std::size_t>(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 3));
        for (double& time : times) time = once(workbench, window);
        std::ranges::sort(times);
        std::printf("  from Run to the first step   %.1f ms, median; %.1f to %.1f\n", times[times.size() / 2],
                    times.front(), times.back());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "first_step: %s\n", error.what());
        return 1;
    }
    return 0;
}
