// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/doctor.h"

#include "engine/base/resources.h"
#include "engine/base/units.h"
#include "engine/launch/mpirun.h"
#include "engine/launch/process.h"
#include "engine/launch/temporary_folder.h"
#include "engine/layout/presets.h"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace shardlab {

namespace {

/// What a program prints, line by line, until it ends or `most` seconds have passed; empty where it cannot be started.
std::vector<std::string> linesOf(const ProcessSpec& spec, int most) {
    Result<Process> process = Process::start(spec);
    if (!process) return {};
    std::vector<std::string> lines;
    const auto take = [&](const std::vector<OutputLine>& read) {
        for (const OutputLine& line : read) lines.push_back(line.text);
    };
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(most);
    while (std::chrono::steady_clock::now() < giveUp && !process->exitStatus()) take(process->read(50));
    take(process->readRest());
    return lines;
}

/// Of what a program prints; empty where it prints nothing within two seconds.
std::string firstLine(const ProcessSpec& spec) {
    const std::vector<std::string> lines = linesOf(spec, 2);
    return lines.empty() ? std::string{} : lines.front();
}

MachineFinding cores() {
    return {"cores", FindingState::Good,
            fmt::format("{}; layouts with more ranks run oversubscribed or paced", usableCores()), {}};
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
    return {"memory", FindingState::Good,
            fmt::format("{} in all, {} available", formatBytes(memoryLine("MemTotal:")),
                        formatBytes(memoryLine("MemAvailable:"))), {}};
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
    if (!all) return {"resources", FindingState::Bad, all.error().text(), "run the program from its build or install folder"};
    return {"resources", FindingState::Good, fmt::format("{} layouts, {}", all->size(), resourcesFolder().string()), {}};
}

MachineFinding jobFolder() {
    const std::filesystem::path base = temporaryBase();
    const auto folder = TemporaryFolder::create(base);
    if (!folder) return {"job folder", FindingState::Bad, folder.error().text(), "let TMPDIR name a writable folder"};
    return {"job folder", FindingState::Good, base.string(), {}};
}

MachineFinding display() {
    const char* x11 = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if (wayland != nullptr && *wayland != '\0') return {"display", FindingState::Good, fmt::format("Wayland {}", wayland), {}};
    if (x11 != nullptr && *x11 != '\0') return {"display", FindingState::Good, fmt::format("X11 {}", x11), {}};
    return {"display", FindingState::Absent, "neither DISPLAY nor WAYLAND_DISPLAY is set",
            "log in to a desktop or use ssh -X; the command line and pictures of runs work without"};
}

MachineFinding cudaToolkit() {
    auto compiler = findInPath("nvcc");
    if (const std::filesystem::path usual = "/usr/local/cuda/bin/nvcc"; !compiler && access(usual.c_str(), X_OK) == 0)
        compiler = usual;
    if (compiler) return {"CUDA toolkit", FindingState::Good, compiler->string(), {}};
    return {"CUDA toolkit", FindingState::Absent, "no nvcc in PATH or /usr/local/cuda/bin; it builds what GPUs need, and nothing else needs it",
            "NVIDIA's CUDA toolkit, where there is a GPU"};
}

/// The GPUs and NCCL, as the program that would use them sees them.
std::vector<MachineFinding> gpus() {
    MachineFinding cards{"GPUs", FindingState::Absent, "the rank program does not say", "ninja -C build shardlab-rank"};
    MachineFinding nccl{"NCCL", FindingState::Absent, "not asked for without a GPU", "NVIDIA's NCCL 2, where there are several GPUs"};
    std::vector<std::string> names;
    // A driver that has slept takes some seconds to wake its GPUs.
    for (const std::string& line : linesOf({programFolder() / "shardlab-rank", {"--gpus"}, {}}, 30)) {
        if (line.starts_with("GPU ")) {
            names.push_back(line.substr(4));
        } else if (line.starts_with("no GPU: ")) {
            cards = {"GPUs", FindingState::Absent, line.substr(8) + "; ranks compute on the processor",
                     "NVIDIA's driver, where there is a GPU, and a build with nvcc"};
        } else if (line.starts_with("no NCCL: ")) {
            nccl.detail = line.substr(9) + "; ranks on GPUs exchange by way of the processor's memory";
        } else if (line.starts_with("NCCL ")) {
            nccl = {"NCCL", FindingState::Good, line.substr(5), {}};
        }
    }
    if (!names.empty())
        cards = {"GPUs", FindingState::Good, fmt::format("{}, layouts with \"device\": \"cuda\" use them", fmt::join(names, ", ")), {}};
    return {cards, nccl};
}

}  // namespace

std::string_view name(FindingState state) {
    constexpr std::string_view names[] = {"good", "absent", "bad"};
    return names[static_cast<std::size_t>(state)];
}

std::vector<MachineFinding> examineMachine() {
    std::vector<MachineFinding> found{cores(),
                               memory(),
                               openMpi(),
                               programBeside("shardlab-rank", "rank program", FindingState::Bad),
                               resources(),
                               jobFolder(),
                               programBeside("shardlab-desktop", "desktop program", FindingState::Absent),
                               display(),
                               cudaToolkit()};
    for (MachineFinding& finding : gpus()) found.push_back(std::move(finding));
    return found;
}

}  // namespace shardlab
