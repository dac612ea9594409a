// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/lesson/lesson_formula.h"

#include "engine/base/parse_text.h"
#include "engine/layout/suggest.h"
#include "engine/predict/plan/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace shardlab::launch {
namespace {

constexpr std::size_t longestFormula = 200;

const Layout& of(const PlannedRun& run) { return run.plan.layout; }

constexpr std::array symbolTable{
    FormulaSymbol{"p", "pipeline ranks", [](const PlannedRun& r) -> double { return of(r).parallel.pipeline; }},
    FormulaSymbol{"v", "chunks of a pipeline rank",
                  [](const PlannedRun& r) -> double { return of(r).schedule.chunks; }},
    FormulaSymbol{"m", "microbatches of a step", [](const PlannedRun& r) -> double { return microbatches(of(r)); }},
    FormulaSymbol{"b", "samples of a microbatch", [](const PlannedRun& r) -> double { return of(r).batch.micro; }},
    FormulaSymbol{"B", "samples of a step", [](const PlannedRun& r) -> double { return of(r).batch.global; }},
    FormulaSymbol{"n", "replicas", [](const PlannedRun& r) -> double { return of(r).parallel.data; }},
    FormulaSymbol{"t", "tensor ranks", [](const PlannedRun& r) -> double { return of(r).parallel.tensor; }},
    FormulaSymbol{"c", "context ranks", [](const PlannedRun& r) -> double { return of(r).parallel.context; }},
    FormulaSymbol{"e", "expert ranks", [](const PlannedRun& r) -> double { return of(r).parallel.expert; }},
    FormulaSymbol{"L", "layers", [](const PlannedRun& r) -> double { return of(r).model.layers; }},
    FormulaSymbol{"h", "width", [](const PlannedRun& r) -> double { return of(r).model.hidden; }},
    FormulaSymbol{"a", "heads", [](const PlannedRun& r) -> double { return of(r).model.heads; }},
    FormulaSymbol{"s", "tokens of a sample", [](const PlannedRun& r) -> double { return of(r).model.sequence; }},
    FormulaSymbol{"V", "words of the vocabulary", [](const PlannedRun& r) -> double { return of(r).model.vocabulary; }},
    FormulaSymbol{"E", "experts", [](const PlannedRun& r) -> double { return of(r).model.experts.count; }},
    FormulaSymbol{"C", "capacity", [](const PlannedRun& r) -> double { return of(r).model.experts.capacity; }},
    FormulaSymbol{"Ψ", "parameters", [](const PlannedRun& r) { return static_cast<double>(r.plan.parameters); }},
};

/// Signs that may be written in several ways, as they are shown.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> signs{{{"+", "+"},
                                                                               {"−", "−"},
                                                                               {"-", "−"},
                                                                               {"·", "·"},
                                                                               {"×", "·"},
                                                                               {"/", "/"},
                                                                               {"(", "("},
                                                                               {")", ")"},
                                                                               {",", ","},
                                                                               {"²", "²"},
                                                                               {"⌈", "⌈"},
                                                                               {"⌉", "⌉"},
                                                                               {"⌊", "⌊"}}};
constexpr std::string_view floorEnd = "⌋";

/// Whole numbers below a hundred thousand as they are, others with three digits: "1.19·10⁶".
std::string digitsOf(double number) {
    constexpr double plain = 1e5;
    if (!std::isfinite(number)) return "?";
    if (number == std::floor(number) && std::abs(number) < plain) return fmt::format("{:.0f}", number);
    if (std::abs(number) < plain) return fmt::format("{:.3g}", number);
    constexpr std::array raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const int power = static_cast<int>(std::floor(std::log10(std::abs(number))));
    std::string text = fmt::format("{:.3g}·10", number / std::pow(10, power));
    for (const char digit : std::to_string(power)) text += raised[static_cast<std::size_t>(digit - '0')];
    return text;
}

}  // namespace

