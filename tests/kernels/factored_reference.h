// SPDX-License-Identifier: Apache-2.0
// Adafactor and SM3 of one parameter in double precision, as their papers write them down. A vector has no rows.
#pragma once

#include "tests/kernels/reference.h"

#include <algorithm>
#include <cmath>

namespace reference {

struct Adafactor {
    Adafactor(int ofRows, int ofColumns, bool isVector, Values start)
        : rows(ofRows), columns(ofColumns), vector(isVector), w(std::move(start)), r(std::size_t(ofRows)),
          c(std::size_t(ofColumns)) {}

    void update(const Values& g, double beta2, double rate, double decay, double threshold) {
        const double epsilon = 1e-30;
        Values newR(r.size()), newC(c.size());
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                newR[std::size_t(i)] += at(g, i, j) * at(g, i, j) + epsilon;
                newC[std::size_t(j)] += at(g, i, j) * at(g, i, j) + epsilon;
            }
        double total = 0;
        for (std::size_t i = 0; i < r.size(); ++i) total += r[i] = beta2 * r[i] + (1 - beta2) * newR[i];
        for (std::size_t j = 0; j < c.size(); ++j) c[j] = beta2 * c[j] + (1 - beta2) * newC[j];
        Values u(g.size());
        double squares = 0;
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
                const double v = vector ? c[std::size_t(j)] : r[std::size_t(i)] * c[std::size_t(j)] / total;
                const double step = at(g, i, j) / std::sqrt(v);
                u[std::size_t(i) * std::size_t(columns) + std::size_t(j)] = step;
                squares += step * step;
            }
        clipped = std::max(1.0, std::sqrt(squares / double(u.size())) / threshold);
        for (std::size_t k = 0; k < u.size(); ++k) w[k] -= rate * (decay * w[k] + u[k] / clipped);
    }

    double at(const Values& g, int i, int j) const { return g[std::size_t(i) * std::size_t(columns) + std::size_t(j)]; }

    int rows, columns;
    bool vector;
    Values w, r, c;
    double clipped = 1;  ///< what the last update was divided by
};

struct Sm3 {
    Sm3(int ofRows, int ofColumns, bool isVector, Values start)
        : rows(ofRows), columns(ofColumns), vector(isVector), w(std::move(start)), r(std::size_t(ofRows)),
          c(std::size_t(ofColumns)), m(w.size()) {}

    void update(const Values& g, double rate, double decay, double momentum) {
        Values newR(r.size()), newC(c.size());
        for (std::size_t k = 0; k < g.size(); ++k) {
            const std::size_t i = k / std::size_t(columns), j = k % std::size_t(columns);
            const double v = (vector ? c[j] : std::min(r[i], c[j])) + g[k] * g[k];
            newR[i] = std::max(newR[i], v);
            newC[j] = std::max(newC[j], v);
            m[k] = momentum * m[k] + (1 - momentum) * (v == 0 ? 0 : g[k] / std::sqrt(v));
            w[k] -= rate * (decay * w[k] + m[k]);
        }
        r = newR;
        c = newC;
    }

    int rows, columns;
    bool vector;
    Values w, r, c, m;
};

}  // namespace reference
