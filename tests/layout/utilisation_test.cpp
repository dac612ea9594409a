// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation, counted by hand: in the plan, in a run's header and in its summary.
#include "engine/launch/job/run_header.h"
#include "engine/launch/job/run_summary.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/plan.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace shardlab::test;

namespace {

Layout pacedLayout(const char* recompute) {
    Layout layout;
    layout.model = {};
    layout.model.layers = 8;
    layout.model.hidden = 64;
    layout.model.heads = 4;
    layout.model.sequence = 32;
    layout.batch.global = 16;
    layout.batch.micro = 2;
    layout.parallel.data = 2;
    layout.parallel.pipeline = 4;
    layout.cluster.hosts = {{"localhost", 8}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 0.5};
    layout.memory.recompute = named(recompute);
    return layout;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

/// 6 for each weight of a product, 12 · sequence · hidden for each attention, a token.
double countedFlops(const Layout& layout) {
    const ModelSpec& m = layout.model;
    const double weights =
        m.layers * (4.0 * m.hidden * m.hidden + 8.0 * m.hidden * m.hidden) + double(m.vocabulary) * m.hidden;
    const double tokens = double(layout.batch.global) * m.sequence;
    return tokens * (6 * weights + 12.0 * m.layers * m.sequence * m.hidden);
}

}  // namespace

class UtilisationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flopsAreThoseOfTheModelAlone() {
        for (const char* recompute : {"none", "full"})
            QVERIFY(near(modelFlopsPerStep(pacedLayout(recompute)), countedFlops(pacedLayout(recompute))));
    }

    /// A paced run that goes as predicted has the predicted utilisation, in the devices' own time.
    void pacedRunsAreMeasuredInTheDevicesTime() {
        const auto plan = makePlan(pacedLayout("none"));
        QVERIFY(plan.has_value());
        const double peak = 8 * findDevice("h100-sxm")->fp32Flops;
        QVERIFY(near(plan->peak.flops, peak));
        QCOMPARE(plan->peak.of, std::string("8 × NVIDIA H100 SXM 80 GB, fp32"));
        const RunHeader header = headerOf(*plan);
        const double own = plan->stepSeconds, onClock = plan->simulation.stepSeconds;
        QVERIFY(near(*header.utilisation(onClock), countedFlops(plan->layout) / (own * peak)));
        QVERIFY(std::abs(*header.utilisation(onClock) / plan->mfu - 1) < 1e-6);
        QVERIFY(near(*header.utilisation(2 * onClock), *header.utilisation(onClock) / 2));
        QVERIFY(!header.utilisation(0));
    }

    /// Ranks that share cores have no more of them than there are; of other hosts nothing is known.
    void coresOfThisMachineAreAsMeasured() {
        Layout layout = pacedLayout("none");
        layout.cluster.pace.reset();
        Measurements measured;
        measured.machine = {"Some CPU", 2};
        measured.core.flops = 1e11;
        const auto shared = makePlan(layout, measured);
        QVERIFY(shared && near(shared->peak.flops, 2e11));
        QCOMPARE(shared->peak.of, std::string("2 cores of Some CPU, fp32"));
        measured.machine.cores = 16;
        const auto own = makePlan(layout, measured);
        QVERIFY(own && near(own->peak.flops, 16e11));
        QVERIFY(!makePlan(layout)->peak.known());  // not measured: the preset's core is a guess
        layout.cluster.hosts = {{"localhost", 4}, {"other", 4}};
        QVERIFY(!makePlan(layout, measured)->peak.known());
    }

    void summariesTellItWhereThePeakIsKnown() {
        const auto plan = makePlan(pacedLayout("none"));
        const auto jsonOf = [](const RunHeader& header) {
            return nlohmann::json::parse(toJson(RunFigures(header).summary(), "run"))["mfu"];
        };
        RunHeader header = headerOf(*plan);
        const auto told = jsonOf(header);
        QVERIFY(told["measured"].is_null());  // no step yet
        QVERIFY(near(told["predicted"].get<double>(), *header.utilisation(plan->simulation.stepSeconds)));
        QCOMPARE(told["peak_of"].get<std::string>(), plan->peak.of);
        header.peak = {};
        QVERIFY(jsonOf(header).is_null());
    }

    void textKeepsTwoFiguresOfLittle() {
        QCOMPARE(utilisationText(0.412), std::string("41.2 %"));
        QCOMPARE(utilisationText(0.0000342), std::string("0.0034 %"));
        QCOMPARE(utilisationText(0), std::string("0.0 %"));
    }
};

QTEST_APPLESS_MAIN(UtilisationTest)
#include "utilisation_test.moc"
