// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/training_log.h"

#include "engine/base/most_ranks.h"
#include "engine/base/parse_text.h"
#include "engine/trace/interchange/log_text.h"
#include "engine/trace/interchange/step_object.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace shardlab::trace {
namespace {

using enum LogQuantity;

struct KnownName {
    std::string_view name;  ///< in small letters
    LogQuantity quantity;
    double unit = 1;  ///< of a number without a unit beside it
};

constexpr KnownName knownNames[] = {
    {"elapsed time per iteration (ms)", StepSeconds, 1e-3},
    {"elapsed time per iteration (s)", StepSeconds},
    {"elapsed_time_per_iteration_ms", StepSeconds, 1e-3},
    {"train_step_timing in s", StepSeconds},
    {"iter time (s)", StepSeconds},
    {"time", StepSeconds},
    {"step_time", StepSeconds},
    {"time_metrics/end_to_end(s)", StepSeconds},
    {"ms", StepSeconds, 1e-3},
    {"lm loss", Loss},
    {"lm_loss", Loss},
    {"loss", Loss},
    {"train_loss", Loss},
    {"reduced_train_loss", Loss},
    {"train/loss", Loss},
    {"loss_metrics/global_avg_loss", Loss},
    {"lm loss value", ValidationLoss},
    {"val loss", ValidationLoss},
    {"val_loss", ValidationLoss},
    {"val/loss", ValidationLoss},
    {"eval_loss", ValidationLoss},
    {"eval/loss", ValidationLoss},
    {"grad norm", GradientNorm},
    {"grad_norm", GradientNorm},
    {"norm", GradientNorm},
    {"train/grad_norm", GradientNorm},
    {"learning rate", LearningRate},
    {"learning_rate", LearningRate},
    {"train/learning_rate", LearningRate},
    {"lr", LearningRate},
    {"loss scale", LossScale},
    {"loss_scale", LossScale},
    {"tokens_per_sec", TokensPerSecond},
    {"tok/s", TokensPerSecond},
    {"memory", PeakBytes},
    {"global batch size", Samples},
    {"global_batch_size", Samples},
    {"number of skipped iterations", Skipped},
};

struct KnownUnit {
    std::string_view text;
    double factor;
    bool prefix = false;  ///< of another unit, "1.2K" ms: it touches its number
};
constexpr KnownUnit knownUnits[] = {
    {"ms", 1e-3},           {"s", 1},         {"GiB", 1024.0 * 1024 * 1024},
    {"MiB", 1024.0 * 1024}, {"GB", 1e9},      {"MB", 1e6},
    {"K", 1e3, true},       {"M", 1e6, true}, {"B", 1e9, true},
    {"T", 1e12, true},
};

/// Words that a step's number follows, longer ones before those that they begin with.
constexpr std::string_view stepWords[] = {"iteration", "iter", "global_step", "steps", "step"};

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }
bool isWord(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// A number at the beginning of `text`, which is taken off it: "7,123", "1.02E+01", "nan".
std::optional<double> takeNumber(std::string_view& text) {
    std::string digits;
    std::size_t end = 0;
    while (end < text.size() && digits.size() < 64) {
        const bool thousands = text[end] == ',' && end > 0 && isDigit(text[end - 1]) && end + 3 < text.size() &&
                               isDigit(text[end + 1]) && isDigit(text[end + 2]) && isDigit(text[end + 3]);
        if (!thousands && !isWord(text[end]) && text[end] != '.' && text[end] != '-' && text[end] != '+') break;
        if (!thousands) digits += text[end];
        ++end;
    }
    if (digits.starts_with('+')) digits.erase(0, 1);
    double value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{}) return std::nullopt;
    // What of the letters is no number stays, as a unit; commas that were left out stand before them.
    const auto left = static_cast<std::size_t>(digits.data() + digits.size() - rest);
    text.remove_prefix(end - left);
    return value;
}

/// A unit at the beginning of `text`, which is taken off it; nullptr: there is none.
const KnownUnit* takeUnit(std::string_view& text) {
    const std::string_view unit = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    const std::size_t length = static_cast<std::size_t>(
        std::ranges::find_if_not(unit, [](char letter) { return isWord(letter); }) - unit.begin());
    const KnownUnit* known = std::ranges::find(knownUnits, unit.substr(0, length), &KnownUnit::text);
    if (known == std::end(knownUnits) || (known->prefix && unit.size() != text.size())) return nullptr;
    text = unit.substr(length);
    return known;
}

std::string lowered(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return small;
}

/// A name of a number begins with a letter and goes on in one word or some.
bool isName(std::string_view text) {
    constexpr std::size_t longest = 64;
    return !text.empty() && text.size() <= longest && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
           std::ranges::all_of(text, [](char letter) {
               return isWord(letter) || std::string_view(" -/().%").find(letter) != std::string_view::npos;
           });
}

