// SPDX-License-Identifier: Apache-2.0
#include "app/cli/desktop_program.h"

#include "engine/launch/job/process.h"

#include <filesystem>
#include <string_view>

namespace shardlab::cli {

Status askDesktop(std::vector<std::string> arguments, const std::string& what) {
    const std::filesystem::path desktop = programFolder() / "shardlab-desktop";
    auto process = Process::start({desktop, std::move(arguments), {{"QT_QPA_PLATFORM", "offscreen"}}});
    if (!process) {
        Error error = process.error();
        error.legal = "pictures and PDF are drawn by the desktop: ninja -C build shardlab-desktop";
        return fail(std::move(error));
    }
    constexpr std::string_view speaker = "shardlab-desktop: ";  // other lines are Qt's own
    std::string said;
    const auto listen = [&](const std::vector<OutputLine>& lines) {
        for (const OutputLine& line : lines)
            if (line.text.starts_with(speaker)) said = line.text.substr(speaker.size());
    };
    while (!process->exitStatus()) listen(process->read(100));
    listen(process->readRest());
    if (process->exitStatus()->success()) return {};
    return fail({what, desktop.string(), said.empty() ? process->exitStatus()->text() : said, {}});
}

}  // namespace shardlab::cli
