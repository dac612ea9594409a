// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_picture.h"

#include "engine/launch/lesson/markdown_html.h"

#include <array>
#include <fmt/format.h>

namespace shardlab::launch {

const std::string& PictureInk::of(EventKind kind) const {
    switch (kind) {
    case EventKind::Forward:
    case EventKind::Recompute: return forward;
    case EventKind::Backward: return backward;
    case EventKind::InputGrad: return inputGrad;
    case EventKind::WeightGrad: return weightGrad;
    case EventKind::Optimizer: return optimizer;
    default: return comm;
    }
}

const std::string& PictureInk::of(MemoryCategory category) const {
    switch (category) {
    case MemoryCategory::Parameters: return forward;
    case MemoryCategory::Gradients: return backward;
    case MemoryCategory::Optimizer: return optimizer;
    case MemoryCategory::Activations: return weightGrad;
    case MemoryCategory::Buffers: return comm;
    case MemoryCategory::Temporary: break;
    }
    return other;
}

double widthOf(std::string_view text, int letters) {
    constexpr double latin = 0.56, wide = 1.02;  // of the letters' size; signs of three bytes are mostly Chinese
    double width = 0;
    for (const char byte : text) {
        const auto code = static_cast<unsigned char>(byte);
        if ((code & 0xC0) != 0x80) width += code >= 0xE3 ? wide : latin;
    }
    return width * letters;
}

void SvgSheet::rect(double x, double y, double width, double height, std::string_view colour, std::string_view more) {
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"{}/>\n", x, y,
                         width, height, colour, more);
}

void SvgSheet::line(double x1, double y1, double x2, double y2, std::string_view colour, std::string_view more) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1,
                         x2, y2, colour, more);
}

void SvgSheet::write(double x, double y, Anchor anchor, std::string_view colour, std::string_view text, int letters) {
    constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
    const std::string size = letters > 0 ? fmt::format(" font-size=\"{}\"", letters) : std::string();
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y,
                         anchors[static_cast<std::size_t>(anchor)], colour, size, escapedMarkup(text));
}

LessonPicture SvgSheet::finish(int height) && {
    return {fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                        "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" font-size=\"{3}\">\n{4}</svg>\n",
                        width_, height, escapedMarkup(ink_.font), letters_, body_),
            width_,
            height,
            letters_,
            {}};
}

}  // namespace shardlab::launch
