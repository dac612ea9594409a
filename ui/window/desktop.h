// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program behind its command line.
#pragma once

#include <QSize>

#include <filesystem>
#include <string>

namespace shardlab::ui {

struct DesktopOptions {
    std::string file;               ///< a layout or a run to open; empty: none
    std::string run;                ///< a layout file or a preset's name, to be trained at once; empty: none
    std::filesystem::path render;   ///< a run to draw instead of opening a window; empty: none
    std::filesystem::path print;    ///< a page of HTML to print instead; empty: none
    std::filesystem::path picture;  ///< where either goes
    QSize size{1600, 1000};
    bool light = false;
    std::string language;  ///< one of base::languages; empty: the menu's, else the system's
};

/// Exit status. Says on standard error what went wrong: no display, a bad file, an unwritable picture.
int runDesktop(const DesktopOptions& options, int argc, char** argv);

/// "1600x1000"; invalid where it is no size between 320×240 and 16384×16384.
QSize parseSize(const std::string& text);

}  // namespace shardlab::ui
