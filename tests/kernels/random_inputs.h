// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests; print seed() with every failure.
#pragma once

#include "tests/support/seed.h"

#include <QString>

#include <cstdint>
#include <random>
#include <vector>

class RandomInputs {
public:
    RandomInputs() : seed_(shardlab::test::freshSeed()), generator_(seed_) {}

    QString seed() const { return QStringLiteral("seed %1").arg(seed_); }
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
    bool coin() { return whole(0, 1) == 1; }
    std::vector<float> floats(std::size_t count, float spread = 1) {
        std::normal_distribution<float> normal(0, spread);
        std::vector<float> values(count);
        for (float& value : values) value = normal(generator_);
        return values;
    }
    std::vector<std::int32_t> tokens(std::size_t count, int vocabulary) {
        std::vector<std::int32_t> values(count);
        for (std::int32_t& value : values) value = whole(0, vocabulary - 1);
        return values;
    }

private:
    std::uint32_t seed_;
    std::mt19937 generator_;
};
