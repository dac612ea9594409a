// SPDX-License-Identifier: Apache-2.0
// What modules that predict further tokens add to a model's sizes.
#include "engine/layout/model_shape.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/presets.h"
#include "tests/support/wings.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace shardlab::test;

class PredictionShapeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The 11.5 billion parameters that DeepSeek-V3's authors count as the module's own are those of its block.
    void modulesCountWhatTheyAre() {
        ModelSpec model = findPreset("deepseek-v3")->layout.model;
        const std::int64_t alone = modelParameters(model), h = model.hidden, block = layerParameters(model, 60);
        model.predictedTokens = 1;
        const std::int64_t own = modelParameters(model) - alone;
        QCOMPARE(own, block + 2 * h * h + 3 * h);
        QCOMPARE(std::llround(double(block) / 1e8), 115);
        // The last of two stages holds copies of the embedding and has the module.
        Layout layout;
        layout.model = model;
        layout.parallel.pipeline = 2;
        layout.schedule.stages = {30, 31};
        const std::vector<StageShape> stages = stageShapes(layout);
        QCOMPARE(stages.back().layers, 32);
        QCOMPARE(stageParameters(model, stages[0]) + stageParameters(model, stages[1]),
                 modelParameters(model) + tableParameters(model));
        for (const StageShape& stage : stages) {
            std::int64_t units = 0, tensors = 0;
            for (const FlatUnit& unit : stageUnits(model, layout.parallel, stage)) units += unit.size;
            for (const std::int64_t size : tensorSizes(model, stage)) tensors += size;
            QCOMPARE(units, stageParameters(model, stage));
            QCOMPARE(tensors, units);
        }
        // By hand for two samples: a product of 2h × h, a block, and the output once more.
        const StageShape whole{model.layers + 1, true, true};
        ModelSpec plain = model;
        plain.predictedTokens = 0;
        const double tokens = 2.0 * model.sequence, more = stageForwardFlops(model, whole, 2) -
                                                           stageForwardFlops(plain, {model.layers, true, true}, 2);
        QVERIFY(qFuzzyCompare(more, layerForwardFlops(plain, 60, 2) + 4 * tokens * double(h) * double(h) +
                                        2 * tokens * double(h) * model.vocabulary));
    }
};

QTEST_GUILESS_MAIN(PredictionShapeTest)
#include "prediction_shape_test.moc"
