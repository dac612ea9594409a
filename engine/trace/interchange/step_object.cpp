// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/step_object.h"

#include "engine/base/file.h"
#include "engine/base/parse_text.h"
#include "engine/trace/interchange/log_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::trace {
namespace {

constexpr std::string_view history = "\"log_history\"";
constexpr std::string_view stepNames[] = {"step",  "global_step", "iteration",         "iter",
                                          "_step", "train_step",  "train/global_step", "trainer/global_step"};

/// What stands in an object: a text or a number as it is written, without quotes. None: it does not end.
class ObjectText {
public:
    explicit ObjectText(std::string_view text) : text_(text) {}

    bool takes(char letter) {
        skip();
        if (text_.empty() || text_.front() != letter) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::optional<std::string_view> quoted() {
        skip();
        if (text_.empty() || (text_.front() != '"' && text_.front() != '\'')) return std::nullopt;
        const char quote = text_.front();
        for (std::size_t end = 1; end < text_.size(); ++end)
            if (text_[end] == '\\') ++end;
            else if (text_[end] == quote) {
                const std::string_view inside = text_.substr(1, end - 1);
                text_.remove_prefix(end + 1);
                return inside;
            }
        return std::nullopt;
    }
    /// A text, a number or a word; empty of a list or an object, which are gone over.
    std::optional<std::string_view> value() {
        skip();
        if (text_.empty()) return std::nullopt;
        if (text_.front() == '"' || text_.front() == '\'') return quoted();
        if (text_.front() == '{' || text_.front() == '[') return nested();
        const std::string_view word = text_.substr(0, text_.find_first_of(",}] \t\r\n"));
        text_.remove_prefix(word.size());
        if (word.empty()) return std::nullopt;
        return word;
    }
    std::string_view rest() const { return text_; }

private:
    void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }
    std::optional<std::string_view> nested() {
        int depth = 0;
        while (!text_.empty()) {
            const char letter = text_.front();
            if (letter == '"' || letter == '\'') {
                if (!quoted()) return std::nullopt;
                continue;
            }
            text_.remove_prefix(1);
            if (letter == '{' || letter == '[') ++depth;
            if ((letter == '}' || letter == ']') && --depth == 0) return std::string_view();
        }
        return std::nullopt;
    }

