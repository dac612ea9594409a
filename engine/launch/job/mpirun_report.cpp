// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/mpirun_report.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <charconv>

namespace shardlab::launch {

namespace {

constexpr std::string_view frame = "--------------------";

/// The integer that follows the last `words` in `line`.
std::optional<int> integerAfter(std::string_view line, std::string_view words) {
    const std::size_t at = line.rfind(words);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view rest = line.substr(at + words.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    int value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || end == rest.data()) return std::nullopt;
    return value;
}

void append(std::string& sentence, std::string_view words) {
    if (!sentence.empty()) sentence.push_back(' ');
    sentence.append(words);
}

}  // namespace

std::optional<RankLine> parseTagged(std::string_view line) {
    const std::size_t comma = line.find(',');
    const std::size_t tag = line.find("]<std");
    const std::size_t colon = line.find(">:");
    if (!line.starts_with('[') || colon == std::string_view::npos || tag > colon || comma > tag) return std::nullopt;
    const std::optional<int> rank = integerAfter(line.substr(0, tag), ",");
    if (!rank) return std::nullopt;
    std::string_view text = line.substr(colon + 2);
    if (text.starts_with(' ')) text.remove_prefix(1);  // Open MPI 5 puts one there
    return RankLine{*rank, line.substr(tag, colon - tag) == "]<stderr", std::string(text)};
}

std::string MpirunReport::read(std::string_view line) {
    if (line.starts_with(frame)) {
        framed_ = !framed_;
        if (framed_) return {};
        if (!message_.empty()) messageEnded_ = true;
        return rest();
    }
    const bool blank = line.find_first_not_of("- \t\r") == std::string_view::npos;
    if (!blank) spoke_ = true;
    if (framed_) {
        readFramed(line);
        return {};
    }
    return blank ? std::string() : std::string(line);
}

void MpirunReport::readFramed(std::string_view line) {
    if (const std::string_view words = trimmed(line); !words.empty()) {
        append(framedText_, words);
        if (!messageEnded_) append(message_, words);
    }
    if (rank_ >= 0) return;
    // Sentences may be wrapped anywhere: they are looked for in what the frame holds so far.
    if (framedText_.find("noticed that process rank") != std::string::npos) {
        signal_ = integerAfter(framedText_, "exited on signal");
        if (signal_) rank_ = integerAfter(framedText_, "process rank").value_or(-1);
    } else if (line.find("Process name:") != std::string_view::npos) {
        namedRank_ = integerAfter(line, ",").value_or(-1);  // [[job,step],rank], or [prterun-host-pid@job,rank]
    } else if (line.find("Exit code:") != std::string_view::npos) {
        exitCode_ = integerAfter(line, "Exit code:");
        if (exitCode_) rank_ = namedRank_;
    } else if (line.find("Remote daemon:") != std::string_view::npos) {
        constexpr std::string_view before = "on node ";
        if (const std::size_t at = line.rfind(before); at != std::string_view::npos)
            lostHost_ = trimmed(line.substr(at + before.size()));
    } else if (framedText_.find("MPI_ABORT was invoked on rank") != std::string::npos) {
        rank_ = integerAfter(framedText_, "on rank").value_or(-1);
    } else if (framedText_.find("calling \"abort\"") != std::string::npos) {
        rank_ = integerAfter(framedText_, "due to process rank").value_or(-1);
    }
}

}  // namespace shardlab::launch
