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
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <unistd.h>

namespace shardlab {

namespace {

/// First line of what a program prints; empty where it cannot be started or says nothing within two seconds.
std::string firstLine(const ProcessSpec& spec) {
    Result<Process> process = Process::start(spec);
    if (!process) return {};
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < giveUp) {
        const std::vector<OutputLine> lines = process->read(50);
        if (!lines.empty()) return lines.front().text;
        if (process->exitStatus()) break;
    }
    const std::vector<OutputLine> rest = process->readRest();
    return rest.empty() ? std::string{} : rest.front().text;
}

Finding cores() {
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

Finding memory() {
    return {"memory", FindingState::Good,
            fmt::format("{} in all, {} available", formatBytes(memoryLine("MemTotal:")),
                        formatBytes(memoryLine("MemAvailable:"))), {}};
}

Finding openMpi() {
    const Result<std::filesystem::path> mpirun = findMpirun();
    if (!mpirun) return {"Open MPI", FindingState::Bad, "mpirun is not in PATH", "apt-get install openmpi-bin"};
    const std::string version = firstLine({*mpirun, {"--version"}, {}});
    if (version.find("Open MPI") == std::string::npos)
        return {"Open MPI", FindingState::Bad, fmt::format("{} is not Open MPI: {}", mpirun->string(), version),
                "apt-get install openmpi-bin, and put its mpirun first in PATH"};
    return {"Open MPI", FindingState::Good, fmt::format("{}, {}", version, mpirun->string()), {}};
}

Finding programBeside(const char* name, const char* subject, FindingState otherwise) {
    const std::filesystem::path program = programFolder() / name;
    if (access(program.c_str(), X_OK) == 0) return {subject, FindingState::Good, program.string(), {}};
    return {subject, otherwise, program.string() + " is missing", fmt::format("ninja -C build {}", name)};
}

Finding resources() {
    const auto all = presets();
    if (!all) return {"resources", FindingState::Bad, all.error().text(), "run the program from its build or install folder"};
    return {"resources", FindingState::Good, fmt::format("{} layouts, {}", all->size(), resourcesFolder().string()), {}};
}

Finding jobFolder() {
    const std::filesystem::path base = temporaryBase();
    const auto folder = TemporaryFolder::create(base);
    if (!folder) return {"job folder", FindingState::Bad, folder.error().text(), "let TMPDIR name a writable folder"};
    return {"job folder", FindingState::Good, base.string(), {}};
}

Finding display() {
    const char* x11 = std::getenv("DISPLAY");
    const char* wayland = std::getenv("WAYLAND_DISPLAY");
    if (wayland != nullptr && *wayland != '\0') return {"display", FindingState::Good, fmt::format("Wayland {}", wayland), {}};
    if (x11 != nullptr && *x11 != '\0') return {"display", FindingState::Good, fmt::format("X11 {}", x11), {}};
    return {"display", FindingState::Absent, "neither DISPLAY nor WAYLAND_DISPLAY is set",
            "log in to a desktop or use ssh -X; the command line and pictures of runs work without"};
}

/// The library is only asked for its presence: opening it starts no driver.
bool canLoad(const char* library) {
    const auto close = [](void* handle) { dlclose(handle); };
    return std::unique_ptr<void, decltype(close)>(dlopen(library, RTLD_LAZY | RTLD_LOCAL), close) != nullptr;
}

Finding cudaDriver() {
    if (canLoad("libcuda.so.1")) return {"CUDA driver", FindingState::Good, "libcuda.so.1; this version trains on CPU ranks", {}};
    return {"CUDA driver", FindingState::Absent, "no libcuda.so.1; this version trains on CPU ranks and needs none",
            "NVIDIA's driver, where there is a GPU"};
}

Finding cudaToolkit() {
    auto compiler = findInPath("nvcc");
    if (const std::filesystem::path usual = "/usr/local/cuda/bin/nvcc"; !compiler && access(usual.c_str(), X_OK) == 0)
        compiler = usual;
    if (compiler) return {"CUDA toolkit", FindingState::Good, compiler->string(), {}};
    return {"CUDA toolkit", FindingState::Absent, "no nvcc in PATH or /usr/local/cuda/bin; this version needs none",
            "NVIDIA's CUDA toolkit, where there is a GPU"};
}

Finding nccl() {
    const bool found = canLoad("libnccl.so.2") || canLoad("/usr/local/cuda/lib64/libnccl.so.2") ||
                       canLoad("/usr/local/cuda/lib/libnccl.so.2");
    if (found) return {"NCCL", FindingState::Good, "libnccl.so.2; this version communicates over MPI", {}};
    return {"NCCL", FindingState::Absent, "no libnccl.so.2; this version communicates over MPI and needs none",
            "NVIDIA's NCCL 2, where there is a GPU"};
}

}  // namespace

std::string_view name(FindingState state) {
    constexpr std::string_view names[] = {"good", "absent", "bad"};
    return names[static_cast<std::size_t>(state)];
}

std::vector<Finding> examineMachine() {
    return {cores(),
            memory(),
            openMpi(),
            programBeside("shardlab-rank", "rank program", FindingState::Bad),
            resources(),
            jobFolder(),
            programBeside("shardlab-desktop", "desktop program", FindingState::Absent),
            display(),
            cudaDriver(),
            cudaToolkit(),
            nccl()};
}

}  // namespace shardlab
