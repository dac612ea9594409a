// SPDX-License-Identifier: Apache-2.0
// By what published runs are chosen, and which candidates they do not tell apart.
#include "engine/predict/evidence/candidate_band.h"
#include "engine/predict/evidence/run_facets.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace shardlab::test;

class RunFacetsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Every published run has its device and its source; every one that is a layout the rest, as its likeness says.
    void runsHaveTheirValues() {
        const auto table = CsvTable::read(publishedRunsFile());
        QVERIFY(table.has_value());
        std::map<RunFacet, std::set<std::string>> values;
        int refused = 0;
        for (std::size_t i = 0; i < table->rows(); ++i) {
            const PublishedRun run = publishedRun(*table, i);
            QCOMPARE(facetValues(run, RunFacet::Device), std::vector{std::string(table->cell(i, "device"))});
            QCOMPARE(facetValues(run, RunFacet::Source), std::vector{std::string(table->cell(i, "source"))});
            const auto methods = facetValues(run, RunFacet::Method);
            if (!run.refused.empty()) {
                ++refused;
                QVERIFY(methods.empty() && facetValues(run, RunFacet::Model).empty() &&
                        facetValues(run, RunFacet::Stack).empty());
                continue;
            }
            QCOMPARE(facetValues(run, RunFacet::Stack), std::vector{run.layout.cluster.pace->stack});
            const std::string likeness = likenessOf(run.layout);
            for (const std::string& method : methods)
                QVERIFY2(method == "data alone" || likeness.find(method) != std::string::npos, likeness.c_str());
            QCOMPARE(methods.front() == "data alone", likeness.find(" with ") == std::string::npos);
            QVERIFY(devicesText(run).starts_with(std::to_string(rankCount(run.layout)) + " × "));
            for (const RunFacet facet : runFacets)
                for (const std::string& value : facetValues(run, facet)) values[facet].insert(value);
        }
        QVERIFY(refused > 0 && refused < int(table->rows()) / 2);
        for (const RunFacet facet : runFacets) QVERIFY(values[facet].size() > 3);
    }

    void theBandHoldsTheFirstCandidates() {
        std::mt19937 random(freshSeed());
        PublishedGround ground{"a stack", {}, {}};
        ground.time.rows = 7;
        ground.time.ninetieth = 0.1;
        for (int i = 0; i < 100; ++i) {
            std::vector<Candidate> candidates(1 + random() % 9);
            for (Candidate& candidate : candidates) {
                candidate.stepSeconds = 1 + double(random() % 100) / 300;
                candidate.tokensPerSecond = 1 / candidate.stepSeconds;
                candidate.fits = random() % 4 > 0;
            }
            rankCandidates(candidates);
            const Candidate& best = candidates.front();
            const auto alike = std::ranges::count_if(candidates, [&](const Candidate& each) {
                return each.fits == best.fits && each.stepSeconds <= best.stepSeconds * 1.1;
            });
            QCOMPARE(candidatesWithinBand(candidates, ground), std::size_t(alike));
            QCOMPARE(bandText(std::size_t(alike), ground).empty(), alike < 2);
        }
        QCOMPARE(candidatesWithinBand({}, ground), std::size_t{0});
        QCOMPARE(candidatesWithinBand(std::vector<Candidate>(2), {"a stack", {}, {}}), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(RunFacetsTest)
#include "run_facets_test.moc"
