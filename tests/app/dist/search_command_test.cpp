// SPDX-License-Identifier: Apache-2.0
// shardlab search, and a plan for a cluster that a word names: what they answer, and what they refuse.
#include "tests/support/command.h"
#include "tests/support/wings.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

class SearchCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void searchAnswersInATableAndInJson() {
        const Answer text = run({"search", "1f1b-4", "--top", "3"});
        QCOMPARE(text.status, 0);
        for (const char* word : {"legal layouts", "tokens/s", "MFU", "bubble", "peak", "not slowed to watch"})
            QVERIFY2(text.out.contains(word), word);

        QTemporaryDir folder;
        const QString best = folder.filePath("best.layout.json");
        const Answer json = run({"search", "1f1b-4", "--top", "1000000", "--out", best, "--json"});
        QCOMPARE(json.status, 0);
        const QJsonObject found = json.json();
        const QJsonArray candidates = found["candidates"].toArray();
        QVERIFY(candidates.size() > 3);
        QCOMPARE(candidates.size(), found["legal"].toInt());
        for (int i = 1; i < candidates.size(); ++i)
            if (candidates[i - 1]["fits"] == candidates[i]["fits"])
                QVERIFY(candidates[i - 1]["tokens_per_second"].toDouble() >=
                        candidates[i]["tokens_per_second"].toDouble());
        QCOMPARE(run({"search", "1f1b-4", "--top", "2", "--json"}).json()["candidates"].toArray().size(), 2);

        // What plan says of the best one is what search said.
        const QJsonObject plan = run({"plan", best, "--json"}).json();
        for (const char* figure : {"step_seconds", "tokens_per_second"})
            QVERIFY2(qAbs(plan[QLatin1String(figure)].toDouble() / candidates.at(0)[QLatin1String(figure)].toDouble() -
                          1) < 1e-6,
                     figure);
        QCOMPARE(plan["bubble"].toObject()["predicted"].toDouble(), candidates.at(0)["bubble"].toDouble());
        QCOMPARE(plan["mfu"].toDouble(), candidates.at(0)["mfu"].toDouble());
    }

    /// A model's own file, and a cluster in one word: nothing else is needed for a plan.
    void anotherProgramsFileOnAClusterIsPlanned() {
        QTemporaryDir folder;
        const QString config = writeFile(
            folder.filePath("config.json"),
            R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 16,
                "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32000, "rms_norm_eps": 1e-5,
                "max_position_embeddings": 2048, "rope_theta": 10000.0, "hidden_act": "silu",
                "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
        const Answer planned = run({"plan", config, "--cluster", "2x8:h100-sxm", "--json"});
        QVERIFY2(planned.status == 0, planned.error.constData());
        QCOMPARE(planned.json()["ranks"].toInt(), 16);
        QVERIFY2(planned.error.contains("note: /precision/compute \"bf16\" instead of \"fp32\"") &&
                     planned.error.contains("note: /parallel/data 16 instead of 1") &&
                     planned.error.contains("note: predicted is megatron-core on h100-sxm"),
                 planned.error.constData());
        const Answer found =
            run({"search", config, "--cluster", "2x8:h100-sxm", "--set", "/batch/global=64", "--json"});
        QVERIFY2(found.status == 0, found.error.constData());
        QCOMPARE(found.json()["device"].toString(), QString("h100-sxm"));
        const Answer unknown = run({"plan", config, "--cluster", "2x8:h100"});
        QCOMPARE(unknown.status, 1);
        QVERIFY2(unknown.error.contains("(2x8:h100): no device of this name") && unknown.error.contains("h100-sxm"),
                 unknown.error.constData());
    }

    void searchSaysWhatNoLayoutMends() {
        const Answer heads = run({"search", "default", "--set", "/model/heads=3", "--json"});
        QCOMPARE(heads.status, 1);
        QVERIFY(heads.error.contains("/model/heads"));
        QCOMPARE(heads.json()["faults"].toArray().at(0)["pointer"].toString(), QString("/model/heads"));
        const Answer misread = run({"search", "default", "--set", "/model/layers=many"});
        QCOMPARE(misread.status, 1);
        QVERIFY(misread.error.contains("/model/layers"));
        // Wrong degrees are what the search is for.
        QCOMPARE(run({"search", "default", "--set", "/parallel/data=3"}).status, 0);
    }

    void aPlanThatDoesNotFitSaysWhereOneIsFound() {
        const QStringList narrow{
            "llama3-70b",           "--set", "/parallel/data=8",        "--set", "/parallel/tensor=1", "--set",
            "/parallel/pipeline=8", "--set", "/parallel/sequence=false"};
        const Answer fits = run({"plan", "llama3-70b"}), plan = run(QStringList{"plan"} + narrow);
        QVERIFY2(fits.status == 0 && !fits.out.contains("What would fit?"), fits.out.constData());
        QVERIFY2(plan.status == 0 && plan.out.contains("does not fit"), (plan.out + plan.error).constData());
        QVERIFY2(plan.out.contains("What would fit?\nshardlab search"), plan.out.constData());
        const Answer search = run(QStringList{"search"} + narrow);
        QVERIFY2(search.status == 0 && search.out.contains("fits"), (search.out + search.error).constData());
    }
};

QTEST_GUILESS_MAIN(SearchCommandTest)
#include "search_command_test.moc"
