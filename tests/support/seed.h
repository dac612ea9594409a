// SPDX-License-Identifier: Apache-2.0
// Fresh random inputs, other ones each time a test program is started. It prints the number that all of them come from:
// the same program, or one function of it, started with SHARDLAB_TEST_SEED set to that number draws the same again.
#pragma once

#include "tests/support/wings.h"

#include <QByteArray>
#include <QTest>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>

namespace shardlab::test {

inline std::uint32_t seedOfProgram() {
    static const std::uint32_t seed = [] {
        const QByteArray given = qgetenv("SHARDLAB_TEST_SEED");
        const std::uint32_t drawn =
            given.isEmpty() ? std::random_device{}() : static_cast<std::uint32_t>(given.toULongLong());
        qInfo("SHARDLAB_TEST_SEED=%u", drawn);
        return drawn;
    }();
    return seed;
}

/// The next number of the row that is being tested, whatever was tested before it.
inline std::uint32_t freshSeed() {
    static std::mutex mutex;
    static std::map<std::string, std::uint32_t> drawn;
    const auto text = [](const char* name) { return std::string(name == nullptr ? "" : name); };
    const std::string row = text(QTest::currentTestFunction()) + ':' + text(QTest::currentDataTag());
    const std::uint64_t ofRow = std::hash<std::string>{}(row);
    const std::scoped_lock lock(mutex);
    std::seed_seq sequence{seedOfProgram(), static_cast<std::uint32_t>(ofRow), static_cast<std::uint32_t>(ofRow >> 32),
                           drawn[row]++};
    std::uint32_t seed = 0;
    sequence.generate(&seed, &seed + 1);
    return seed;
}

}  // namespace shardlab::test
