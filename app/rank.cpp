// SPDX-License-Identifier: Apache-2.0
// shardlab-rank: what mpirun starts, one process for each device of a layout.
#include "engine/base/units.h"
#include "engine/comm/mpi/mpi_session.h"
#include "engine/launch/rank_arguments.h"
#include "engine/layout/layout_file.h"
#include "engine/plan/plan.h"
#include "engine/plan/profile_store.h"
#include "engine/trace/telemetry.h"
#include "engine/train/profile.h"
#include "engine/train/trainer.h"
#include "kernels/threads.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/prctl.h>
#include <thread>

namespace {

using namespace shardlab;

template <class T>
T valueOf(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return std::move(*result);
}

Plan readPlan(const RankArguments& arguments) {
    ParsedLayout parsed = valueOf(readLayout(arguments.layout));
    if (!parsed.faults.empty()) throw std::runtime_error(toText(parsed.faults));
    auto plan = makePlan(parsed.layout);
    if (!plan) throw std::runtime_error(toText(plan.error()));
    return std::move(*plan);
}

/// Nobody would see or stop a rank whose collector is gone: it ends at once, whatever it is doing.
std::jthread endWhenOrphaned(const Telemetry& telemetry) {
    return std::jthread([&telemetry](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            if (telemetry.orphaned()) std::_Exit(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    });
}

/// MPI cannot be ended in order without the others, who wait for this rank: mpirun ends them when it sees this exit.
[[noreturn]] void giveUp(int rank, Telemetry* telemetry, const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    if (telemetry) telemetry->finish(error.what());
    std::_Exit(1);
}

std::string train(const MpiSession& session, const RankArguments& arguments, Telemetry& telemetry, StatusPage& status) {
    setKernelThreads(arguments.threads);
    const Plan plan = readPlan(arguments);
    if (plan.mesh.ranks() != session.size())
        throw std::runtime_error("the layout has " + std::to_string(plan.mesh.ranks()) + " ranks, mpirun started " +
                                 std::to_string(session.size()));
    MpiOptions options;
    options.oversubscribed = arguments.oversubscribed;
    const auto world = session.world(options);
    const auto inform = [&](const std::string& text) { telemetry.log(LogLevel::Info, text); };
    if (!arguments.profile.empty()) {
        const Profile profile = measureProfile(plan, *world, arguments.threads, inform);
        if (session.rank() == 0)
            if (const Status saved = saveProfile(profile, arguments.profile); !saved)
                throw std::runtime_error(saved.error().text());
    }
    TrainerServices services{*world, telemetry.recorder()};
    services.status = &status;
    services.takeCommand = [&] { return telemetry.takeCommand(); };
    services.inform = inform;
    services.warn = [&](const std::string& text) { telemetry.log(LogLevel::Warning, text); };
    services.checkpoints = arguments.checkpoints;
    services.resume = arguments.resume;
    services.coresFree = !arguments.oversubscribed;
    const auto trainer = valueOf(Trainer::create(plan, services));
    try {
        return trainer->run();
    } catch (const std::exception& error) {
        giveUp(session.rank(), &telemetry, error);  // while the buffers of messages under way still exist
    }
}

}  // namespace

int main(int argc, char** argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int rank = 0;
    std::unique_ptr<Telemetry> telemetry;
    try {
        MpiSession session(argc, argv);
        try {
            rank = session.rank();
            const RankArguments arguments = valueOf(parseRankArguments({argv + 1, argv + argc}));
            StatusPage status = valueOf(StatusPage::create(arguments.statusFile(rank)));
            telemetry = valueOf(Telemetry::connect(
                {rank, arguments.socket, arguments.token, arguments.spoolFile(rank), arguments.clockOrigin}));
            const std::jthread watch = endWhenOrphaned(*telemetry);
            telemetry->finish(train(session, arguments, *telemetry, status));
        } catch (const std::exception& error) {
            giveUp(rank, telemetry.get(), error);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
