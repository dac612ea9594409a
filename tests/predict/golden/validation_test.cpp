// SPDX-License-Identifier: Apache-2.0
// Predictions against the published runs that come with Shardlab.
#include "engine/base/resources.h"
#include "engine/predict/evidence/validation.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace shardlab::test;

namespace {

CsvTable shipped() {
    auto table = CsvTable::read(resourcesFolder() / "published" / "measurements.csv");
    if (!table) qFatal("%s", table.error().text().c_str());
    return std::move(*table);
}

const std::vector<ValidatedRow>& rows() {
    static const std::vector<ValidatedRow> all = validate(shipped());
    return all;
}

}  // namespace

class ValidationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The errors are published with each release; a change of the cost model that makes them worse shows here.
    void stepsArePredicted() {
        const ValidationSummary summary = summarize(rows());
        qInfo("%d of %d runs, step: median %.1f %%, nine of ten %.1f %%, worst %.0f %%", summary.predicted,
              summary.rows, 100 * summary.time.median, 100 * summary.time.ninetieth, 100 * summary.time.worst);
        QVERIFY(summary.time.rows > 430);
        QVERIFY(summary.time.median <= 0.07);
        QVERIFY(summary.time.ninetieth <= 0.20);
        for (const auto& source : summary.sources)
            if (source.time.rows > 1)
                QVERIFY2(source.time.median <= 0.14,
                         qPrintable(QString("%1: %2").arg(source.source.c_str()).arg(source.time.median)));
    }

    void memoryIsPredicted() {
        const ErrorSummary memory = summarize(rows()).memory;
        qInfo("%d runs, memory: median %.1f %%, nine of ten %.1f %%", memory.rows, 100 * memory.median,
              100 * memory.ninetieth);
        QVERIFY(memory.rows > 160);
        QVERIFY(memory.median <= 0.05);
    }

    /// Whatever ran fits, but for a few.
    void whatRanFits() {
        int predicted = 0, fitting = 0;
        for (const ValidatedRow& row : rows())
            if (row.counts() && row.run.refused.empty()) ++predicted, fitting += row.fits ? 1 : 0;
        QVERIFY2(fitting >= 0.97 * predicted, qPrintable(QString("%1 of %2").arg(fitting).arg(predicted)));
    }

    void everyRowIsPredictedOrRefusedWithAReason() {
        for (const ValidatedRow& row : rows()) {
            QVERIFY2(row.run.refused.empty() == row.seconds.has_value(), row.run.id.c_str());
            if (row.seconds) QVERIFY2(*row.seconds > 0 && std::isfinite(*row.seconds), row.run.id.c_str());
        }
    }

    /// Schedules of one model on the same devices come in the order in which they were measured.
    void schedulesOfZeroBubbleAreInOrder() {
        const auto of = [](const char* id) {
            const auto found = std::ranges::find(rows(), std::string(id), [](const auto& row) { return row.run.id; });
            return found == rows().end() ? nullptr : &*found;
        };
        // 1F1B, ZB-1p and ZB-2p with 24 microbatches of the 1.5 B model.
        const ValidatedRow *plain = of("zb-025"), *one = of("zb-013"), *two = of("zb-001");
        QVERIFY(plain && one && two && plain->seconds && one->seconds && two->seconds);
        QVERIFY(*two->run.seconds < *one->run.seconds && *one->run.seconds < *plain->run.seconds);
        QVERIFY(*two->seconds < *one->seconds && *one->seconds < *plain->seconds);
    }

    void quotesAndBreaksInCells() {
        const auto table = CsvTable::parse("id,notes\r\na,\"one, \"\"two\"\"\nthree\"\r\nb,\n", "t.csv");
        QVERIFY(table);
        QCOMPARE(table->rows(), std::size_t{2});
        QCOMPARE(std::string(table->cell(0, "notes")), std::string("one, \"two\"\nthree"));
        QCOMPARE(std::string(table->cell(1, "notes")), std::string());
        QCOMPARE(std::string(table->cell(1, "none")), std::string());
    }

    void tablesThatAreNone() {
        const auto told = [](const char* text) {
            const auto table = CsvTable::parse(text, "t.csv");
            return table ? std::string() : table.error().text();
        };
        QVERIFY(told("").find("no heading") != std::string::npos);
        QVERIFY(told("a,a\n").find("two columns") != std::string::npos);
        QVERIFY(told("a,b\n1\n").find("row 1 has 1 cells") != std::string::npos);
        QVERIFY(told("a,b\n\"1,2\n").find("quotes of row 1") != std::string::npos);
    }

    void rowsThatAreNoLayout() {
        const auto refusal = [](const std::string& kind, const std::string& device, const std::string& layers) {
            const std::string text = "id,device,gpus,model_kind,layers,hidden,heads,sequence,vocabulary,micro_batch,"
                                     "global_batch,precision\nx," +
                                     device + ",8," + kind + "," + layers + ",1024,8,1024,32000,1,8,bf16\n";
            return publishedRun(*CsvTable::parse(text, "t.csv"), 0).refused;
        };
        QCOMPARE(refusal("gpt", "a100-sxm-80", "8"), std::string());
        QVERIFY(refusal("mamba", "a100-sxm-80", "8").find("mamba") != std::string::npos);
        QVERIFY(refusal("gpt", "tpu-v5", "8").find("tpu-v5") != std::string::npos);
        QVERIFY(refusal("gpt", "a100-sxm-80", "").find("layers is not stated") != std::string::npos);
        QVERIFY(refusal("gpt", "a100-sxm-80", "-3").find("layers is no count") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ValidationTest)
#include "validation_test.moc"
