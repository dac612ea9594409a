// SPDX-License-Identifier: Apache-2.0
// Every refusal of a layout comes out, says what, where, why and what would be legal, and is right: what it calls legal
// is legal, and the reason of its row (refusals/refusal.h) holds.
#include "engine/layout/check/check.h"
#include "engine/layout/fields.h"
#include "engine/layout/schedule/registry.h"
#include "tests/layout/refusals/all.h"
#include "tests/layout/refusals/field_limits.h"
#include "tests/layout/refusals/legal_values.h"
#include "tests/support/places.h"
#include "tests/support/said_patterns.h"
#include "tests/support/told_plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace shardlab::test;

namespace {

std::vector<Fault> checked(const Layout& layout) { return check(layout, scheduleMethods()); }
std::vector<Fault> faultsAt(const std::string& pointer, const Layout& layout) {
    std::vector<Fault> faults = checked(layout);
    std::erase_if(faults, [&](const Fault& fault) { return fault.pointer != pointer; });
    return faults;
}
Layout refusedBy(const Refusal& refusal) {
    Layout layout;
    refusal.change(layout);
    return layout;
}

/// The fault that the row is about.
Fault faultOf(const Refusal& refusal) {
    const std::vector<Fault> faults = faultsAt(refusal.pointer, refusedBy(refusal));
    const auto found = std::ranges::find_if(
        faults, [&](const Fault& fault) { return fault.legal.english().find(refusal.legal) != std::string::npos; });
    return found == faults.end() ? Fault{} : *found;
}

/// The legal layout that a refusal is compared with.
Layout plainOf(const Refusal& refusal) {
    Layout layout = refusedBy(refusal);
    if (!refusal.reason.without) return legalChoices(layout, faultOf(refusal)).front().layouts.front();
    refusal.reason.without(layout);
    return layout;
}

/// Adds the patterns that the sentence is made of.
void addPatterns(const Sentence& sentence, std::set<std::string>& patterns) {
    sentence.told([&](std::string_view pattern) { return *patterns.emplace(pattern).first; });
}

}  // namespace

class RefusalsTest : public QObject {
    Q_OBJECT

    static void addRows() {
        QTest::addColumn<Refusal>("refusal");
        for (const Refusal& each : allRefusals()) QTest::newRow(each.name) << each;
    }

private Q_SLOTS:
    void initTestCase() {
        addHostlessDevice();
        QVERIFY(checked({}).empty());
    }

    void oneThingIsRefused_data() { addRows(); }
    void oneThingIsRefused() {
        QFETCH(const Refusal, refusal);
        const std::vector<Fault> faults = checked(refusedBy(refusal));
        QVERIFY(!faults.empty());
        for (const Fault& fault : faults) {
            QVERIFY2(fault.pointer == refusal.pointer, toText(faults).c_str());
            QVERIFY2(!fault.what.empty() && !fault.why.empty() && !fault.legal.empty(), toText(fault).c_str());
        }
        QVERIFY2(!faultOf(refusal).pointer.empty(), toText(faults).c_str());
    }

    void whatIsCalledLegalIsLegal_data() { addRows(); }
    void whatIsCalledLegalIsLegal() {
        QFETCH(const Refusal, refusal);
        const Fault fault = faultOf(refusal);
        for (const LegalChoice& choice : legalChoices(refusedBy(refusal), fault)) {
            QVERIFY2(!choice.layouts.empty(), qPrintable(choice.text));
            for (const Layout& layout : choice.layouts) {
                const std::vector<Fault> left = faultsAt(refusal.pointer, layout);
                QVERIFY2(left.empty(), (choice.text.toStdString() + "\n" + toText(left)).c_str());
            }
        }
    }

    void reasonsHold_data() { addRows(); }
    void reasonsHold() {
        QFETCH(const Refusal, refusal);
        const Layout refused = refusedBy(refusal);
        const std::vector<LegalChoice> choices = legalChoices(refused, faultOf(refusal));
        switch (refusal.reason.kind) {
        case ReasonKind::Pointless:
        case ReasonKind::WithoutGain: {
            const Layout without = plainOf(refusal);
            QVERIFY2(checked(without).empty(), toText(checked(without)).c_str());
            const Plan plain = legalPlan(without, {}), plan = legalPlan(refused, {});
            if (refusal.reason.kind == ReasonKind::Pointless) {
                QCOMPARE(QString::fromStdString(told(plan)), QString::fromStdString(told(plain)));
                return;
            }
            QVERIFY(plan.stepSeconds > plain.stepSeconds * (1 - 1e-9));  // sums are rounded
            QVERIFY(plan.sentBytes >= plain.sentBytes);
            for (std::size_t rank = 0; rank < plan.memory.size(); ++rank)
                QVERIFY(plan.memory[rank].peak >= plain.memory[rank].peak);
            return;
        }
        case ReasonKind::Contradiction:
        case ReasonKind::Wrong:
        case ReasonKind::Absent:
            QVERIFY2(!refusal.reason.holds(refused), refusal.reason.says);
            for (const LegalChoice& choice : choices)
                for (const Layout& layout : choice.layouts)
                    QVERIFY2(refusal.reason.holds(layout), qPrintable(choice.text));
            return;
        case ReasonKind::NotBuilt: return;
        }
    }

    void limitsOfFieldsHold_data() {
        QTest::addColumn<OutOfLimits>("outside");
        for (const OutOfLimits& each : outOfLimits()) QTest::newRow(each.name.c_str()) << each;
    }
    void limitsOfFieldsHold() {
        QFETCH(const OutOfLimits, outside);
        Layout refused;
        outside.change(refused);
        const std::vector<Fault> faults = faultsAt(outside.pointer, refused);
        QVERIFY2(!faults.empty(), toText(checked(refused)).c_str());
        const Fault& fault = faults.front();
        QVERIFY2(!fault.what.empty() && !fault.why.empty(), toText(fault).c_str());
        for (const LegalChoice& choice : legalChoices(refused, fault)) {
            QCOMPARE(choice.layouts.size(), std::size_t{2});
            for (const Layout& layout : choice.layouts)
                for (const Fault& left : faultsAt(outside.pointer, layout))
                    QVERIFY2(left.legal != fault.legal, toText(left).c_str());
        }
    }

    /// A refusal without a row has a sentence that no row brings out.
    void everySentenceOfTheCheckIsSaid() {
        std::set<std::string> there, said;
        for (const auto& entry : std::filesystem::directory_iterator(SHARDLAB_SOURCE_DIR "/engine/layout/check"))
            there.merge(saidPatterns(sourceText(entry.path())));
        for (const auto& entry : std::filesystem::directory_iterator(SHARDLAB_SOURCE_DIR "/engine/layout/schedule"))
            for (const QString& function : sourceText(entry.path()).split(QStringLiteral("\n}\n")))
                if (function.contains(QStringLiteral("ShapeRefusal{"))) there.merge(saidPatterns(function));
        QVERIFY(there.size() > 400);
        const auto add = [&](const auto& change) {
            Layout layout;
            change(layout);
            for (const Fault& fault : checked(layout))
                for (const Sentence& part : {fault.what, fault.why, fault.legal}) addPatterns(part, said);
        };
        for (const Refusal& refusal : allRefusals()) add(refusal.change);
        for (const OutOfLimits& each : outOfLimits()) add(each.change);
        std::string unsaid;
        for (const std::string& pattern : there)
            if (!said.contains(pattern)) unsaid += pattern + '\n';
        QVERIFY2(unsaid.empty(), unsaid.c_str());
    }
};

QTEST_GUILESS_MAIN(RefusalsTest)
#include "refusals_test.moc"
