// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/tensor_bytes.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardlab::trace {
namespace {

/// As the arguments of NCCL's kernels name them, and as those of operators do.
constexpr std::pair<std::string_view, std::int64_t> elementTypes[] = {
    {"Double", 8},
    {"Long", 8},
    {"double", 8},
    {"long int", 8},
    {"Float", 4},
    {"Int", 4},
    {"float", 4},
    {"int", 4},
    {"Half", 2},
    {"BFloat16", 2},
    {"Short", 2},
    {"c10::Half", 2},
    {"c10::BFloat16", 2},
    {"short int", 2},
    {"Byte", 1},
    {"Char", 1},
    {"Bool", 1},
    {"unsigned char", 1},
    {"signed char", 1},
    {"bool", 1},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2", 1},
    {"c10::Float8_e4m3fn", 1},
    {"c10::Float8_e5m2", 1},
};

/// Takes the first entry off a list without brackets.
std::string_view firstOf(std::string_view& entries) {
    const std::size_t comma = entries.find(',');
    const std::string_view first = entries.substr(0, comma);
    entries.remove_prefix(comma == std::string_view::npos ? entries.size() : comma + 1);
    return first;
}

/// Elements of a tensor of the shape "2,32"; a shape without entries is one number. -1: no shape, or too many.
std::int64_t elementsOf(std::string_view shape) {
    std::int64_t elements = 1;
    while (!shape.empty()) {
        const auto extent = parseNumber<std::int64_t>(firstOf(shape));
        if (!extent || *extent < 0 || __builtin_mul_overflow(elements, *extent, &elements)) return -1;
    }
    return elements;
}

bool isList(std::string_view text) { return text.size() >= 2 && text.front() == '[' && text.back() == ']'; }

}  // namespace

std::int64_t elementBytes(std::string_view type) {
    const auto known = std::ranges::find(elementTypes, type, [](const auto& each) { return each.first; });
    return known == std::end(elementTypes) ? 0 : known->second;
}

std::int64_t tensorBytes(std::string_view shapes, std::string_view types) {
    if (!isList(shapes) || !isList(types)) return 0;
    types = types.substr(1, types.size() - 2);
    std::int64_t sum = 0;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (shapes[i] == '[' && ++depth == 2) begin = i + 1;
        if (shapes[i] != ']' || --depth != 1) continue;
        const std::int64_t element = elementBytes(firstOf(types));
        const std::int64_t elements = elementsOf(shapes.substr(begin, i - begin));
        std::int64_t bytes = 0;
        if (element == 0 || elements < 0) continue;
        if (__builtin_mul_overflow(elements, element, &bytes) || __builtin_add_overflow(sum, bytes, &sum)) return 0;
    }
    return depth == 0 ? sum : 0;
}

}  // namespace shardlab::trace