std::span<const FormulaSymbol> formulaSymbols() { return symbolTable; }

/// Goes through the tokens and computes; without a run it only says whether they are a formula.
class FormulaReader {
public:
    using Token = LessonFormula::Token;
    using Kind = Token::Kind;

    FormulaReader(const std::vector<Token>& tokens, const PlannedRun* run) : tokens_(tokens), run_(run) {}

    double compute() {
        const double value = sum();
        if (now().kind != Kind::End) refuse(say("this does not belong to the formula: {}", now().text));
        return value;
    }
    const std::optional<Sentence>& trouble() const { return trouble_; }

    static std::vector<Token> tokensOf(std::string_view text, std::optional<Sentence>& trouble);

private:
    const Token& now() const { return tokens_[at_]; }
    bool is(std::string_view sign) const { return now().kind == Kind::Sign && now().text == sign; }
    bool take(std::string_view sign) {
        if (!is(sign)) return false;
        ++at_;
        return true;
    }
    void refuse(Sentence why) {
        if (!trouble_) trouble_ = std::move(why);
        at_ = tokens_.size() - 1;
    }
    void expect(std::string_view sign) {
        if (!take(sign)) refuse(say("{} is missing", sign));
    }
    void refuseReading() {
        refuse(say("a fraction ends at a space: what stands beside it has spaces around it, or brackets"));
    }

    double sum() {
        double value = term(false);
        while (is("+") || is("−")) {
            const bool minus = is("−"), tight = !now().spaced;
            if (tight && fraction_) refuseReading();
            ++at_;
            const double next = term(tight);
            value += minus ? -next : next;
        }
        return value;
    }

    bool beginsFactor() const {
        return now().kind == Kind::Number || now().kind == Kind::Symbol || now().kind == Kind::Least ||
               now().kind == Kind::Most || is("(") || is("⌈") || is("⌊");
    }

    /// `tight`: a sign without a space before it stands before the term.
    double term(bool tight) {
        double value = factor();
        bool open = false;  // behind a stroke, until a space
        while (true) {
            if (open && now().spaced) open = false;
            if (is("·") || is("/") || beginsFactor()) {
                if (open) {
                    refuseReading();
                    return value;
                }
            } else {
                break;
            }
            const bool divides = is("/");
            if (divides && tight) refuseReading();
            if (is("·") || divides) ++at_;
            const double next = factor();
            value = divides ? value / next : value * next;
            open = divides;
        }
        fraction_ = open;
        return value;
    }

    double factor() {
        double value = atom();
        while (take("²")) value *= value;
        return value;
    }

    double two(bool least) {
        ++at_;
        expect("(");
        const double one = sum();
        expect(",");
        const double other = sum();
        expect(")");
        return least ? std::min(one, other) : std::max(one, other);
    }

    double atom() {
        const Token& token = now();
        switch (token.kind) {
        case Kind::Number: ++at_; return token.number;
        case Kind::Symbol: ++at_; return run_ ? token.symbol->value(*run_) : 1;
        case Kind::Least:
        case Kind::Most: return two(token.kind == Kind::Least);
        case Kind::Sign:
        case Kind::End: break;
        }
        for (const auto& [opens, closes] :
             {std::pair<std::string_view, std::string_view>{"(", ")"}, {"⌈", "⌉"}, {"⌊", floorEnd}}) {
            if (!take(opens)) continue;
            const double value = sum();
            expect(closes);
            fraction_ = false;
            return opens == "(" ? value : opens == "⌈" ? std::ceil(value) : std::floor(value);
        }
        refuse(token.kind == Kind::End ? say("the formula ends too soon")
                                       : say("a number is missing before {}", token.text));
        return 0;
    }

    const std::vector<Token>& tokens_;
    const PlannedRun* run_;
    std::size_t at_ = 0;
    bool fraction_ = false;  ///< the term before ends with a fraction that no space has ended
    std::optional<Sentence> trouble_;
};

