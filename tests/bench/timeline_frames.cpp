// SPDX-License-Identifier: GPL-3.0-or-later
// How long a frame of the timeline takes with many events, and with as many instants beside them: timeline_frames
// [events]. Prints, asserts nothing.
#include "tests/ui/bench_context.h"
#include "tests/support/wings.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/timeline/timeline_plot.h"

#include <QApplication>
#include <QElapsedTimer>

#include <array>
#include <cstdio>

using namespace shardlab;
using namespace shardlab::test;

namespace {

/// Runs `frame` thirty times, each at a range shifted a little, and prints the median.
void measure(const char* what, TimelinePlot& plot, Selection& selection, std::int64_t begin, std::int64_t length) {
    std::vector<double> milliseconds;
    for (int i = 0; i < 30; ++i) {
        selection.setVisible({begin + i * length / 200, begin + i * length / 200 + length});
        QElapsedTimer timer;
        timer.start();
        plot.draw();
        milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf("  %-34s %7.2f ms a frame (worst %7.2f), %zu rectangles\n", what, milliseconds[15], milliseconds.back(),
                plot.scene().rectangles());
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const std::int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
    sample::Bench bench(Workspace::Replay);
    const Plan plan = sample::plan(sample::layout(4, 4, 16));
    const auto perStep = static_cast<std::int64_t>(sample::events(plan, 1, 1).size());
    bench.model.begin(headerOf(plan), plan.simulation.events);
    QElapsedTimer timer;
    double appending = 0;
    const std::vector<Event> piece = sample::events(plan, 64, 1);
    std::int64_t shift = 0;
    int firstStep = 0;
    while (bench.model.recorded().events < wanted) {
        std::vector<Event> events = piece;
        for (Event& event : events) {
            event.begin += shift;
            event.end += shift;
            if (event.step >= 0) event.step += firstStep;
        }
        if (firstStep > 0) std::erase_if(events, [](const Event& event) { return event.step < 0; });
        timer.start();
        bench.model.append(events);
        appending += static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        shift = bench.model.recorded().last;
        firstStep += 64;
    }
    std::printf("%lld events, %d ranks, %d steps of %lld events\n",
                static_cast<long long>(bench.model.recorded().events), bench.model.ranks(), firstStep,
                static_cast<long long>(perStep));
    std::printf("  %-34s %7.2f M events/s\n", "taken in by the model",
                static_cast<double>(bench.model.recorded().events) / appending * 1e-6);
    timer.start();
    TimelinePlot plot(bench.context(), nullptr);
    plot.resize(1600, 800);
    plot.show();
    QApplication::processEvents();
    plot.draw();
    std::printf("  %-34s %7.2f ms\n", "indexed, first picture", static_cast<double>(timer.nsecsElapsed()) * 1e-6);

    const std::int64_t whole = bench.model.recorded().last;
    measure("everything", plot, bench.selection, 0, whole);
    measure("a tenth", plot, bench.selection, whole / 3, whole / 10);
    measure("a hundredth", plot, bench.selection, whole / 3, whole / 100);
    const auto step = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    measure("twenty steps", plot, bench.selection, whole / 2, 20 * step);
    measure("two steps", plot, bench.selection, whole / 2, 2 * step);
    measure("a tenth of a step", plot, bench.selection, whole / 2, step / 10);

    constexpr std::array kinds{EventKind::Mark, EventKind::Command, EventKind::Dropped, EventKind::Overflow};
    std::vector<Event> instants;
    for (std::int64_t i = 0; i < wanted; ++i) {
        const std::int64_t time = whole / wanted * i;
        instants.push_back({.begin = time,
                            .end = time,
                            .rank = static_cast<std::int16_t>(i / 4 % bench.model.ranks()),
                            .lane = Lane::Host,
                            .kind = kinds[static_cast<std::size_t>(i) % kinds.size()]});
    }
    timer.start();
    bench.model.append(instants);
    std::printf("%lld instants, taken in within %.0f ms\n", static_cast<long long>(wanted),
                static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    measure("everything", plot, bench.selection, 0, whole);
    measure("a hundredth", plot, bench.selection, whole / 3, whole / 100);
    measure("two steps", plot, bench.selection, whole / 2, 2 * step);
    return 0;
}
