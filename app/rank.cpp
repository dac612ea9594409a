// SPDX-License-Identifier: Apache-2.0
// shardlab-rank: what mpirun starts, one process for each device of a layout; with --forward, what joins the ranks of
// another host to the launcher.
#include "app/rank_gpus.h"
#include "engine/base/units.h"
#include "engine/base/visible_text.h"
#include "engine/train/comm/mpi/mpi_session.h"
#include "engine/train/comm/shared/shared_communicator.h"
#include "engine/launch/job/forwarder.h"
#include "engine/launch/job/gpu_report.h"
#include "engine/trace/record/rank_arguments.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/predict/plan/profile_store.h"
#include "engine/trace/record/flight_record.h"
#include "engine/trace/record/telemetry.h"
#include "engine/train/run/fault_injector.h"
#include "engine/train/run/profile.h"
#include "engine/train/run/trainer.h"
#include "kernels/cuda_device.h"
#include "kernels/threads.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <thread>

namespace {

using namespace shardlab::rank;

template <class T>
T valueOf(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().text());
    return std::move(*result);
}

/// The job has judged the layout, and has simulated a step.
StepPlan readPlan(const RankArguments& arguments) {
    const ParsedLayout parsed = valueOf(readLayout(arguments.layout));
    if (!parsed.faults.empty()) throw std::runtime_error(toText(parsed.faults));
    StepPlan plan = stepPlan(parsed.layout);
    plan.costs.stretch = arguments.stretch;
    return plan;
}

/// Shows on the status page that the process runs. A rank whose collector is gone ends at once, whatever it is doing:
/// nobody would see or stop it.
std::jthread keepWatch(const Telemetry& telemetry, StatusPage& status) {
    return std::jthread([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            status.beat();
            if (telemetry.orphaned()) std::_Exit(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    });
}

/// Tests make a run hang with SHARDLAB_TEST_LOSE="1 5 1SEND_B0": rank 1 never sends that message of step 5.
std::function<bool(int, const Action&)> lossForTests(int rank) {
    const char* wanted = std::getenv("SHARDLAB_TEST_LOSE");
    if (wanted == nullptr) return {};
    return [rank, wanted = std::string(wanted)](int step, const Action& send) {
        return std::to_string(rank) + " " + std::to_string(step) + " " + toText(send) == wanted;
    };
}

/// Ends the process. MPI cannot be ended in order without the other ranks, which wait for this one: mpirun ends them
/// when it sees this exit.
[[noreturn]] void giveUp(int rank, Telemetry* telemetry, const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, visible(error.what()).c_str());
    if (telemetry) telemetry->finish(error.what());
    std::_Exit(1);
}

/// The rank's GPU; null: it computes on the processor. Ranks of one host share its GPUs evenly.
std::unique_ptr<Device> computeDevice(const Layout& layout, const MpiSession& session) {
    if (layout.cluster.device != DeviceKind::Cuda) return nullptr;
    if (session.size() > 1) loadKernelsAtStart();
    const CudaDevices found = cudaDevices();
    if (found.names.empty()) throw std::runtime_error("/cluster/device: no GPU on this host: " + found.reason);
    const int own = session.localRank() % static_cast<int>(found.names.size());
    DeviceOrReason opened = openCudaDevice(own);
    if (!opened.device)
        throw std::runtime_error("/cluster/device: " + found.names[static_cast<std::size_t>(own)] + ": " +
                                 opened.reason);
    return std::move(opened.device);
}

