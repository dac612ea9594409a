// SPDX-License-Identifier: Apache-2.0
// What recording takes: an event on the rank that trains; and the way of many events over 16 ranks' links, through the
// collector, into a run file, and back out of it. recording_speed [events], in all; prints, asserts nothing.
#include "engine/base/clock.h"
#include "engine/trace/event/event_codec.h"
#include "engine/launch/job/collector.h"
#include "engine/launch/job/run_header.h"
#include "engine/launch/job/run_recording.h"
#include "engine/predict/plan/plan.h"
#include "engine/trace/record/telemetry.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace shardlab::test;

constexpr std::chrono::milliseconds jobsPoll{20};
constexpr int data = 4, pipeline = 4, ranks = data * pipeline;

template <class T>
T valueOf(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return std::move(*result);
}

void require(const Status& status) {
    if (!status) throw std::runtime_error(status.error().text());
}

double secondsSince(std::int64_t begin) { return 1e-9 * static_cast<double>(monotonicNanoseconds() - begin); }

void print(const char* what, double value, const char* unit) { std::printf("  %-44s %8.2f %s\n", what, value, unit); }

/// Nanoseconds of an event with its two timestamps. Best of several rounds: what disturbs only adds.
double recorder() {
    constexpr int events = 1 << 15, rounds = 50;
    double given = 1e9, stamped = 1e9;
    for (int round = 0; round < rounds; ++round) {
        Recorder own(0, monotonicNanoseconds(), events);
        own.span(Lane::Compute, EventKind::Forward, 0, 0, 1);
        own.drain([](std::span<const Event>) {});
        std::int64_t begin = monotonicNanoseconds();
        for (int i = 0; i < events / 2; ++i) own.span(Lane::Compute, EventKind::Forward, i, i, i + 1);
        given = std::min(given, secondsSince(begin) / (events / 2));
        begin = monotonicNanoseconds();
        for (int i = 0; i < events / 2; ++i) {
            const std::int64_t from = own.now();
            own.span(Lane::Compute, EventKind::Forward, i, from, own.now());
        }
        stamped = std::min(stamped, secondsSince(begin) / (events / 2));
    }
    print("an event with given times", 1e9 * given, "ns");
    print("two timestamps and the event", 1e9 * stamped, "ns");
    return 1e9 * stamped;
}

/// Hands on what the collector received, as a job's thread does, and returns how many events that were.
std::size_t handOn(Collector& collector, RunRecording& recording) {
    std::size_t count = 0;
    if (recording.behind()) return count;
    for (RankMessage& message : collector.take())
        if (auto* events = std::get_if<std::vector<Event>>(&message)) {
            count += events->size();
            recording.eventsArrived(std::move(*events));
        }
    return count;
}

Plan runPlan() {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 256, 4, 128, 1024, 0};
    layout.cluster.hosts = {{"localhost", ranks}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.parallel.data = data;
    layout.parallel.pipeline = pipeline;
    layout.batch = {16 * data, 1};
    auto plan = makePlan(layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));
    return std::move(*plan);
}

/// By rank; `wanted` or some more in all: the predicted step again and again, never of quite the same length.
std::vector<std::vector<Event>> eventsOf(const Plan& plan, std::int64_t wanted) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(0.97, 1.0);
    const auto length = static_cast<std::int64_t>(plan.simulation.stepSeconds * 1e9);
    std::vector<std::vector<Event>> all(ranks);
    std::int64_t count = 0;
    for (int step = 0; count < wanted; ++step)
        for (Event event : plan.simulation.events) {
            const double duration = static_cast<double>(event.end - event.begin) * jitter(random);
            event.begin += step * length;
            event.end = event.begin + static_cast<std::int64_t>(duration);
            event.step = step;
            all[static_cast<std::size_t>(event.rank)].push_back(event);
            ++count;
        }
    return all;
}

void collector(const Plan& plan, const std::filesystem::path& folder, std::int64_t wanted) {
    const std::vector<std::vector<Event>> events = eventsOf(plan, wanted);
    std::size_t total = 0, wire = 0;
    for (const auto& rank : events) {
        total += rank.size();
        for (std::size_t at = 0; at < rank.size(); at += largestBlock) {
            Bytes block;
            encodeEvents(std::span(rank).subspan(at, std::min(largestBlock, rank.size() - at)), block);
            wire += block.size();
        }
    }
    const auto count = static_cast<double>(total);
    const std::filesystem::path file = folder / "run.shardlab";
    const std::int64_t origin = monotonicNanoseconds();
    RunObserver nobody;
    RunRecording recording(valueOf(RunWriter::create(file, headerOf(plan))), nobody, origin);
    const auto collecting = valueOf(Collector::listen({folder / "socket", "token", ranks, origin}));
    std::vector<std::unique_ptr<Telemetry>> links;
    for (int rank = 0; rank < ranks; ++rank) {
        TelemetryOptions options{rank, (folder / "socket").string(), "token", folder / ("spool" + std::to_string(rank)),
                                 origin};
        options.ringEvents = events[static_cast<std::size_t>(rank)].size() + 1;
        links.push_back(valueOf(Telemetry::connect(options)));
    }
    const std::int64_t begin = monotonicNanoseconds();
    {
        std::vector<std::jthread> threads;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                for (const Event& event : events[rank]) links[rank]->recorder().record(event);
            });
    }
    for (std::size_t taken = 0; taken < total; taken += handOn(*collecting, recording))
        std::this_thread::sleep_for(jobsPoll);
    recording.settle();
    if (const auto error = recording.error()) throw std::runtime_error(error->text());
    print("ranks to disk", 1e-6 * count / secondsSince(begin), "M events/s");
    for (auto& link : links) link->finish("finished");
    collecting->stop();
    recording.finish({"finished", ""});
    print("on the wire", static_cast<double>(wire) / count, "bytes an event");
    print("on disk", static_cast<double>(std::filesystem::file_size(file)) / count, "bytes an event");

    const std::int64_t reading = monotonicNanoseconds();
    std::int64_t read = 0;
    require(valueOf(RunReader::open(file))->readEvents([&](std::span<const Event> some) {
        read += static_cast<std::int64_t>(some.size());
        return true;
    }));
    print("opened, read and decoded", secondsSince(reading), "s");
    std::printf("  %lld events of %d ranks\n", static_cast<long long>(read), ranks);
}

}  // namespace

int main(int argc, char** argv) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("shardlab-recording-" + std::to_string(getpid()));
    int status = 0;
    try {
        std::filesystem::create_directory(folder);
        const Plan plan = runPlan();
        const double each = recorder();
        print("a rank's step, 16 microbatches",
              1e-3 * each * static_cast<double>(plan.simulation.events.size()) / ranks, "µs");
        collector(plan, folder, argc > 1 ? std::atoll(argv[1]) : 10'000'000);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "recording_speed: %s\n", error.what());
        status = 1;
    }
    std::filesystem::remove_all(folder);
    return status;
}