std::vector<FormulaReader::Token> FormulaReader::tokensOf(std::string_view text, std::optional<Sentence>& trouble) {
    std::vector<Token> tokens;
    bool spaced = false;
    const auto add = [&](Token token, std::size_t length) {
        token.spaced = spaced;
        spaced = false;
        tokens.push_back(std::move(token));
        text.remove_prefix(length);
    };
    while (!text.empty() && !trouble) {
        if (text.front() == ' ') {
            spaced = true;
            text.remove_prefix(1);
            continue;
        }
        double number = 0;
        const auto [end, error] =
            text.front() >= '0' && text.front() <= '9'
                ? std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed)
                : std::from_chars_result{text.data(), std::errc::invalid_argument};
        if (error == std::errc() && std::isfinite(number)) {
            const auto length = static_cast<std::size_t>(end - text.data());
            add({Kind::Number, std::string(text.substr(0, length)), number, nullptr, false}, length);
        } else if (text.starts_with("min(") || text.starts_with("max(")) {
            const bool least = text.starts_with("min");
            add({least ? Kind::Least : Kind::Most, least ? "min" : "max", 0, nullptr, false}, 3);
        } else if (const auto sign =
                       std::ranges::find_if(signs, [&](const auto& each) { return text.starts_with(each.first); });
                   sign != signs.end()) {
            add({Kind::Sign, std::string(sign->second), 0, nullptr, false}, sign->first.size());
        } else if (text.starts_with(floorEnd)) {
            add({Kind::Sign, std::string(floorEnd), 0, nullptr, false}, floorEnd.size());
        } else if (const auto symbol = std::ranges::find_if(
                       symbolTable, [&](const FormulaSymbol& each) { return text.starts_with(each.letter); });
                   symbol != symbolTable.end()) {
            add({Kind::Symbol, std::string(symbol->letter), 0, &*symbol, false}, symbol->letter.size());
        } else {
            std::vector<std::string> letters;
            for (const FormulaSymbol& each : symbolTable)
                letters.push_back(std::string(each.letter) + " " + std::string(each.meaning));
            trouble =
                say("nothing is known by {}; known are {}", std::string(text.substr(0, 12)), alternatives(letters));
        }
    }
    tokens.push_back({});
    return tokens;
}

Result<LessonFormula> LessonFormula::of(std::string_view text) {
    const auto refused = [&](const Sentence& why) {
        return fail({say("this is no formula"), {}, std::string(text.substr(0, 80)), why});
    };
    LessonFormula formula;
    formula.text_ = trimmed(text);
    const std::string_view whole = formula.text_;
    const std::size_t equals = whole.find(" = ");
    if (equals == std::string_view::npos || equals == 0 || whole.size() > longestFormula)
        return refused(say("{}, in {} bytes at most", "bubble = (p−1)/(m+p−1)", longestFormula));
    formula.subject_ = trimmed(whole.substr(0, equals));
    std::optional<Sentence> trouble;
    formula.tokens_ = FormulaReader::tokensOf(trimmed(whole.substr(equals + 3)), trouble);
    if (trouble) return refused(*trouble);
    FormulaReader reader(formula.tokens_, nullptr);
    reader.compute();
    if (reader.trouble()) return refused(*reader.trouble());
    return formula;
}

double LessonFormula::value(const PlannedRun& run) const { return FormulaReader(tokens_, &run).compute(); }

std::string LessonFormula::withNumbers(const PlannedRun& run) const {
    std::string shown;
    bool number = false;  // two of them side by side are multiplied
    for (const Token& token : tokens_) {
        const bool next = token.kind == Token::Kind::Number || token.kind == Token::Kind::Symbol;
        if (token.spaced) shown += ' ';
        if (next && number && !token.spaced) shown += "·";
        shown += token.symbol ? digitsOf(token.symbol->value(run)) : token.text;
        number = next;
    }
    return shown;
}

}  // namespace shardlab::launch