std::string train(const MpiSession& session, const RankArguments& arguments, Telemetry& telemetry, StatusPage& status,
                  FlightRecord& flight) {
    setKernelThreads(arguments.threads);
    const StepPlan plan = readPlan(arguments);
    if (plan.mesh.ranks() != session.size())
        throw std::runtime_error("the layout has " + std::to_string(plan.mesh.ranks()) + " ranks, mpirun started " +
                                 std::to_string(session.size()));
    MpiOptions options;
    options.oversubscribed = arguments.oversubscribed;
    const auto inform = [&](const std::string& text) { telemetry.log(LogLevel::Info, text); };
    const auto heap = SharedHeap::create();
    if (!heap) inform("collectives go by messages: " + heap.error().text());
    SharedHeap* const shared = heap ? heap->get() : nullptr;
    const auto world = std::make_unique<SharedCommunicator>(session.world(options),
                                                            SharedMemory{shared, arguments.oversubscribed, inform});
    // A rank that is alone shares no memory, and memory of its own has large pages.
    const std::unique_ptr<Device> processor = makeCpuDevice(session.size() > 1 ? shared : nullptr);
    if (!arguments.profile.empty()) {
        const Profile profile =
            measureProfile(plan, *world, *processor, {arguments.threads, arguments.oversubscribed}, inform);
        if (session.rank() == 0)
            if (const Status saved = saveProfile(profile, arguments.profile); !saved)
                throw std::runtime_error(saved.error().text());
    }
    const std::unique_ptr<Device> device = computeDevice(plan.layout, session);
    if (device && session.rank() == 0) inform("computing on " + device->name());
    TrainerServices services{*world, telemetry.recorder()};
    services.device = device ? device.get() : processor.get();
    services.status = &status;
    services.flight = &flight;
    services.loses = lossForTests(session.rank());
    std::vector<InjectedFault> own = arguments.faults;
    std::erase_if(own, [&](const InjectedFault& fault) { return fault.rank != session.rank(); });
    services.settle = [&] { telemetry.settle(); };
    FaultInjector faults(std::move(own), telemetry.recorder(), services.settle);
    services.faults = &faults;
    services.takeCommand = [&] { return telemetry.takeCommand(); };
    services.inform = inform;
    services.warn = [&](const std::string& text) { telemetry.log(LogLevel::Warning, text); };
    services.checkpoints = arguments.checkpoints;
    services.resume = arguments.resume;
    services.coresFree = !arguments.oversubscribed;
    services.operationsEvery = arguments.operationsEvery;
    services.naming = [&](const std::string& text) { return telemetry.name(text); };
    const auto trainer = valueOf(Trainer::create(plan, services));
    try {
        return trainer->run();
    } catch (const std::exception& error) {
        giveUp(session.rank(), &telemetry, error);  // while the buffers of messages under way still exist
    }
}

int tell(const char* text) { return std::fputs(text, stdout) >= 0 && std::fflush(stdout) == 0 ? 0 : 1; }

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == gpusArgument) return tellGpus();
    if (argc == 2 && std::string_view(argv[1]) == forwarderArgument) return runForwarder();
    if (argc == 2 && std::string_view(argv[1]) == "--version") return tell("shardlab-rank " SHARDLAB_VERSION "\n");
    if (argc == 1 || (argc == 2 && std::string_view(argv[1]) == "--help"))
        return tell("Usage: shardlab-rank --version | --help | --gpus\n"
                    "shardlab run starts this program, one process for each device of a layout, and tells it the rest; "
                    "--gpus tells which GPUs it would compute on.\n");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The launcher knows whether a lost terminal ends the run; mpirun has reset what nohup set.
    std::signal(SIGHUP, SIG_IGN);
    int rank = 0;
    std::unique_ptr<Telemetry> telemetry;
    try {
        MpiSession session(argc, argv);
        try {
            rank = session.rank();
            const RankArguments arguments = valueOf(parseRankArguments({argv + 1, argv + argc}));
            StatusPage status = valueOf(StatusPage::create(arguments.statusFile(rank)));
            FlightRecord flight = valueOf(FlightRecord::create(arguments.flightFile(rank)));
            telemetry = valueOf(Telemetry::connect(
                {rank, arguments.socket, arguments.token, arguments.spoolFile(rank), arguments.clockOrigin}));
            const std::jthread watch = keepWatch(*telemetry, status);
            telemetry->finish(train(session, arguments, *telemetry, status, flight));
        } catch (const std::exception& error) {
            giveUp(rank, telemetry.get(), error);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", visible(error.what()).c_str());
        return 1;
    }
    return 0;
}
