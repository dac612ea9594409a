// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/doctor.h"

#include "engine/base/resources.h"
#include "engine/base/units.h"
#include "engine/launch/job/gpu_report.h"
#include "engine/launch/job/mpirun.h"
#include "engine/launch/job/private_network.h"
#include "engine/launch/job/process.h"
#include "engine/launch/job/temporary_folder.h"
#include "engine/layout/presets.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace shardlab::launch {

namespace {

/// The first line that a program prints; empty where it prints nothing within two seconds.
std::string firstLine(const ProcessSpec& spec) {
    const std::vector<std::string> lines = linesOf(spec, std::chrono::seconds(2));
    return lines.empty() ? std::string{} : lines.front();
}

MachineFinding cores() {
    return {"cores",
            FindingState::Good,
            fmt::format("{}; layouts with more ranks run oversubscribed or paced", usableCores()),
            {}};
}

/// Bytes of a line of /proc/meminfo; 0 where it is not there.
std::int64_t memoryLine(std::string_view key) {
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        std::int64_t kibibytes = 0;
        if (word == key && file >> kibibytes) return kibibytes * 1024;
    }
    return 0;
}

MachineFinding memory() {
    return {"memory",
            FindingState::Good,
            fmt::format("{} in all, {} available", formatBytes(memoryLine("MemTotal:")),
                        formatBytes(memoryLine("MemAvailable:"))),
            {}};
}

MachineFinding openMpi() {
    const Result<std::filesystem::path> mpirun = findMpirun();
    if (!mpirun) return {"Open MPI", FindingState::Bad, "mpirun is not in PATH", "apt-get install openmpi-bin"};
    const std::string version = firstLine({*mpirun, {"--version"}, {}});
    if (version.find("Open MPI") == std::string::npos)
        return {"Open MPI", FindingState::Bad, fmt::format("{} is not Open MPI: {}", mpirun->string(), version),
                "apt-get install openmpi-bin, and put its mpirun first in PATH"};
    return {"Open MPI", FindingState::Good, fmt::format("{}, {}", version, mpirun->string()), {}};
}

MachineFinding programBeside(const char* name, const char* subject, FindingState otherwise) {
    const std::filesystem::path program = programFolder() / name;
    if (access(program.c_str(), X_OK) == 0) return {subject, FindingState::Good, program.string(), {}};
    return {subject, otherwise, program.string() + " is missing", fmt::format("ninja -C build {}", name)};
}

MachineFinding resources() {
    const auto all = presets();
    if (!all)
        return {"resources", FindingState::Bad, all.error().text(), "run the program from its build or install folder"};
    return {
        "resources", FindingState::Good, fmt::format("{} layouts, {}", all->size(), resourcesFolder().string()), {}};
}

MachineFinding jobFolder() {
    const std::filesystem::path base = temporaryBase();
    const auto folder = TemporaryFolder::create(base);
    if (!folder) return {"job folder", FindingState::Bad, folder.error().text(), "let TMPDIR name a writable folder"};
    return {"job folder", FindingState::Good, base.string(), {}};
}

MachineFinding network() {
    if (privateNetworkIsAllowed())
        return {"network", FindingState::Good, "ranks of one host have one of their own, which nobody can reach", {}};
    return {"network", FindingState::Absent,
            "mpirun listens on all addresses while it runs, as no network namespace may be made for it",
            "user namespaces (sysctl kernel.unprivileged_userns_clone=1), or a firewall"};
}

MachineFinding display() {
    const char* x11 = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if (wayland != nullptr && *wayland != '\0')
        return {"display", FindingState::Good, fmt::format("Wayland {}", wayland), {}};
    if (x11 != nullptr && *x11 != '\0') return {"display", FindingState::Good, fmt::format("X11 {}", x11), {}};
    return {"display", FindingState::Absent, "neither DISPLAY nor WAYLAND_DISPLAY is set",
            "log in to a desktop or use ssh -X; the command line and pictures of runs work without"};
}

std::optional<std::filesystem::path> cudaCompiler() {
    auto compiler = findInPath("nvcc");
    if (const std::filesystem::path usual = "/usr/local/cuda/bin/nvcc"; !compiler && access(usual.c_str(), X_OK) == 0)
        compiler = usual;
    return compiler;
}

MachineFinding cudaToolkit() {
    if (const auto compiler = cudaCompiler()) return {"CUDA toolkit", FindingState::Good, compiler->string(), {}};
    return {"CUDA toolkit", FindingState::Absent,
            "no nvcc in PATH or /usr/local/cuda/bin; it builds what GPUs need, and nothing else needs it",
            "NVIDIA's CUDA toolkit, where there is a GPU"};
}

/// What brings GPUs to a machine on which the rank program sees none. \p whyNone is its own reason, empty where it gave
/// none.
std::string adviceWithoutGpu(const std::string& whyNone) {
    if (whyNone.empty()) return "app/start, which builds the rank program";
    if (!whyNone.starts_with("this build has no CUDA back end")) return "NVIDIA's driver, where there is a GPU";
    return cudaCompiler()
               ? "app/start, which builds the back end with nvcc, and NVIDIA's driver, where there is a GPU"
               : "NVIDIA's CUDA toolkit and driver, where there is a GPU; then app/start builds the back end";
}

/// The GPUs and NCCL, as the program that would use them sees them.
std::vector<MachineFinding> gpus() {
    const GpuReport report =
        readGpuReport(linesOf({programFolder() / "shardlab-rank", {std::string(gpusArgument)}, {}}, gpusPatience));
    MachineFinding cards{"GPUs",
                         FindingState::Good,
                         fmt::format("{}, layouts with \"device\": \"cuda\" use them", fmt::join(report.names, ", ")),
                         {}};
    if (report.names.empty())
        cards = {"GPUs", FindingState::Absent,
                 report.whyNone.empty() ? "the rank program does not say"
                                        : report.whyNone + "; ranks compute on the processor",
                 adviceWithoutGpu(report.whyNone)};
    MachineFinding nccl{"NCCL", FindingState::Good, report.nccl, {}};
    if (report.nccl.empty())
        nccl = {"NCCL", FindingState::Absent,
                report.whyNoNccl.empty()
                    ? "not asked for without a GPU"
                    : report.whyNoNccl + "; ranks on GPUs exchange by way of the processor's memory",
                "NVIDIA's NCCL 2, where there are several GPUs"};
    return {cards, nccl};
}

}  // namespace

std::string_view name(FindingState state) {
    constexpr std::string_view names[] = {"good", "absent", "bad"};
    return names[static_cast<std::size_t>(state)];
}

std::vector<MachineFinding> examineMachine() {
    std::vector<MachineFinding> found{
        cores(),     memory(),
        openMpi(),   programBeside("shardlab-rank", "rank program", FindingState::Bad),
        resources(), jobFolder(),
        network(),   programBeside("shardlab-desktop", "desktop program", FindingState::Absent),
        display(),   cudaToolkit()};
    for (MachineFinding& finding : gpus()) found.push_back(std::move(finding));
    return found;
}

}  // namespace shardlab::launch
