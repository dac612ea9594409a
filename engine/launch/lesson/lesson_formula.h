// SPDX-License-Identifier: Apache-2.0
// A formula of a lesson that is computed for a layout: "bubble = (p−1)/(m+p−1)".
#pragma once

#include "engine/base/result.h"
#include "engine/launch/lesson/experiment_run.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

/// A letter that formulas may use, the one that papers have for it.
struct FormulaSymbol {
    std::string_view letter;
    std::string_view meaning;
    double (*value)(const PlannedRun&) = nullptr;
};
std::span<const FormulaSymbol> formulaSymbols();

/// What stands in it: numbers, symbols, + − · / with a fraction's stroke, brackets, ², min( , ), max( , ),
/// ⌈ ⌉, ⌊ ⌋; what stands side by side is multiplied. Formulas are set as mathematics (ui/core/formula.h), where
/// a stroke divides what stands before it by what stands behind it, up to the next spaces; so a formula that would
/// be computed in another way than it is read is refused.
class LessonFormula {
public:
    /// Errors say what cannot be read.
    static Result<LessonFormula> of(std::string_view text);

    const std::string& text() const { return text_; }        ///< as written
    const std::string& subject() const { return subject_; }  ///< "bubble"
    double value(const PlannedRun& run) const;
    /// The right side with numbers in place of its symbols: "(4−1)/(4+4−1)".
    std::string withNumbers(const PlannedRun& run) const;

private:
    friend class FormulaReader;
    struct Token {
        enum class Kind : std::uint8_t { Number, Symbol, Sign, Least, Most, End };
        Kind kind = Kind::End;
        std::string text;  ///< as it is shown
        double number = 0;
        const FormulaSymbol* symbol = nullptr;
        bool spaced = false;  ///< a space stands before it
    };

    std::string text_, subject_;
    std::vector<Token> tokens_;
};

}  // namespace shardlab::launch
