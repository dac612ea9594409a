// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/markdown_html.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace shardlab::launch {
namespace {

constexpr std::string_view codeFence = "```";

/// The length of "- " or "12. " at the beginning of a line; 0: the line is no point of a list.
std::size_t bulletOf(std::string_view line) {
    if (line.starts_with("- ") || line.starts_with("* ")) return 2;
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

std::string tableRow(std::string_view line, const char* cell) {
    std::string html = "<tr>";
    line = trimmed(line);
    if (line.starts_with('|')) line.remove_prefix(1);
    if (line.ends_with('|')) line.remove_suffix(1);
    while (true) {
        const std::size_t bar = line.find('|');
        html += fmt::format("<{0}>{1}</{0}>", cell, inlineHtml(trimmed(line.substr(0, bar))));
        if (bar == std::string_view::npos) return html + "</tr>\n";
        line.remove_prefix(bar + 1);
    }
}

class BlockWriter {
public:
    explicit BlockWriter(std::string_view markdown) {
        while (!markdown.empty()) lines_.push_back(takePart(markdown, '\n'));
    }

    std::string write() {
        while (at_ < lines_.size()) {
            const std::string_view line = lines_[at_];
            if (trimmed(line).empty()) ++at_;
            else if (line.starts_with(codeFence)) writeFence();
            else if (line.starts_with("    ")) writeCode();
            else if (line.starts_with('#')) writeHeading();
            else if (line.starts_with('|')) writeTable();
            else if (line.starts_with('>')) writeQuote();
            else if (bulletOf(line) > 0) writeList();
            else writeParagraph();
        }
        return std::move(html_);
    }

private:
    bool more() const { return at_ < lines_.size() && !trimmed(lines_[at_]).empty(); }
    /// Whether the line begins something else than a paragraph.
    static bool begins(std::string_view line) {
        return line.starts_with('|') || line.starts_with('#') || line.starts_with(codeFence) || line.starts_with('>') ||
               bulletOf(line) > 0;
    }

    void writeFence() {
        html_ += "<pre>";
        for (++at_; at_ < lines_.size() && !lines_[at_].starts_with(codeFence); ++at_)
            html_ += escapedMarkup(lines_[at_]) + "\n";
        at_ = std::min(at_ + 1, lines_.size());
        html_ += "</pre>\n";
    }

    void writeCode() {
        html_ += "<pre>";
        for (; more() && lines_[at_].starts_with("    "); ++at_) html_ += escapedMarkup(lines_[at_].substr(4)) + "\n";
        html_ += "</pre>\n";
    }

    void writeHeading() {
        const std::string_view line = lines_[at_++];
        const std::size_t level = std::min<std::size_t>(line.find_first_not_of('#'), 6);
        html_ +=
            fmt::format("<h{0}>{1}</h{0}>\n", level, inlineHtml(trimmed(line.substr(std::min(level, line.size())))));
    }

    void writeTable() {
        html_ += "<table>\n";
        for (bool first = true; more() && lines_[at_].starts_with('|'); ++at_) {
            if (lines_[at_].find_first_not_of("|-: \r") == std::string_view::npos && !first) continue;
            html_ += tableRow(lines_[at_], first ? "th" : "td");
            first = false;
        }
        html_ += "</table>\n";
    }

    void writeQuote() {
        std::string inner;
        for (; more() && lines_[at_].starts_with('>'); ++at_)
            inner += std::string(trimmed(lines_[at_].substr(1))) + "\n";
        html_ += "<blockquote>" + inlineHtml(inner) + "</blockquote>\n";
    }

    void writeList() {
        const char* kind = lines_[at_].starts_with('-') || lines_[at_].starts_with('*') ? "ul" : "ol";
        html_ += fmt::format("<{}>\n", kind);
        while (more()) {
            std::string point(lines_[at_].substr(bulletOf(lines_[at_])));
            for (++at_; more() && bulletOf(lines_[at_]) == 0; ++at_) point += "\n" + std::string(trimmed(lines_[at_]));
            html_ += "<li>" + inlineHtml(point) + "</li>\n";
        }
        html_ += fmt::format("</{}>\n", kind);
    }

    void writeParagraph() {
        std::string text(lines_[at_++]);
        for (; more() && !begins(lines_[at_]); ++at_) text += "\n" + std::string(lines_[at_]);
        html_ += "<p>" + inlineHtml(trimmed(text)) + "</p>\n";
    }

    std::vector<std::string_view> lines_;
    std::size_t at_ = 0;
    std::string html_;
};

}  // namespace

std::string escapedMarkup(std::string_view text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '&') escaped += "&amp;";
        else if (letter == '<') escaped += "&lt;";
        else if (letter == '>') escaped += "&gt;";
        else if (letter == '"') escaped += "&quot;";
        else escaped += letter;
    }
    return escaped;
}

std::string inlineHtml(std::string_view markdown) {
    constexpr std::array<std::pair<std::string_view, const char*>, 3> marks{{{"`", "code"}, {"**", "b"}, {"*", "i"}}};
    std::string html;
    while (!markdown.empty()) {
        const std::size_t next = std::min(markdown.find_first_of("`*["), markdown.size());
        html += escapedMarkup(markdown.substr(0, next));
        markdown.remove_prefix(next);
        bool taken = markdown.empty();
        for (const auto& [mark, element] : marks) {
            if (taken || !markdown.starts_with(mark)) continue;
            const std::size_t close = markdown.find(mark, mark.size() + 1);
            if (close == std::string_view::npos || markdown[mark.size()] == ' ') continue;
            const std::string_view inner = markdown.substr(mark.size(), close - mark.size());
            html += fmt::format("<{0}>{1}</{0}>", element, *element == 'c' ? escapedMarkup(inner) : inlineHtml(inner));
            markdown.remove_prefix(close + mark.size());
            taken = true;
        }
        if (taken) continue;
        const std::size_t middle = markdown.find("](");
        const std::size_t end = middle == std::string_view::npos ? middle : markdown.find(')', middle);
        if (markdown.starts_with('[') && end != std::string_view::npos) {
            const std::string words = inlineHtml(markdown.substr(1, middle - 1));
            const std::string_view target = markdown.substr(middle + 2, end - middle - 2);
            // On paper the desktop's own links, and those between pages, lead nowhere.
            html += target.starts_with("https://") ? fmt::format("<a href=\"{}\">{}</a>", escapedMarkup(target), words)
                                                   : words;
            markdown.remove_prefix(end + 1);
            continue;
        }
        html += escapedMarkup(markdown.substr(0, 1));
        markdown.remove_prefix(1);
    }
    return html;
}

std::string htmlOf(std::string_view markdown) { return BlockWriter(markdown).write(); }

}  // namespace shardlab::launch