void putWithUnit(StepLine& line, std::string_view name, double value, const KnownUnit* unit) {
    constexpr std::size_t mostOthers = 64;
    if (!isName(name)) return;
    if (unit != nullptr) value *= unit->factor;
    const auto* known = std::ranges::find(knownNames, lowered(name), &KnownName::name);
    const bool whole = unit != nullptr && !unit->prefix;
    // A share of memory, or one without a unit, is no number of bytes.
    if (known != std::end(knownNames) && !(known->quantity == PeakBytes && !whole)) {
        if (auto& quantity = line[known->quantity]; !quantity) quantity = whole ? value : value * known->unit;
    } else if (line.others.size() < mostOthers) {
        line.others.push_back({std::string(name), value});
    }
}

class LineReader {
public:
    explicit LineReader(std::string_view line) : text_(plainText(line)) {}

    std::optional<StepLine> all() {
        const std::optional<std::size_t> rest = takeStep();
        if (!rest) return std::nullopt;
        const std::string_view text(text_);
        // A progress bar's list has numbers before the step's too.
        const std::string_view before = text.substr(0, begin_);
        if (const std::size_t list = before.rfind('['); list != std::string_view::npos)
            if (before.find(']', list) == std::string_view::npos) fields(before.substr(list + 1));
        fields(text.substr(*rest));
        if (lowered(before).find("valid") != std::string::npos && line_[Loss]) {
            line_[ValidationLoss] = std::exchange(line_[Loss], std::nullopt);
            line_[StepSeconds].reset();
        }
        if (!line_[StepSeconds] && !line_[Loss] && !line_[ValidationLoss]) return std::nullopt;
        line_.rank = rankBefore(before);
        line_.clock = clockIn(before);
        return std::move(line_);
    }

private:
    /// Finds the step's number; where the line goes on behind it.
    std::optional<std::size_t> takeStep() {
        for (const std::string_view word : stepWords)
            for (std::size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1)) {
                if (at > 0 && isWord(text_[at - 1])) continue;
                const std::size_t number = text_.find_first_not_of(" :=", at + word.size());
                if (number == std::string::npos || number == at + word.size() || !isDigit(text_[number])) continue;
                std::int64_t step = 0;
                const auto [end, error] = std::from_chars(text_.data() + number, text_.data() + text_.size(), step);
                if (error != std::errc{} || step > std::numeric_limits<std::int32_t>::max()) continue;
                line_.step = static_cast<std::int32_t>(step);
                begin_ = at;
                std::size_t rest = static_cast<std::size_t>(end - text_.data());
                // ".00" of a progress bar, "/ 5000" and what separates it from the rest.
                rest = std::min(text_.find_first_not_of(".0123456789/ :", rest), text_.size());
                return rest;
            }
        return std::nullopt;
    }

    /// "loss: 2.5 | lr: 1e-4", "loss 2.5, time 80 ms", "loss: 2.5  tps: 7,123": fields, and pairs within them.
    void fields(std::string_view text) {
        const std::string_view separator = text.find('|') != std::string_view::npos ? "|" : ", ";
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(separator), text.size());
            pairs(text.substr(0, end));
            text.remove_prefix(std::min(end + separator.size(), text.size()));
        }
    }

    void pairs(std::string_view field) {
        std::size_t mark = field.find_first_of(":=");
        if (mark == std::string_view::npos) return lonePair(trimmed(field));
        while (mark != std::string_view::npos) {
            const std::string_view name = trimmed(field.substr(0, mark), " \t,;");
            field.remove_prefix(mark + 1);
            field.remove_prefix(std::min(field.find_first_not_of(" ["), field.size()));
            if (const auto value = takeNumber(field)) {
                const KnownUnit* unit = takeUnit(field);
                put(name, *value, unit);
                if (const std::size_t note = field.find_first_not_of(" %]"); note != std::string_view::npos) {
                    field.remove_prefix(note);
                    if (field.starts_with('(')) field.remove_prefix(std::min(field.find(')') + 1, field.size()));
                }
            }
            mark = field.find_first_of(":=");
        }
    }

    /// "loss 2.5", "80.00 ms".
    void lonePair(std::string_view field) {
        if (const auto value = takeNumber(field)) return put(trimmed(field, " %"), *value, nullptr);
        for (std::size_t space = field.find(' '); space != std::string_view::npos; space = field.find(' ', space + 1)) {
            std::string_view rest = field.substr(space + 1);
            const auto value = takeNumber(rest);
            if (value) return put(trimmed(field.substr(0, space)), *value, takeUnit(rest));
        }
    }

    void put(std::string_view name, double value, const KnownUnit* unit) { putWithUnit(line_, name, value, unit); }

    /// "[rank3]:", as torchrun's programs begin a line.
    static std::optional<int> rankBefore(std::string_view before) {
        for (const std::string_view word : {"[rank", "[Rank "})
            if (const std::size_t at = before.find(word); at != std::string_view::npos) {
                int rank = 0;
                const char* first = before.data() + at + word.size();
                const auto [end, error] = std::from_chars(first, before.data() + before.size(), rank);
                if (error == std::errc{} && end != before.data() + before.size() && *end == ']' && rank >= 0 &&
                    rank < mostRanks)
                    return rank;
            }
        return std::nullopt;
    }

    std::string text_;
    std::size_t begin_ = 0;  ///< of the step's word
    StepLine line_;
};

}  // namespace

