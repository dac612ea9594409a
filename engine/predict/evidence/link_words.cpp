// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/link_words.h"

#include "engine/predict/evidence/row_words.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>

namespace shardlab::predict {
namespace {

constexpr double bitsOfByte = 8;
constexpr std::string_view times = "×";

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// A number with a unit.
struct Rate {
    double gigas = 0;    ///< of bits or bytes a second
    bool bytes = false;  ///< "GB"
    bool bits = false;   ///< "Gb"; of "gb" neither is known
    double links = 1;    ///< by a number before an "x"
};

/// "3,200 Gbps" as "3200 Gbps".
std::string withoutThousands(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != ',' || i == 0 || i + 1 == text.size() || !isDigit(text[i - 1]) || !isDigit(text[i + 1]))
            result += text[i];
    return result;
}

/// The first number of a text that "Gb", "GB", "Tb" or "TB" follows, whatever follows that.
std::optional<Rate> rateOf(std::string_view cell) {
    const std::string text = withoutThousands(cell);
    double links = 1;
    std::size_t behindTimes = 0;
    for (std::size_t at = 0; at < text.size();) {
        const bool standsAlone = at == behindTimes || !isLetter(text[at - 1]);
        if (!isDigit(text[at]) || !standsAlone) {
            ++at;
            continue;
        }
        char* after = nullptr;
        const double number = std::strtod(text.c_str() + at, &after);
        at = text.find_first_not_of(' ', static_cast<std::size_t>(after - text.c_str()));
        if (at == std::string::npos) break;
        const std::string_view unit = std::string_view(text).substr(at);
        const std::string small = lower(unit.substr(0, 2));
        if (small == "gb" || small == "tb")
            return Rate{number * (small == "tb" ? 1000 : 1), unit[1] == 'B', unit[0] != small[0] && unit[1] == 'b',
                        links};
        if (unit.starts_with('x') || unit.starts_with('X') || unit.starts_with(times)) {
            links = number;
            behindTimes = at += unit.starts_with(times) ? times.size() : 1;
        }
    }
    return std::nullopt;
}

/// A generation of networks, with the Gbit/s of a link.
struct Generation {
    std::string_view name;
    double rate;
};
constexpr std::array generations{Generation{"omni-path", 100}, Generation{"edr", 100}, Generation{"hdr", 200},
                                 Generation{"ndr", 400}};

/// How many links a text begins with, "4x Omni-Path"; 0: it does not say.
double statedLinks(std::string_view text) {
    const std::string copy(text);
    char* after = nullptr;
    const double links = std::strtod(copy.c_str(), &after);
    while (*after == ' ') ++after;
    return *after == 'x' || *after == 'X' ? links : 0;
}

}  // namespace

double networkOf(std::string_view text, int devicesOnHost) {
    const std::string said = lower(text);
    const double devices = said.find("gpu") != std::string::npos ? 1 : devicesOnHost;
    if (const auto rate = rateOf(text)) {
        return rate->links * rate->gigas * (rate->bytes ? bitsOfByte : 1) / devices;
    }
    for (const Generation& generation : generations)
        if (said.find(generation.name) != std::string::npos) return statedLinks(text) * generation.rate / devices;
    return 0;
}

double nodeLinkOf(std::string_view text, double ownRate) {
    const auto rate = rateOf(text);
    if (!rate) return 0;
    const std::string said = lower(text);
    const double gigas = rate->gigas / (rate->bits ? bitsOfByte : 1);
    const bool both = said.find("bidirectional") != std::string::npos || gigas > ownRate;
    return gigas / (both ? 2 : 1);
}

}  // namespace shardlab::predict
