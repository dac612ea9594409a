// SPDX-License-Identifier: Apache-2.0
// What the fields of an event hold, by kind: what was put in comes out, and damaged numbers are answered.
#include "engine/trace/event/event_payload.h"
#include "engine/trace/event/fp8_place.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace shardlab::test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

class EventPayloadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyCommandComesBack() {
        for (int command = 0; command <= static_cast<int>(Command::InjectFault); ++command)
            QCOMPARE(commandOf({.value = static_cast<double>(command), .kind = EventKind::Command}),
                     std::optional(static_cast<Command>(command)));
        for (const double value : {-1.0, 256.0, infinite, noNumber})
            QVERIFY(!commandOf({.value = value, .kind = EventKind::Command}));
    }

    void faultsComeBack() {
        for (const auto kind : {InjectedFaultKind::Kill, InjectedFaultKind::Hang, InjectedFaultKind::Slow})
            QCOMPARE(faultOf({.bytes = static_cast<std::int64_t>(kind)}), std::optional(kind));
        QVERIFY(!faultOf({.bytes = -1}));
        QVERIFY(!faultOf({.bytes = 3}));
    }

    void wholeNumbersHaveEnds() {
        QCOMPARE(layerOf({.value = -2, .kind = EventKind::Overflow}), -2);
        QCOMPARE(pieceOf({.value = 7, .kind = EventKind::ReduceBuckets}), 7);
        QCOMPARE(workerOf({.value = 1e300}), std::numeric_limits<int>::max());
        QCOMPARE(workerOf({.value = -infinite}), std::numeric_limits<int>::min());
        QCOMPARE(workerOf({.value = noNumber}), 0);
        QCOMPARE(wholeOf(2147483646.0), 2147483646);
    }

    void expertsComeBack() {
        const ExpertOfLayer expert{3, 65535};
        QVERIFY(expertOf(Event{.bytes = expertNumber(expert), .kind = EventKind::ExpertLoad}) == expert);
    }

    void factorsComeBack() {
        for (std::size_t part = 0; part < linearPartNames.size(); ++part)
            for (int factor = 0; factor < 3; ++factor) {
                const Fp8Place place{65535, static_cast<LinearPart>(part), factor};
                QVERIFY(fp8PlaceOf(fp8Number(place)) == place);
            }
        QCOMPARE(textOf({3, LinearPart::Expansion, 1}), std::string("layer 3, expansion, weight"));
        for (const std::int64_t damaged : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
            QVERIFY(!textOf(fp8PlaceOf(damaged)).empty());
        using Part = LinearPart;
        const std::pair<const char*, Part> names[] = {{"h.0.attn.qkv", Part::QueriesKeysValues},
                                                      {"h.0.attn.c_attn", Part::QueriesKeysValues},
                                                      {"h.0.attn.c_proj", Part::AttentionOutput},
                                                      {"h.0.attn.down", Part::Down},
                                                      {"h.0.attn.q", Part::Queries},
                                                      {"h.0.attn.kv", Part::KeysValues},
                                                      {"h.0.mlp.gate_up", Part::Expansion},
                                                      {"h.0.mlp.c_proj", Part::Projection},
                                                      {"h.0.moe.shared.c_fc", Part::SharedExpansion},
                                                      {"h.0.moe.shared.c_proj", Part::SharedProjection},
                                                      {"h.0.moe.experts.3.gate_up", Part::ExpertExpansion},
                                                      {"h.0.moe.experts.3.c_proj", Part::ExpertProjection}};
        for (const auto& [name, part] : names) QVERIFY2(linearPartOf(name) == part, name);
    }

    void categoriesOnTheHostComeBack() {
        for (int category = 0; category < memoryCategoryCount; ++category)
            QCOMPARE(hostCategory({.value = static_cast<double>(category)}),
                     std::optional(static_cast<MemoryCategory>(category)));
        for (const double value : {-0.5, static_cast<double>(memoryCategoryCount), infinite, noNumber})
            QVERIFY(!hostCategory({.value = value}));
    }

    void restartsAndLossesComeBack() {
        QCOMPARE(restartNumber({.value = 2}), 2);
        QCOMPARE(ranksAfter({.bytes = 6}), std::optional<std::int64_t>(6));
        QVERIFY(!ranksAfter({.bytes = 0}));
        QCOMPARE(eventsLost({.value = 17}), std::int64_t{17});
        for (const double value : {-17.0, infinite, noNumber}) QCOMPARE(eventsLost({.value = value}), std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(EventPayloadTest)
#include "event_payload_test.moc"
