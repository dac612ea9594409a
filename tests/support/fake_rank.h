// SPDX-License-Identifier: Apache-2.0
// A test program that is its own rank: started by mpirun it speaks the ranks' side (status page, telemetry, goodbye)
// and does what the test asks of it, without any training. So jobs are tested without the training half.
#pragma once

#include "engine/base/clock.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/trace/record/status_page.h"
#include "engine/trace/record/telemetry.h"
#include "tests/support/wings.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shardlab::test {

/// What a fake rank does; handed over in the environment.
struct FakeRun {
    int steps = 10;
    int stepMilliseconds = 20;
    std::string fault;  ///< "", "exit", "abort", "error", "silent": at `faultStep` of rank `faultRank`
    int faultRank = 1;
    int faultStep = 3;

    void toEnvironment() const {
        const std::string text = std::to_string(steps) + " " + std::to_string(stepMilliseconds) + " " +
                                 std::to_string(faultRank) + " " + std::to_string(faultStep) + " " + fault;
        setenv("SHARDLAB_FAKE_RUN", text.c_str(), 1);
    }
    static FakeRun fromEnvironment() {
        FakeRun run;
        char fault[32] = "";
        std::sscanf(std::getenv("SHARDLAB_FAKE_RUN"), "%d %d %d %d %31s", &run.steps, &run.stepMilliseconds,
                    &run.faultRank, &run.faultStep, fault);
        run.fault = fault;
        return run;
    }
};

class FakeRank {
public:
    FakeRank(RankArguments arguments, int rank)
        : run_(FakeRun::fromEnvironment()), arguments_(std::move(arguments)), rank_(rank) {}

    int train() {
        auto page = StatusPage::create(arguments_.statusFile(rank_));
        auto telemetry = Telemetry::connect(
            {rank_, arguments_.socket, arguments_.token, arguments_.spoolFile(rank_), arguments_.clockOrigin});
        if (!page || !telemetry) return 9;
        std::printf("fake rank %d\n", rank_);
        std::fflush(stdout);
        for (int step = 0; step < run_.steps; ++step) {
            if (const std::string end = obey(*page, **telemetry, step); !end.empty()) {
                (*telemetry)->finish(end);
                return 0;
            }
            if (run_.fault == "silent" && rank_ == run_.faultRank && step == run_.faultStep) return 0;
            oneStep(*page, (*telemetry)->recorder(), step);
            if (rank_ == run_.faultRank && step == run_.faultStep) {
                if (run_.fault == "exit") _exit(3);
                if (run_.fault == "abort") std::abort();
                if (run_.fault == "error") {
                    (*telemetry)->finish("no such file: corpus.txt");
                    return 1;
                }
            }
            if ((*telemetry)->orphaned()) return 8;
        }
        (*telemetry)->finish("finished");
        return 0;
    }

private:
    void status(StatusPage& page, RankPhase phase, int step, ActionId action) {
        page.set({getpid(), phase, step, action, -1, monotonicNanoseconds() - arguments_.clockOrigin});
    }

    /// The word to end with, or empty. Waits while paused.
    std::string obey(StatusPage& page, Telemetry& telemetry, int step) {
        for (;;) {
            const Command command = telemetry.takeCommand();
            if (command == Command::Stop) return "stopped";
            if (command == Command::Pause) paused_ = true;
            if (command == Command::Resume) paused_ = false;
            if (command == Command::StepOnce) return {};
            if (!paused_) return {};
            status(page, RankPhase::Paused, step, 0);
            if (telemetry.orphaned()) _exit(8);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    void oneStep(StatusPage& page, Recorder& recorder, int step) {
        const Action forward{ActionKind::Forward, rank_, 2, -1};
        const std::int64_t begin = recorder.now();
        status(page, RankPhase::Compute, step, actionId(forward));
        if (step == 0) {
            std::printf("step 0 of rank %d\n", rank_);
            std::fflush(stdout);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(run_.stepMilliseconds));
        recorder.span(Lane::Compute, EventKind::Forward, step, begin, recorder.now(), actionId(forward));
        recorder.span(Lane::Host, EventKind::Step, step, begin, recorder.now());
        recorder.counter(memoryKind(MemoryCategory::Parameters), step, 0, 1000 + rank_);
        recorder.counter(EventKind::MemoryPeak, step, 0, 5000 + rank_);
        if (rank_ == 0) recorder.counter(EventKind::Loss, step, 1.0 / (1 + step));
    }

    FakeRun run_;
    RankArguments arguments_;
    int rank_;
    bool paused_ = false;
};

/// For the test's main: true and the exit status where mpirun started this program as a rank.
inline bool actAsRank(int argc, char** argv, int& status) {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr || argc < 2) return false;
    const auto arguments = parseRankArguments({argv + 1, argv + argc});
    status = arguments ? FakeRank(*arguments, std::atoi(rank)).train() : 7;
    return true;
}

}  // namespace shardlab::test

/// In place of QTEST_GUILESS_MAIN.
#define SHARDLAB_FAKE_RANK_MAIN(TestObject)                                                                            \
    int main(int argc, char** argv) {                                                                                  \
        int status = 0;                                                                                                \
        if (shardlab::test::actAsRank(argc, argv, status)) return status;                                              \
        QCoreApplication application(argc, argv);                                                                      \
        TestObject object;                                                                                             \
        return QTest::qExec(&object, argc, argv);                                                                      \
    }