    std::string_view text_;
};

std::optional<double> numberOf(std::string_view word) {
    if (word == "NaN" || word == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (word == "Infinity" || word == "inf") return std::numeric_limits<double>::infinity();
    return parseNumber<double>(word);
}

class ObjectReader {
public:
    std::optional<StepObject> take(std::string_view& text) {
        ObjectText object(text);
        if (!object.takes('{')) return std::nullopt;
        while (!object.takes('}')) {
            const auto name = object.quoted();
            if (!name || !object.takes(':')) return std::nullopt;
            const auto value = object.value();
            if (!value) return std::nullopt;
            put(*name, *value);
            if (object.takes(',')) continue;
            if (!object.takes('}')) return std::nullopt;
            break;
        }
        const StepLine& line = made_.line;
        const bool says =
            line[LogQuantity::Loss] || line[LogQuantity::ValidationLoss] || line[LogQuantity::StepSeconds];
        if (!says && !made_.runtime) return std::nullopt;
        text = object.rest();
        return std::move(made_);
    }

private:
    void put(std::string_view name, std::string_view value) {
        const auto number = numberOf(value);
        if (!number) return;
        constexpr double second = 1e9, most = 4e9;
        if (std::ranges::find(stepNames, name) != std::end(stepNames)) {
            const bool whole =
                *number >= 0 && *number <= std::numeric_limits<std::int32_t>::max() && *number == std::floor(*number);
            if (!whole || made_.numbered) return;
            made_.line.step = static_cast<std::int32_t>(*number);
            made_.numbered = true;
        } else if (name == "train_runtime") {
            if (*number > 0 && std::isfinite(*number)) made_.runtime = *number;
        } else if (name == "train_steps_per_second") {
            made_.rate = *number;
        } else if (name == "_timestamp" || name == "timestamp") {
            if (*number >= 0 && *number < most) made_.line.clock = std::llround(*number * second);
        } else {
            putNumber(made_.line, name, *number);
        }
    }

    StepObject made_;
};

/// The steps of the training that `end` sums up: fewer than its last one's number where it went on from a checkpoint.
double stepsOf(const StepObject& end) {
    const double all = end.line.step, told = std::round(*end.runtime * end.rate.value_or(0));
    const double rounded = *end.runtime * 0.0005 + 0.5;
    return told >= 1 && told < all - rounded ? told : all;
}

/// The steps of that training have its mean. False: none of the lines is of one.
bool addMean(const StepObject& end, std::vector<StepLine>& lines) {
    const double steps = stepsOf(end);
    bool any = false;
    for (StepLine& line : lines) {
        if (!line[LogQuantity::Loss] || line.step > end.line.step || line.step <= end.line.step - steps) continue;
        line[LogQuantity::StepSeconds] = *end.runtime / steps;
        any = true;
    }
    return any;
}

Error damaged(const std::filesystem::path& file, Sentence why) {
    return {say("cannot import the log"), file.string(), std::move(why),
            say("A trainer_state.json of a training that came to its end: its last entry has train_runtime")};
}

}  // namespace

std::optional<StepObject> takeStepObject(std::string_view& text) { return ObjectReader().take(text); }

std::optional<StepObject> readStepObject(std::string_view line) {
    const std::string plain = plainText(line);
    std::string_view text = trimmed(plain);
    if (!text.starts_with('{')) return std::nullopt;
    auto object = takeStepObject(text);
    if (!trimmed(text).empty()) return std::nullopt;
    return object;
}

std::optional<ProgressBar> readProgressBar(std::string_view line) {
    const std::size_t open = line.find(" [");
    const std::size_t before = line.substr(0, open).find_last_of(" |");
    if (open == std::string_view::npos || before == std::string_view::npos) return std::nullopt;
    const std::string_view count = line.substr(before + 1, open - before - 1);
    const std::size_t slash = count.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto step = parseNumber<std::int32_t>(count.substr(0, slash)),
               steps = parseNumber<std::int32_t>(count.substr(slash + 1));
    std::string_view clock = line.substr(open + 2);
    clock = clock.substr(0, clock.find('<'));
    std::int64_t seconds = 0;
    int parts = 0;
    for (; !clock.empty() && parts < 3; ++parts) {  // hours, minutes and seconds
        const auto part = parseNumber<std::int32_t>(takePart(clock, ':'));
        if (!part || *part < 0) return std::nullopt;
        seconds = seconds * 60 + *part;
    }
    if (!step || !steps || *step < 0 || *step > *steps || parts < 2) return std::nullopt;
    return ProgressBar{*step, *steps, seconds};
}

bool isTrainerState(const std::filesystem::path& file) {
    constexpr std::int64_t looked = std::int64_t{64} << 10;
    const Result<std::string> head = readBeginning(file, looked);
    return head && trimmed(*head).starts_with('{') && head->find(history) != std::string::npos;
}

Result<std::vector<StepLine>> readTrainerState(const std::filesystem::path& file) {
    constexpr std::int64_t most = std::int64_t{256} << 20;
    const Result<std::string> whole = readBeginning(file, most);
    if (!whole) return fail(whole.error());
    ObjectText list(std::string_view(*whole).substr(whole->find(history) + history.size()));
    if (!list.takes(':') || !list.takes('[')) return fail(damaged(file, say("log_history is no list")));
    std::vector<StepLine> lines;
    bool timed = false;
    while (!list.takes(']')) {
        std::string_view text = trimmed(list.rest());
        const std::string_view entry = text;
        if (const auto object = takeStepObject(text); object && object->numbered) {
            if (!object->runtime) lines.push_back(object->line);
            else if (object->line.step > 0) timed = addMean(*object, lines) || timed;
        } else if (ObjectText other(text); !other.value()) {
            return fail(damaged(file, say("entry {} of log_history does not end", lines.size() + 1)));
        } else {
            text = other.rest();
        }
        list = ObjectText(text);
        if (text.size() == entry.size() || (!list.takes(',') && !trimmed(list.rest()).starts_with(']')))
            return fail(damaged(file, say("log_history does not end")));
    }
    if (lines.empty()) return fail(damaged(file, say("log_history tells no step with its loss")));
    if (!timed) return fail(damaged(file, say("its lines do not tell how long a step took")));
    return lines;
}

}  // namespace shardlab::trace
