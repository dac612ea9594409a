// SPDX-License-Identifier: Apache-2.0
// Units of a stage whose experts are spread over ranks: where they lie, who has which part, and in which order they are
// reduced and gathered.
#include "engine/base/random.h"
#include "engine/layout/flat_units.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

using namespace shardlab::test;

namespace {

struct Drawn {
    ModelSpec model;
    ParallelSpec parallel;
    TensorShare share;
    StageShape stage;
    std::vector<FlatUnit> units;
};

/// A stage of a llama-moe whose experts are spread over 2 or 4 of up to 8 replicas.
Drawn drawn(RandomStream& random) {
    const auto below = [&](int n) { return int(random.below(std::uint32_t(n))); };
    Drawn made;
    made.model = {ModelKind::LlamaMoe, 3 + below(4), 16, 2, 8, 256, 0, {5 + below(20)}};
    made.model.experts.count = 4 * (1 + below(3));
    made.model.experts.every = 1 + below(2);
    made.model.experts.denseLayers = below(2);
    made.model.experts.shared = below(2);
    made.parallel.expert = 2 << below(2);
    made.parallel.data = made.parallel.expert * (1 + below(2));
    made.share.expert = made.parallel.expert;
    made.stage = {made.model.layers, below(2) == 0, below(2) == 0};
    made.units = stageUnits(made.model, made.parallel, made.stage, made.share);
    return made;
}

bool isSpread(const FlatUnit& unit) { return unit.spread > 1; }

/// The unit's layers only go up, or with `down` only down.
bool inOrder(const std::vector<FlatUnit>& units, bool down) {
    return std::ranges::is_sorted(units, [&](const FlatUnit& a, const FlatUnit& b) {
        return down ? a.lowestLayer > b.lowestLayer : a.lowestLayer < b.lowestLayer;
    });
}

std::set<std::int64_t> beginsOf(const std::vector<FlatUnit>& units) {
    std::set<std::int64_t> begins;
    for (const FlatUnit& unit : units) begins.insert(unit.begin);
    return begins;
}

}  // namespace

class FlatUnitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Behind all others, one for each block with experts, and together all that the stage stores.
    void spreadUnitsLieBehind() {
        RandomStream random(freshSeed(), "units");
        for (int i = 0; i < 50; ++i) {
            const Drawn it = drawn(random);
            std::int64_t end = 0, spread = 0;
            for (const FlatUnit& unit : it.units) {
                QCOMPARE(unit.begin, end);
                end = unit.end();
                if (!isSpread(unit)) continue;
                QCOMPARE(unit.spread, it.parallel.expert);
                spread += unit.size;
            }
            QCOMPARE(end, stageParameters(it.model, it.stage, it.share));
            QCOMPARE(spread, spreadParameters(it.model, it.stage, it.share));
            QVERIFY(std::ranges::is_partitioned(it.units, std::not_fn(isSpread)));
            int blocks = 0;
            for (int layer = 0; layer < it.model.layers; ++layer) blocks += hasExperts(it.model, layer);
            QCOMPARE(int(std::ranges::count_if(it.units, isSpread)), blocks);
            QCOMPARE(spread, blocks * parametersOfExpert(it.model, it.model.layers - 1) * it.model.experts.count /
                                 it.parallel.expert);
        }
    }

    /// The replicas that hold the same experts have parts that follow each other and come to the whole; the others of
    /// their groups have none of them.
    void holdersShareASpreadUnitOut() {
        RandomStream random(freshSeed(), "parts");
        for (int i = 0; i < 50; ++i) {
            const Drawn it = drawn(random);
            const int replicas = it.parallel.data;
            for (const FlatUnit& unit : it.units)
                for (int member = 0; member < unit.spread; ++member) {
                    std::int64_t end = 0;
                    for (int replica = member; replica < replicas; replica += unit.spread) {
                        QCOMPARE(partBegin(unit, replica, replicas), end);
                        end += partSize(unit, replica, replicas);
                    }
                    QCOMPARE(end, unit.size);
                }
            // Where nobody else holds a rank's experts, its shard has all of them.
            std::int64_t shards = 0, held = 0;
            for (int replica = 0; replica < replicas; ++replica) shards += shardSize(it.units, replica, replicas);
            for (const FlatUnit& unit : it.units) held += unit.size * unit.spread;
            QCOMPARE(shards, held);
        }
    }

    void reductionsFollowTheBackward() {
        RandomStream random(freshSeed(), "reductions");
        for (int i = 0; i < 50; ++i) {
            Drawn it = drawn(random);
            for (const int zero : {0, 1, 2, 3}) {
                it.parallel.zero = zero;
                it.parallel.bucket = random.below(2) == 0 ? 25 : 0.002;
                const std::vector<FlatUnit> reduced = reductionUnits(it.parallel, it.units, 4);
                QVERIFY(inOrder(reduced, true));
                std::int64_t dense = 0, spread = 0, ofUnits = 0;
                for (const FlatUnit& unit : it.units) ofUnits += isSpread(unit) ? 0 : unit.size;
                for (const FlatUnit& unit : reduced) (isSpread(unit) ? spread : dense) += unit.size;
                QCOMPARE(dense, ofUnits);
                const bool alone = zero == 0 && it.parallel.data == it.parallel.expert;
                QCOMPARE(spread, alone ? 0 : spreadParameters(it.model, it.stage, it.share));
                if (zero >= 2) QCOMPARE(beginsOf(reduced), beginsOf(it.units));
            }
        }
    }

    /// Each unit once; forward from the lowest layer up, backward from the highest segment down, within a segment
    /// from its lowest layer up.
    void gathersFollowTheLayers() {
        RandomStream random(freshSeed(), "gathers");
        for (int i = 0; i < 50; ++i) {
            const Drawn it = drawn(random);
            const auto unitsOf = [](const std::vector<UnitGather>& gathers) {
                std::vector<FlatUnit> units;
                for (const UnitGather& gather : gathers) units.push_back(gather.unit);
                return units;
            };
            const std::vector<FlatUnit> up = unitsOf(forwardGathers(it.units));
            QVERIFY(inOrder(up, false));
            QCOMPARE(up.size(), it.units.size());
            QCOMPARE(beginsOf(up), beginsOf(it.units));
            for (const RecomputeKind recompute : {RecomputeKind::None, RecomputeKind::Full, RecomputeKind::Sqrt}) {
                MemorySpec memory;
                memory.recompute = recompute;
                const std::vector<int> segments = layerSegments(it.model, memory, it.stage);
                const std::vector<UnitGather> down = backwardGathers(it.units, segments, false);
                QCOMPARE(beginsOf(unitsOf(down)), beginsOf(it.units));
                for (std::size_t g = 1; g < down.size(); ++g) {
                    QVERIFY(down[g].group >= down[g - 1].group);
                    if (down[g].group == down[g - 1].group)
                        QVERIFY(down[g].unit.lowestLayer >= down[g - 1].unit.lowestLayer);
                }
                // Both units of a block are read together.
                for (const UnitGather& gather : down)
                    for (const UnitGather& other : down)
                        if (gather.unit.lowestLayer == other.unit.lowestLayer) QCOMPARE(gather.group, other.group);
            }
        }
    }
};

QTEST_GUILESS_MAIN(FlatUnitsTest)
#include "flat_units_test.moc"
