// SPDX-License-Identifier: Apache-2.0
// What published runs say of a prediction: those that are like the layout, and no others.
#include "engine/base/resources.h"
#include "engine/predict/evidence/published_ground.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <cmath>
#include <map>

using namespace shardlab::test;

namespace {

Layout layoutOn(const char* device, const char* stack) {
    Layout layout;
    layout.parallel.data = 4;
    layout.parallel.pipeline = 1;
    layout.cluster.pace = PaceSpec{device, 1, stack};
    return layout;
}

}  // namespace

class PublishedGroundTest : public QObject {
    Q_OBJECT
    CsvTable table_;

private Q_SLOTS:
    void initTestCase() {
        auto read = CsvTable::read(publishedRunsFile());
        QVERIFY2(read.has_value(), read ? "" : read.error().why.english().c_str());
        table_ = std::move(*read);
    }

    void likenessIsStackArchitectureAndGroups() {
        QCOMPARE(likenessOf(Layout{}), std::string());
        QCOMPARE(likenessOf(layoutOn("h100-sxm", "shardlab")), std::string());
        Layout layout = layoutOn("h200", "megatron-core");
        QCOMPARE(likenessOf(layout), std::string("megatron-core on hopper"));
        layout.parallel.tensor = 2;
        layout.parallel.pipeline = 2;
        QCOMPARE(likenessOf(layout), std::string("megatron-core on hopper with tensor groups, a pipeline"));
        layout.parallel.tensor = layout.parallel.pipeline = 1;
        layout.parallel.zero = 3;
        QCOMPARE(likenessOf(layout), std::string("megatron-core on hopper with ZeRO 3"));
    }

    /// Every published run finds itself among the runs that are like it.
    void runsAreThoseOfTheLikeness() {
        std::map<std::string, std::vector<double>> errors;
        std::map<std::string, Layout> layouts;
        for (const ValidatedRow& row : validate(table_)) {
            if (!row.counts() || !row.error()) continue;
            const std::string likeness = likenessOf(row.run.layout);
            QVERIFY(!likeness.empty());
            errors[likeness].push_back(*row.error());
            layouts.emplace(likeness, row.run.layout);
        }
        int several = 0;
        for (const auto& [likeness, layout] : layouts) {
            const PublishedGround ground = publishedGround(layout, table_);
            const std::vector<double>& wanted = errors[likeness];
            if (wanted.size() < 5) {
                QVERIFY2(ground.time.rows >= int(wanted.size()), likeness.c_str());
                QVERIFY2(ground.likeness.size() < likeness.size() || ground.likeness == likeness, likeness.c_str());
                continue;
            }
            ++several;
            QCOMPARE(ground.likeness, likeness);
            QCOMPARE(ground.time.rows, int(wanted.size()));
            QCOMPARE(ground.time.ninetieth, summarizeErrors(wanted).ninetieth);
            QVERIFY2(ground.text().find(std::to_string(wanted.size()) + " published runs of " + likeness) == 0,
                     ground.text().c_str());
        }
        QVERIFY(several >= 5);
    }

    void withoutRunsItSaysSo() {
        const PublishedGround ground = publishedGround(layoutOn("v100-sxm-32", "yafsdp"), table_);
        QVERIFY(!ground.any());
        QCOMPARE(ground.text(), std::string("no published run of yafsdp on volta says how good this prediction is"));
    }
};

QTEST_GUILESS_MAIN(PublishedGroundTest)
#include "published_ground_test.moc"
