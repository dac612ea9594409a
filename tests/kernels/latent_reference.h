// SPDX-License-Identifier: Apache-2.0
// The heads of multi-head latent attention again, in double precision and as plainly as their formulas.
#pragma once

#include "kernels/latent_heads.h"
#include "tests/kernels/llama_reference.h"

namespace reference {

enum class LatentPart { Queries, Expanded, SharedKey };

/// As kernels/latent_heads.h says: function(to, part, from, factor) for what each element of apart is a sum of.
template <class Function>
void eachOfLatent(const shardlab::kernels::LatentShape& shape, Function function) {
    using enum LatentPart;
    const int width = shape.plain + shape.turned, half = shape.turned / 2;
    const bool yarn = shape.angles.scaling == shardlab::kernels::RotaryAngles::Scaling::Yarn && shape.angles.factor > 1;
    const double larger = yarn ? std::pow(1 + std::log(shape.angles.factor) / 10, 2) : 1;
    for (int token = 0; token < shape.samples * shape.sequence; ++token) {
        const int t = token % shape.sequence;
        const int position = t < shape.split ? shape.first + t : shape.second + t - shape.split;
        const auto turn = [&](std::size_t to, LatentPart part, std::size_t begin, int i, double factor) {
            const double angle = position * rotaryAngle(shape.angles, i % half, shape.turned);
            function(to, part, begin + std::size_t(i), factor * std::cos(angle));
            if (i < half) function(to, part, begin + std::size_t(i + half), -factor * std::sin(angle));
            else function(to, part, begin + std::size_t(i - half), factor * std::sin(angle));
        };
        for (int head = 0; head < shape.heads; ++head) {
            const std::size_t of = std::size_t(token) * shape.heads + head;
            const std::size_t query = of * width, expanded = of * (shape.plain + shape.values);
            const std::size_t toQuery = (std::size_t(token) * 3 * shape.heads + head) * width,
                              toKey = toQuery + std::size_t(shape.heads) * width,
                              toValue = toKey + std::size_t(shape.heads) * width;
            for (int i = 0; i < shape.plain; ++i) {
                function(toQuery + i, Queries, query + i, larger);
                function(toKey + i, Expanded, expanded + i, 1);
            }
            for (int i = 0; i < shape.turned; ++i) {
                turn(toQuery + shape.plain + i, Queries, query + shape.plain, i, larger);
                turn(toKey + shape.plain + i, SharedKey, std::size_t(token) * shape.turned, i, 1);
            }
            for (int i = 0; i < shape.values; ++i) function(toValue + i, Expanded, expanded + shape.plain + i, 1);
        }
    }
}

/// The three operands of latentHeads(), or their gradients.
struct LatentParts {
    Values queries, expanded, sharedKey;
    Values& operator[](LatentPart part) {
        return part == LatentPart::Queries ? queries : part == LatentPart::Expanded ? expanded : sharedKey;
    }
};

inline Values latentHeads(const shardlab::kernels::LatentShape& shape, LatentParts parts) {
    Values apart(std::size_t(shape.samples) * shape.sequence * 3 * shape.heads * (shape.plain + shape.turned), 0);
    eachOfLatent(shape, [&](std::size_t to, LatentPart part, std::size_t from, double factor) {
        apart[to] += factor * parts[part][from];
    });
    return apart;
}

inline LatentParts latentHeadsGradient(const shardlab::kernels::LatentShape& shape, const Values& gradient) {
    const std::size_t tokens = std::size_t(shape.samples) * shape.sequence;
    LatentParts parts{Values(tokens * shape.heads * (shape.plain + shape.turned), 0),
                      Values(tokens * shape.heads * (shape.plain + shape.values), 0), Values(tokens * shape.turned, 0)};
    eachOfLatent(shape, [&](std::size_t to, LatentPart part, std::size_t from, double factor) {
        parts[part][from] += factor * gradient[to];
    });
    return parts;
}

}  // namespace reference
