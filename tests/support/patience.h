// SPDX-License-Identifier: Apache-2.0
// Waiting that a busy machine cannot spoil; compiled into every test (shardlab_precompiled). QTRY_… waits a minute at
// least, and what it found true is not evaluated again, as it may be otherwise by then. QTest::qWait lasts as many
// turns of the event loop as it does on an idle machine.
#pragma once

#include <QElapsedTimer>
#include <QTest>

#include <chrono>

namespace QTest {

inline constexpr int shardlabPatience = 60'000;  // ms

inline int patienceFor(std::chrono::milliseconds timeout) { return qMax(int(timeout.count()), shardlabPatience); }
inline int patienceFor(int milliseconds) { return patienceFor(std::chrono::milliseconds(milliseconds)); }

inline void qWaitPatiently(int milliseconds) {
    constexpr int turn = 10;
    QElapsedTimer since;
    since.start();
    for (int turns = 0; turns * turn < milliseconds || since.elapsed() < milliseconds; ++turns)
        qWait(qMin(turn, milliseconds));
    qWait(0);
}

}  // namespace QTest

#define qWait qWaitPatiently

// A timeout that is not said is 5000 in Qt 6.4 and 5s in Qt 6.8.
#define SHARDLAB_TRY(condition, timeout)                                                                               \
    [&] {                                                                                                              \
        using namespace std::chrono_literals;                                                                          \
        return QTest::qWaitFor([&] { return static_cast<bool>(condition); }, QTest::patienceFor(timeout));             \
    }()

#undef QTRY_VERIFY_WITH_TIMEOUT
#define QTRY_VERIFY_WITH_TIMEOUT(expr, timeout)                                                                        \
    do {                                                                                                               \
        if (!SHARDLAB_TRY(expr, timeout)) QVERIFY(expr);                                                               \
    } while (false)

#undef QTRY_VERIFY2_WITH_TIMEOUT
#define QTRY_VERIFY2_WITH_TIMEOUT(expr, message, timeout)                                                              \
    do {                                                                                                               \
        if (!SHARDLAB_TRY(expr, timeout)) QVERIFY2(expr, message);                                                     \
    } while (false)

#undef QTRY_COMPARE_WITH_TIMEOUT
#define QTRY_COMPARE_WITH_TIMEOUT(expr, expected, timeout)                                                             \
    do {                                                                                                               \
        if (!SHARDLAB_TRY((expr) == (expected), timeout)) QCOMPARE((expr), (expected));                                \
    } while (false)
