// SPDX-License-Identifier: GPL-3.0-or-later
// shardlab-desktop: the dashboard.
#include "engine/base/language.h"
#include "engine/base/standard_streams.h"
#include "ui/window/desktop.h"

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
    const shardlab::base::StandardStreams streams;
    shardlab::ui::DesktopOptions options;
    std::string size;
    CLI::App app{"Shardlab: design a parallel layout, run it for real, watch it, replay it"};
    app.set_version_flag("--version", std::string("shardlab-desktop ") + SHARDLAB_VERSION);
    app.add_option("FILE", options.file,
                   "A layout (*.layout.json), the name of a preset, or a recorded run (*.shardlab) to open");
    auto* run = app.add_option("--run", options.run, "Train at once: a layout file or the name of a preset");
    auto* render = app.add_option("--render", options.render, "Draw this run into a picture, without a window");
    auto* out = app.add_option("--out", options.picture, "Where the picture (PNG) or the print (PDF) goes");
    auto* paper =
        app.add_option("--print", options.print, "Print this page of HTML, a lesson's handout, without a window");
    app.add_option("--size", size, "Pixels of the picture, WIDTHxHEIGHT; 1600x1000 if left out")->needs(render);
    app.add_flag("--light", options.light, "Light colours");
    app.add_option("--language", options.language, "The language of the desktop: that of its menu if left out")
        ->check(CLI::IsMember(
            std::vector<std::string>(shardlab::base::languages.begin(), shardlab::base::languages.end())));
    render->needs(out)->excludes(run);
    paper->needs(out)->excludes(run)->excludes(render);
    try {
        app.parse(argc, argv);
        if (!size.empty()) options.size = shardlab::ui::parseSize(size);
        if (!out->empty() && render->empty() && paper->empty())
            throw CLI::RequiresError("--out", "--render or --print");
        if (!options.size.isValid())
            throw CLI::ValidationError("--size",
                                       "\"" + size + "\" is no size such as 1600x1000, from 320x240 to 16384x16384");
    } catch (const CLI::ParseError& error) {
        return streams.finish(app.exit(error) == 0 ? 0 : 2, "shardlab-desktop");
    }
    return shardlab::ui::runDesktop(options, argc, argv);
}
