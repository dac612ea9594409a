// SPDX-License-Identifier: Apache-2.0
// Recipes for Megatron-Bridge and NeMo: every argument has its field, the text is Python, and what the programs cannot
// do is refused in their own words.
#include "engine/trace/trainers/recipe.h"

#include "engine/layout/check/check.h"
#include "tests/support/megatron_draws.h"
#include "tests/support/megatron_options.h"
#include "tests/support/reference_python.h"
#include "tests/support/seed.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr int recipeDraws = 12;
constexpr const char* recipePrograms[] = {"megatron-bridge", "nemo"};

/// The keyword arguments of all calls in a Python text, from standard input: for each name the values that are
/// constants, as JSON.
const QString keywords = QStringLiteral(R"(
import ast, collections, json, sys
found = collections.defaultdict(list)
for node in ast.walk(ast.parse(sys.stdin.buffer.read())):
    if isinstance(node, ast.Call):
        for each in node.keywords:
            found[each.arg].append(each.value.value if isinstance(each.value, ast.Constant) else None)
print(json.dumps(found))
)");

}  // namespace

class RecipeExportTest : public QObject {
    Q_OBJECT

    static QJsonObject read(const std::string& text) {
        return QJsonDocument::fromJson(QByteArray::fromStdString(pythonPrints({"-c", keywords}, text))).object();
    }

private Q_SLOTS:
    /// No argument that is written for Megatron-LM is forgotten, and no row speaks of one that there is not.
    void everyArgumentHasItsField() {
        for (const RecipeField& row : recipeFields()) {
            const std::string option(row.option);
            QVERIFY2(findMegatronOption(row.option) != nullptr, option.c_str());
            QVERIFY2(row.name.empty() == (row.bridge.empty() && row.nemo.empty()), option.c_str());
        }
        TrainerDraw draw(freshSeed());
        for (int i = 0; i < 10 * recipeDraws; ++i) {
            const Layout drawn = forMegatron(draw);
            if (!suitsTrainers(drawn)) continue;
            for (const MegatronSetting& each : megatronSettings(drawn))
                QVERIFY2(each.option.empty() ||
                             std::ranges::count(recipeFields(), each.option, &RecipeField::option) > 0,
                         each.option.c_str());
        }
    }

    void whatIsWrittenIsPython() {
        TrainerDraw draw(freshSeed());
        int legal = 0;
        for (int i = 0; i < 10 * recipeDraws && legal < recipeDraws; ++i) {
            const Layout drawn = forMegatron(draw);
            if (!suitsTrainers(drawn)) continue;
            const bool script = ++legal % 2 == 0;
            for (const char* program : recipePrograms) {
                const TrainerTarget& target = *findTrainerTarget(program);
                if (target.name == "nemo" && blockParts(drawn.model).latent) continue;  // which it refuses
                const auto made = exportLayout(drawn, target, {"it's \"mine\"", script});
                QVERIFY2(made, made ? "" : toText(made.error()).c_str());
                QCOMPARE(made->companions.size(), std::size_t{script});
                const std::string& text = script ? made->companions[0].text : made->text;
                if (script) {
                    QVERIFY(made->text.starts_with("#!/bin/bash\n#SBATCH --job-name="));
                    QCOMPARE(made->companions[0].name, "it's \"mine\"" + std::string(target.extension));
                }
                const QJsonObject said = read(text);
                const auto one = [&](const char* name) { return said[name].toArray().first(); };
                QCOMPARE(one(target.name == "nemo" ? "name" : "wandb_exp_name").toString(),
                         QString::fromStdString(drawn.name));
                QCOMPARE(one("num_layers").toInt(), drawn.model.layers);
                QCOMPARE(one("layernorm_epsilon").toDouble(), drawn.model.block.normEpsilon);
                QCOMPARE(one("tensor_model_parallel_size").toInt(), drawn.parallel.tensor);
                QCOMPARE(one("context_parallel_size").toInt(), drawn.parallel.context);
                QCOMPARE(one("global_batch_size").toInt(), drawn.batch.global);
                QCOMPARE(one("lr").toDouble(), drawn.optimizer.learningRate);
                QCOMPARE(said.contains("use_distributed_optimizer"), drawn.parallel.zero > 0);
                QCOMPARE(said.contains("pipeline_dtype"), true);
                QCOMPARE(said.contains("scale_factor"), target.name == "nemo" &&
                                                            drawn.model.block.rotary.scaling == RotaryScaling::Llama3 &&
                                                            blockParts(drawn.model).rotary);
            }
        }
        QVERIFY2(legal >= recipeDraws / 2, qPrintable(QString("only %1 of the draws are legal").arg(legal)));
    }

    /// As for Megatron-LM, with the program's name and the names of its fields.
    void whatTheyCannotDoIsRefusedInTheirWords() {
        Layout layout;
        layout.schedule.kind = "zb-h1";
        layout.memory.recompute = RecomputeKind::Sqrt;
        layout.model.feedForward = {4, 5, 6, 7};
        layout.optimizer.lossWeight = 2;
        for (const char* program : recipePrograms) {
            const TrainerTarget& target = *findTrainerTarget(program);
            const auto made = exportLayout(layout, target);
            QVERIFY(!made);
            const std::string told = toText(made.error());
            for (const char* pointer :
                 {"/schedule/kind", "/memory/recompute", "/model/feed_forward", "/optimizer/loss_weight"})
                QCOMPARE(std::ranges::count(made.error(), pointer, &Fault::pointer), 1);
            QVERIFY2(told.find("Megatron-LM") == std::string::npos && told.find("--") == std::string::npos,
                     told.c_str());
            QVERIFY(told.find("zb-h1 for " + std::string(target.program)) != std::string::npos);
            QVERIFY(told.find("ffn_hidden_size") != std::string::npos);
        }
    }

    void whatIsNotCarriedOverIsTold() {
        Layout layout;
        layout.run.deadline = 77;
        layout.checkpoint = {.every = 10, .keep = 4};
        for (const char* program : recipePrograms) {
            const auto made = exportLayout(layout, *findTrainerTarget(program));
            QVERIFY(made);
            for (const Sentence& line : made->leftOut)
                QVERIFY2(made->text.find("# Left out: " + line.english()) != std::string::npos, line.english().c_str());
            QVERIFY(std::ranges::any_of(made->leftOut, [](const Sentence& line) {
                return line.english().find("deadline") != std::string::npos;
            }));
            const QJsonObject said = read(made->text);
            QCOMPARE(said[program == std::string("nemo") ? "save_top_k" : "most_recent_k"].toArray(), QJsonArray{4});
        }
    }
};

QTEST_GUILESS_MAIN(RecipeExportTest)
#include "recipe_export_test.moc"
