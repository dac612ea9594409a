// SPDX-License-Identifier: Apache-2.0
// Pictures of lessons as SVG, so that a window, a page and paper show the same one.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/trace/event/event.h"

#include <string>
#include <string_view>

namespace shardlab::launch {

/// Colours as "#rrggbb", and the family of the letters.
struct PictureInk {
    std::string text = "#1a1a1a", dim = "#666666", bar = "#0072b2", other = "#b8c4cf", guess = "#d55e00",
                bad = "#b54a00";
    std::string font = "sans-serif";
    // What the timeline and the views of memory have the same colours for.
    std::string forward = "#0072b2", backward = "#e69f00", inputGrad = "#d55e00", weightGrad = "#56b4e9",
                comm = "#882255", optimizer = "#009e73", idle = "#d9d9d9";

    const std::string& of(EventKind kind) const;
    const std::string& of(MemoryCategory category) const;
};

struct LessonPicture {
    std::string svg;
    int width = 0, height = 0;  ///< pixels
    int letters = 0;            ///< their size in pixels
    std::string words;          ///< the same as text: "naive 75.0 %, gpipe 42.9 %; guessed 30.0 %"
};

/// How many pixels wide a text is about, in letters of so many pixels.
double widthOf(std::string_view text, int letters);

/// Draws on a sheet of SVG that grows downwards.
class SvgSheet {
public:
    enum class Anchor : std::uint8_t { Start, Middle, End };

    SvgSheet(const PictureInk& ink, int width, int letters) : ink_(ink), width_(width), letters_(letters) {}

    void rect(double x, double y, double width, double height, std::string_view colour, std::string_view more = {});
    void line(double x1, double y1, double x2, double y2, std::string_view colour, std::string_view more = {});
    /// `y` is the baseline.
    void write(double x, double y, Anchor anchor, std::string_view colour, std::string_view text, int letters = 0);
    void add(std::string_view svg) { body_ += svg; }
    /// The sheet so far, `height` pixels high.
    LessonPicture finish(int height) &&;

private:
    const PictureInk& ink_;
    const int width_, letters_;
    std::string body_;
};

}  // namespace shardlab::launch