std::optional<StepLine> readStepLine(std::string_view line) { return LineReader(line).all(); }

void putNumber(StepLine& line, std::string_view name, double value) { putWithUnit(line, name, value, nullptr); }

std::vector<LogNumber> readTimerLine(std::string_view line) {
    constexpr std::string_view dots = " ..", end = ".: ";
    const std::size_t begin = line.find(dots), mark = line.find(end);
    const std::string_view name = trimmed(line.substr(0, begin));
    if (begin == std::string_view::npos || mark == std::string_view::npos || mark < begin || !isName(name) ||
        line.substr(begin + 1, mark - begin).find_first_not_of('.') != std::string_view::npos)
        return {};
    std::string_view rest = trimmed(line.substr(mark + end.size()));
    const bool both = rest.starts_with('(') && rest.ends_with(')');
    const std::string_view numbers = both ? rest.substr(1, rest.size() - 2) : rest;
    const std::size_t comma = both ? numbers.find(", ") : numbers.size();
    const auto first = parseNumber<double>(numbers.substr(0, comma));
    if (comma == std::string_view::npos || !first) return {};
    if (!both) return {{fmt::format("{}, most (ms)", name), *first}};
    const auto second = parseNumber<double>(numbers.substr(comma + 2));
    if (!second) return {};
    return {{fmt::format("{}, least (ms)", name), *first}, {fmt::format("{}, most (ms)", name), *second}};
}

std::optional<RankTimer> RankTimerReader::read(std::string_view line) {
    constexpr std::string_view heading = "times across ranks (ms):", rankWord = "rank ";
    const std::string_view text = trimmed(line);
    if (text == heading) {
        within_ = true;
        name_.clear();
        return std::nullopt;
    }
    if (!within_) return std::nullopt;
    if (text.ends_with(':') && isName(text.substr(0, text.size() - 1))) {
        name_ = text.substr(0, text.size() - 1);
        return std::nullopt;
    }
    const std::size_t colon = text.find(": ");
    if (text.starts_with(rankWord) && colon != std::string_view::npos && !name_.empty()) {
        const auto rank = parseNumber<int>(trimmed(text.substr(rankWord.size(), colon - rankWord.size())));
        const auto time = parseNumber<double>(text.substr(colon + 2));
        if (rank && *rank >= 0 && *rank < mostRanks && time) return RankTimer{name_, *rank, *time};
    }
    within_ = false;
    return std::nullopt;
}

std::vector<MemoryLine> readMemoryLines(std::string_view line) {
    constexpr std::string_view begin = "[Rank ", sign = "memory (MB) |";
    std::vector<MemoryLine> lines;
    while (true) {
        const std::size_t at = line.find(begin);
        if (at == std::string_view::npos) return lines;
        line.remove_prefix(at + begin.size());
        const std::string_view one = line.substr(0, line.find(begin));
        std::string_view text = one;
        const auto rank = takeNumber(text);
        const std::size_t numbers = one.find(sign);
        if (!rank || !(*rank >= 0 && *rank < mostRanks) || numbers == std::string_view::npos) continue;
        MemoryLine memory{.rank = static_cast<int>(*rank)};
        const auto read = [&](std::string_view name, std::int64_t& bytes) {
            const std::size_t found = one.find(name, numbers);
            if (found == std::string_view::npos) return;
            std::string_view rest = trimmed(one.substr(found + name.size()));
            const auto value = takeNumber(rest);
            constexpr double mega = 1024.0 * 1024, most = 1e9;
            if (value && *value >= 0 && *value < most) bytes = static_cast<std::int64_t>(*value * mega);
        };
        read("| allocated:", memory.allocated);
        read("| max allocated:", memory.peakAllocated);
        read("| reserved:", memory.reserved);
        read("| max reserved:", memory.peakReserved);
        lines.push_back(memory);
    }
}

bool looksLikeTrainingLog(const std::filesystem::path& file) {
    if (isTrainerState(file)) return true;
    bool found = false, json = false;
    static_cast<void>(eachLine(file, {}, [&, read = std::size_t{0}](std::string_view line) mutable {
        constexpr std::size_t looked = std::size_t{4} << 20;
        json = json || (read == 0 && trimmed(line).starts_with('{') && !readStepObject(line));
        read += line.size() + 1;
        if (line.find('\0') != std::string_view::npos) return false;  // no text
        found = readStepObject(line).has_value() || (!json && readStepLine(line).has_value());
        return !found && read < looked;
    }));
    return found;
}

}  // namespace shardlab::trace
