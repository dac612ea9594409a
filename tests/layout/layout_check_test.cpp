// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace shardlab::test;

namespace {

std::vector<Fault> checked(const Layout& layout) { return check(layout, scheduleMethods()); }

const Fault* at(const std::vector<Fault>& faults, const std::string& pointer) {
    const auto found = std::ranges::find(faults, pointer, &Fault::pointer);
    return found == faults.end() ? nullptr : &*found;
}

}  // namespace

class LayoutCheckTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void expertsMayBeSpread() {
        Layout layout;
        layout.model.kind = ModelKind::GptMoe;
        layout.parallel.expert = 2;
        for (const ModelKind kind : {ModelKind::GptMoe, ModelKind::LlamaMoe})
            for (const int zero : {0, 1, 2, 3}) {
                layout.model.kind = kind;
                layout.parallel.zero = zero;
                QVERIFY2(checked(layout).empty(), toText(checked(layout)).c_str());
            }
    }

    void faultsDoNotHideOneAnother() {
        // Everything that can be wrong together, wrong together.
        Layout layout;
        layout.model.heads = 3;
        layout.model.layers = 7;
        layout.model.vocabulary = 100;
        layout.data.kind = DataKind::Text;
        layout.cluster.hosts = {{"a", 3}, {"a b", 2}};
        layout.cluster.pace = {"abacus", -1};
        layout.parallel.tensor = 4;
        layout.parallel.zero = 9;
        layout.schedule.chunks = 3;
        layout.batch.global = 7;
        layout.optimizer.adamw.betas = {2.0};
        layout.optimizer.clip = -1;
        layout.run.steps = -5;
        const auto faults = checked(layout);
        for (const char* pointer :
             {"/model/heads", "/model/vocabulary", "/data/path", "/cluster/hosts/1/name", "/cluster/pace/device",
              "/cluster/pace/step_seconds", "/parallel/data", "/parallel/pipeline", "/parallel/tensor",
              "/parallel/zero", "/schedule/chunks", "/batch/global", "/optimizer/betas", "/optimizer/betas/0",
              "/optimizer/clip", "/run/steps"})
            QVERIFY2(at(faults, pointer) != nullptr, (std::string(pointer) + " not in\n" + toText(faults)).c_str());
    }

    void faultsComeInTheOrderOfTheFields() {
        Layout layout;
        layout.run.steps = 0;
        layout.model.heads = 3;
        layout.batch.global = 7;
        const auto faults = checked(layout);
        QCOMPARE(faults.size(), std::size_t{3});
        QCOMPARE(faults[0].pointer, std::string("/model/heads"));
        QCOMPARE(faults[1].pointer, std::string("/batch/global"));
        QCOMPARE(faults[2].pointer, std::string("/run/steps"));
    }

    void whatIsCalledLegalIsLegal() {
        Layout uneven;
        uneven.model.layers = 5;
        uneven.schedule.stages = {3, 2};
        QVERIFY2(checked(uneven).empty(), toText(checked(uneven)).c_str());
        Layout mlp;
        mlp.model.kind = ModelKind::Mlp;
        mlp.model.heads = 3;  // heads are attention's
        QVERIFY2(checked(mlp).empty(), toText(checked(mlp)).c_str());
    }

    /// Divisors are told from the largest, whatever the degree.
    void whatAShardCanBeIsToldOfHugeDegrees() {
        const auto legalFor = [](int data, int shard) {
            Layout layout;
            layout.parallel.data = data;
            layout.parallel.zero = 3;
            layout.parallel.shard = shard;
            for (const Fault& fault : checked(layout))
                if (fault.pointer == "/parallel/shard") return fault.legal.english();
            return std::string();
        };
        QCOMPARE(legalFor(2147483647, 2), std::string("2147483647; or 0: all data ranks share one copy"));
        QCOMPARE(legalFor(36, 5), std::string("36, 18, 12, 9, 6 or 4; or 0: all data ranks share one copy"));
        QCOMPARE(legalFor(9, 2), std::string("9 or 3; or 0: all data ranks share one copy"));
    }

    /// What would be legal of degrees and groups that no machine has, too: divisors are not counted up to them.
    void hugeDegreesAreJudgedAtOnce() {
        Layout layout;
        layout.model.kind = ModelKind::GptMoe;
        layout.parallel.tensor = 2147483647;
        layout.parallel.expertTensor = 3;
        const std::vector<Fault> folds = checked(layout);
        const Fault* const fold = at(folds, "/parallel/expert_tensor");
        QVERIFY(fold);
        QCOMPARE(fold->legal.english(), std::string("2147483647; or 0, as all else"));
        layout.parallel = {};
        layout.model.experts.count = 2147483647;
        layout.model.experts.groups = 2;
        layout.model.experts.gate = *kindOf<GateMethod>("hierarchical");
        QVERIFY(at(checked(layout), "/model/experts"));
    }

    void nothingOverflows() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "extremes");
        const int extremes[] = {-2147483647 - 1, -1, 0, 1, 2, 3, 255, 256, 1024, 32767, 65536, 1048576, 2147483647};
        for (int i = 0; i < 5000; ++i) {
            Layout layout;
            const auto pick = [&] { return extremes[random.below(13)]; };
            for (const Field& field : fields())
                if (const auto* access = std::get_if<IntegerField>(&field.access); access && random.below(3) == 0)
                    (*access)(layout) = pick();
            if (random.below(3) == 0) layout.schedule.stages = {pick(), pick()};
            layout.cluster.hosts[0].devices = pick();
            checked(layout);  // sanitizers watch
            Layout legal = layout;
            rankCount(legal), stageCount(legal), microbatches(legal), stageLayers(legal), tokensPerStep(legal);
        }
    }
};

QTEST_GUILESS_MAIN(LayoutCheckTest)
#include "layout_check_test.moc"
