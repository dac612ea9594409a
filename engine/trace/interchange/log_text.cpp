// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/log_text.h"

#include "engine/base/clock.h"
#include "engine/base/parse_text.h"

#include <chrono>
#include <istream>

namespace shardlab::trace {
namespace {

constexpr std::size_t longestLine = std::size_t{64} << 10;

/// A number of exactly so many digits.
std::optional<int> digitsAt(std::string_view text, std::size_t at, std::size_t count) {
    const auto value = at + count <= text.size() ? parseNumber<int>(text.substr(at, count)) : std::nullopt;
    return value && *value >= 0 ? value : std::nullopt;
}

}  // namespace

Status eachLine(const std::filesystem::path& file, const ShareWatcher& watcher,
                const std::function<bool(std::string_view line)>& told) {
    auto opened = InputStream::open(file, watcher);
    if (!opened) return fail(opened.error());
    InputStream& in = **opened;
    std::string line;
    bool more = true, any = false;
    while (more) {
        const int letter = in.sbumpc();
        const bool ends = letter == InputStream::traits_type::eof();
        if (ends || letter == '\n' || letter == '\r') {
            if (any) more = told(line);
            line.clear();
            any = false;
            if (ends) break;
        } else {
            any = true;
            if (line.size() < longestLine) line += static_cast<char>(letter);
        }
    }
    if (in.problem()) return fail(*in.problem());
    if (in.cancelled()) return fail(Error{say("the import was cancelled"), "", "", ""});
    return {};
}

std::string plainText(std::string_view line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            plain += line[i];
            continue;
        }
        // "ESC [ 1 ; 31 m": up to the letter that ends it.
        while (++i < line.size() && (line[i] == '[' || line[i] == ';' || (line[i] >= '0' && line[i] <= '9'))) {}
    }
    return plain;
}

std::optional<std::int64_t> clockIn(std::string_view text) {
    constexpr std::size_t seconds = 19;  // "2025-06-01 12:00:00"
    for (std::size_t at = 0; at + seconds <= text.size(); ++at) {
        const std::string_view here = text.substr(at);
        if (here[4] != '-' || here[7] != '-' || (here[10] != ' ' && here[10] != 'T') || here[13] != ':' ||
            here[16] != ':')
            continue;
        const auto year = digitsAt(here, 0, 4), month = digitsAt(here, 5, 2), day = digitsAt(here, 8, 2);
        const auto hour = digitsAt(here, 11, 2), minute = digitsAt(here, 14, 2), second = digitsAt(here, 17, 2);
        if (!year || !month || !day || !hour || !minute || !second) continue;
        const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(unsigned(*month)),
                                               std::chrono::day(unsigned(*day))};
        if (!date.ok() || *year < 1970 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) continue;
        std::int64_t fraction = 0;
        if (here.size() > seconds + 3 && (here[seconds] == ',' || here[seconds] == '.'))
            fraction = digitsAt(here, seconds + 1, 3).value_or(0) * nsPerMillisecond;
        const auto whole = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
                           std::chrono::minutes(*minute) + std::chrono::seconds(*second);
        return std::chrono::nanoseconds(whole).count() + fraction;
    }
    return std::nullopt;
}

}  // namespace shardlab::trace
