// SPDX-License-Identifier: Apache-2.0
// Waiting that neither a busy machine nor a disk that stands still can spoil; compiled into every test
// (shardlab_precompiled). A test waits for a condition, and `patience` is when it gives up, whatever time a call says.
// What QTRY_… found true is not evaluated again, as it may be otherwise by then. QTest::qWait lasts as many turns of
// the event loop as it does on an idle machine.
#pragma once

#include <QElapsedTimer>
#include <QTest>

namespace shardlab::test {

/// Milliseconds. Longer than the watchdog of a run takes to say what hangs (launch/job/watchdog.h: five minutes), and
/// less than half of what a test may take in all.
inline constexpr int patience = 400'000;

}  // namespace shardlab::test

namespace QTest {

template <class Condition>
bool qWaitPatientlyFor(Condition condition) {
    return qWaitFor(std::move(condition), shardlab::test::patience);
}

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
#define qWaitFor qWaitPatientlyFor

#define SHARDLAB_TRY(condition) QTest::qWaitPatientlyFor([&] { return static_cast<bool>(condition); })

#undef QTRY_VERIFY_WITH_TIMEOUT
#define QTRY_VERIFY_WITH_TIMEOUT(expr, timeout)                                                                        \
    do {                                                                                                               \
        if (!SHARDLAB_TRY(expr)) QVERIFY(expr);                                                                        \
    } while (false)

#undef QTRY_VERIFY2_WITH_TIMEOUT
#define QTRY_VERIFY2_WITH_TIMEOUT(expr, message, timeout)                                                              \
    do {                                                                                                               \
        if (!SHARDLAB_TRY(expr)) QVERIFY2(expr, message);                                                              \
    } while (false)

#undef QTRY_COMPARE_WITH_TIMEOUT
#define QTRY_COMPARE_WITH_TIMEOUT(expr, expected, timeout)                                                             \
    do {                                                                                                               \
        if (!SHARDLAB_TRY((expr) == (expected))) QCOMPARE((expr), (expected));                                         \
    } while (false)
