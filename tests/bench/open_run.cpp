// SPDX-License-Identifier: GPL-3.0-or-later
// How long a run file takes to show something: open_run [events] [ranks] [steps of a long, thin run] [folder]. Prints,
// asserts nothing. The first file has many events, the second many steps; in a folder they stay.
#include "engine/launch/job/run_header.h"
#include "engine/launch/job/run_summary.h"
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/core/replay_session.h"
#include "ui/timeline/timeline_plot.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

using namespace shardlab;
using namespace shardlab::test;

namespace {

void require(const Status& status) {
    if (!status) throw std::runtime_error(status.error().text());
}

double secondsOf(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) * 1e-9; }

void print(const char* what, double value, const char* unit) { std::printf("  %-44s %9.3f %s\n", what, value, unit); }

/// The memory that this process has, in MiB: now, and at most so far.
std::pair<double, double> resident() {
    std::ifstream in("/proc/self/status");
    std::pair<double, double> mebibytes;
    for (std::string word; in >> word;) {
        if (word == "VmRSS:") in >> mebibytes.first;
        if (word == "VmHWM:") in >> mebibytes.second;
    }
    return {mebibytes.first / 1024, mebibytes.second / 1024};
}

/// The predicted step again and again, each time begun and ended up to a microsecond later, its step and loss told, in
/// a file.
std::int64_t record(const Plan& plan, const std::filesystem::path& file, std::int64_t events, int steps) {
    auto writer = RunWriter::create(file, headerOf(plan));
    require(writer ? Status{} : fail(writer.error()));
    require((*writer)->appendPredicted(plan.simulation.events));
    const auto length = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    std::int64_t count = 0;
    std::mt19937_64 random(1);
    for (int step = 0; count < events && step < steps; ++step) {
        std::vector<Event> all = plan.simulation.events;
        for (Event& event : all) {
            const std::uint64_t late = random();
            event.begin += step * length + static_cast<std::int64_t>(late % 1000);
            event.end =
                std::max(event.begin, event.end + step * length + static_cast<std::int64_t>(late / 1000 % 1000));
            event.step = step;
        }
        for (int rank = 0; rank < plan.mesh.ranks(); ++rank)
            all.push_back({.begin = step * length,
                           .end = (step + 1) * length,
                           .step = step,
                           .rank = static_cast<std::int16_t>(rank),
                           .lane = Lane::Host,
                           .kind = EventKind::Step});
        all.push_back({.begin = (step + 1) * length,
                       .end = (step + 1) * length,
                       .value = 6.0 / (1 + step),
                       .step = step,
                       .lane = Lane::Host,
                       .kind = EventKind::Loss});
        require((*writer)->append(all));
        count += static_cast<std::int64_t>(all.size());
    }
    require((*writer)->finish({"finished", ""}));
    return count;
}

void frames(const char* what, TimelinePlot& plot, Selection& selection, std::int64_t begin, std::int64_t length) {
    std::vector<double> milliseconds;
    for (int i = 0; i < 30; ++i) {
        selection.setVisible({begin + i * length / 200, begin + i * length / 200 + length});
        QElapsedTimer timer;
        timer.start();
        plot.draw();
        milliseconds.push_back(1e3 * secondsOf(timer));
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf("  %-44s %9.2f ms a frame (worst %.2f)\n", what, milliseconds[15], milliseconds.back());
}

/// `whole`: waits until every event is read, and pans.
void open(const std::filesystem::path& file, bool whole) {
    sample::Bench bench(Workspace::Replay);
    ReplaySession session(bench.model);
    TimelinePlot plot(bench.context(), nullptr);
    plot.resize(1600, 900);
    plot.show();
    QApplication::processEvents();
    QElapsedTimer timer;
    double first = 0;
    timer.start();
    session.open(file);
    while (bench.model.steps().extents().empty() && session.reading())
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    bench.selection.setVisible({0, bench.model.recorded().last});
    plot.draw();
    first = secondsOf(timer);
    print("opened, all steps in the first picture", first, "s");
    print("steps in it", static_cast<double>(bench.model.steps().extents().size()), "");
    print("memory then", resident().first, "MiB");
    if (!whole) return;
    while (session.reading()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    print("every block seen", secondsOf(timer), "s");
    print("memory then", resident().first, "MiB");
    const EventStore& store = bench.model.store();
    print("of it decoded blocks", static_cast<double>(store.cache()->bytes()) / (1 << 20), "MiB");
    print("of it what stays of all blocks", static_cast<double>(store.digestBytes()) / (1 << 20), "MiB");
    const std::int64_t end = bench.model.recorded().last;
    frames("everything in sight", plot, bench.selection, 0, end);
    frames("a tenth", plot, bench.selection, end / 3, end / 10);
    frames("a hundredth", plot, bench.selection, end / 3, end / 100);
    frames("the same again", plot, bench.selection, end / 3, end / 100);
    frames("two steps", plot, bench.selection, end / 2,
           2 * end / static_cast<std::int64_t>(bench.model.steps().extents().size()));
}

void told(const std::filesystem::path& file) {
    QElapsedTimer timer;
    timer.start();
    const auto reader = RunReader::open(file);
    require(reader ? Status{} : fail(reader.error()));
    const auto overview = (*reader)->overview();
    print("overview of all steps (query, steps)", secondsOf(timer), "s");
    timer.start();
    const auto summary = summarize(**reader);
    print("summary and stragglers (info)", secondsOf(timer), "s");
}

void measure(const char* what, const Plan& plan, const std::filesystem::path& file, std::int64_t events, int steps,
             bool whole) {
    QElapsedTimer timer;
    timer.start();
    const std::int64_t count = record(plan, file, events, steps);
    const auto bytes = static_cast<double>(std::filesystem::file_size(file));
    std::printf("%s: %.3g M events, %d ranks, %.1f MiB, recorded in %.1f s\n", what, 1e-6 * static_cast<double>(count),
                plan.mesh.ranks(), bytes / (1 << 20), secondsOf(timer));
    told(file);
    open(file, whole);
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    try {
        const QTemporaryDir folder;
        const std::filesystem::path place =
            argc > 4 ? std::filesystem::path(argv[4]) : std::filesystem::path(folder.path().toStdString());
        const std::int64_t events = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
        const int ranks = argc > 2 ? std::atoi(argv[2]) : 64;
        const int steps = argc > 3 ? std::atoi(argv[3]) : 1'000'000;
        if (events > 0)
            measure("many events", sample::plan(sample::layout(ranks / 8, 8, 16)), place / "many-events.shardlab",
                    events, 1 << 30, true);
        if (steps > 0)
            measure("many steps", sample::plan(sample::layout(1, 2, 2)), place / "many-steps.shardlab",
                    std::int64_t{1} << 60, steps, false);
        print("memory at most, both", resident().second, "MiB");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "open_run: %s\n", error.what());
        return 1;
    }
    return 0;
}
