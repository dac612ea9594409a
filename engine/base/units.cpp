// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace shardlab::base {
namespace {

/// Three significant digits without an exponent, for 0 ≤ value; whole numbers below 1000 stay whole.
std::string threeDigits(double value) {
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    if (value >= 9.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

template <std::size_t n>
std::string scaled(double value, double base, const std::array<std::string_view, n>& units, bool wholeFirst) {
    if (std::isnan(value)) return fmt::format("– {}", units[0]);
    const std::string sign = value < 0 ? "−" : "";
    double magnitude = std::abs(value);
    if (std::isinf(magnitude)) return fmt::format("{}∞ {}", sign, units[0]);
    std::size_t unit = 0;
    // What would be shown as 1000 belongs to the next unit.
    while (magnitude >= 999.5 && unit + 1 < n) {
        magnitude /= base;
        ++unit;
    }
    const bool whole = unit == 0 && (wholeFirst || magnitude == std::floor(magnitude));
    std::string text = sign + (whole ? fmt::format("{:.0f}", magnitude) : threeDigits(magnitude));
    if (!units[unit].empty()) text += fmt::format(" {}", units[unit]);
    return text;
}

}  // namespace

std::string formatBytes(std::int64_t bytes) {
    static constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return scaled(static_cast<double>(bytes), 1024, units, true);
}

namespace {

struct ByteUnit {
    std::string_view name;
    std::int64_t bytes;
};
/// Largest first.
constexpr std::array<ByteUnit, 9> byteUnits{{{"TiB", std::int64_t{1} << 40},
                                             {"TB", 1'000'000'000'000},
                                             {"GiB", std::int64_t{1} << 30},
                                             {"GB", 1'000'000'000},
                                             {"MiB", std::int64_t{1} << 20},
                                             {"MB", 1'000'000},
                                             {"KiB", 1024},
                                             {"kB", 1000},
                                             {"B", 1}}};

bool sameLetters(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, {}, [](char c) { return std::tolower(static_cast<unsigned char>(c)); },
        [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
}

}  // namespace

std::string exactBytes(std::int64_t bytes) {
    for (const ByteUnit& unit : byteUnits)
        if (bytes != 0 && bytes % unit.bytes == 0) return fmt::format("{} {}", bytes / unit.bytes, unit.name);
    return "0 B";
}

std::optional<std::int64_t> readBytes(std::string_view text) {
    text = trimmed(text, " ");
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(end - text.data())), " ");
    const auto unit = std::ranges::find_if(byteUnits, [&](const ByteUnit& each) {
        return sameLetters(each.name, name.empty() ? std::string_view("B") : name);
    });
    if (unit == byteUnits.end()) return std::nullopt;
    // Whole numbers without a detour, which would round those of more than 53 bits.
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end) {
        std::int64_t bytes = 0;
        return __builtin_mul_overflow(whole, unit->bytes, &bytes) ? std::nullopt : std::optional(bytes);
    }
    const double bytes = number * static_cast<double>(unit->bytes);
    if (!(std::abs(bytes) < 9e18) || bytes != std::floor(bytes)) return std::nullopt;
    return static_cast<std::int64_t>(bytes);
}

std::string formatSeconds(double seconds) {
    if (std::isnan(seconds)) return "– s";
    if (std::isinf(seconds)) return seconds < 0 ? "−∞ s" : "∞ s";
    if (seconds < 0) return "−" + formatSeconds(-seconds);
    if (seconds == 0) return "0 s";
    if (seconds < 999.5e-9) return fmt::format("{} ns", threeDigits(seconds * 1e9));
    if (seconds < 999.5e-6) return fmt::format("{} µs", threeDigits(seconds * 1e6));
    if (seconds < 999.5e-3) return fmt::format("{} ms", threeDigits(seconds * 1e3));
    if (seconds < 59.95) return fmt::format("{} s", threeDigits(seconds));
    if (seconds < 3599.5) {
        const auto whole = static_cast<std::int64_t>(std::llround(seconds));
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    }
    const double minutes = std::round(seconds / 60);
    if (minutes >= 1e15) return fmt::format("{:.3g} h", seconds / 3600);
    const auto whole = static_cast<std::int64_t>(minutes);
    return fmt::format("{} h {} min", whole / 60, whole % 60);
}

std::string formatCount(double count) {
    static constexpr std::array<std::string_view, 7> units{"", "k", "M", "G", "T", "P", "E"};
    std::string text = scaled(count, 1000, units, false);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

std::string formatPercent(double fraction) {
    if (std::isnan(fraction)) return "– %";
    if (fraction < 0) return "−" + formatPercent(-fraction);
    return fmt::format("{:.1f} %", fraction * 100);
}

std::string formatBandwidth(double bytesPerSecond) {
    static constexpr std::array<std::string_view, 6> units{"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    return scaled(bytesPerSecond, 1000, units, false);
}

}  // namespace shardlab::base
