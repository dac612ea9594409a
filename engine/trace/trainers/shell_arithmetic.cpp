// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/shell_arithmetic.h"

#include "engine/base/parse_text.h"

#include <cctype>
#include <limits>

namespace shardlab::trace {
namespace {

constexpr int deepestParentheses = 64;

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Arithmetic {
public:
    Arithmetic(std::string_view text, const ShellVariables& values) : rest_(text), values_(values) {}

    std::optional<std::int64_t> all() {
        const auto value = sum();
        skipBlanks();
        return rest_.empty() ? value : std::nullopt;
    }

private:
    using Number = std::optional<std::int64_t>;

    void skipBlanks() { rest_ = trimmed(rest_, " \t\r\n"); }
    /// Takes the next character where it is one of these; 0: it is none.
    char taken(std::string_view among) {
        skipBlanks();
        if (rest_.empty() || among.find(rest_.front()) == std::string_view::npos) return 0;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    Number sum() {
        Number value = product();
        while (value)
            if (const char operation = taken("+-"); operation != 0) value = applied(*value, operation, product());
            else break;
        return value;
    }
    Number product() {
        Number value = operand();
        while (value)
            if (const char operation = taken("*/%"); operation != 0) value = applied(*value, operation, operand());
            else break;
        return value;
    }
    Number operand() {
        if (depth_ >= deepestParentheses) return std::nullopt;
        if (const char sign = taken("+-"); sign != 0) {
            ++depth_;
            const Number value = operand();
            --depth_;
            return value && sign == '-' ? applied(0, '-', value) : value;
        }
        if (taken("(") != 0) {
            ++depth_;
            const Number value = sum();
            --depth_;
            return taken(")") != 0 ? value : std::nullopt;
        }
        std::size_t length = 0;
        while (length < rest_.size() && isOfName(rest_[length])) ++length;
        const std::string_view term = rest_.substr(0, length);
        rest_.remove_prefix(length);
        const auto known = values_.find(term);
        return parseNumber<std::int64_t>(known == values_.end() ? term : std::string_view(known->second));
    }

    static Number applied(std::int64_t left, char operation, Number right) {
        if (!right) return std::nullopt;
        std::int64_t value = 0;
        if (operation == '+') return __builtin_add_overflow(left, *right, &value) ? Number() : value;
        if (operation == '-') return __builtin_sub_overflow(left, *right, &value) ? Number() : value;
        if (operation == '*') return __builtin_mul_overflow(left, *right, &value) ? Number() : value;
        if (*right == 0 || (*right == -1 && left == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
        return operation == '/' ? left / *right : left % *right;
    }

    std::string_view rest_;
    const ShellVariables& values_;
    int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> shellArithmetic(std::string_view text, const ShellVariables& values) {
    return Arithmetic(text, values).all();
}

}  // namespace shardlab::trace
