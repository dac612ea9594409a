// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/fault_list.h"
#include "engine/layout/fields.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>
#include <sstream>

using namespace shardlab::test;

namespace {

RandomStream freshStream(const char* name) {
    const std::uint32_t seed = freshSeed();
    qInfo("%s: seed %u", name, seed);
    return RandomStream(seed, name);
}

std::string randomText(RandomStream& random) {
    static const std::vector<std::string> pieces{
        "a", "Z", " ", "\"", "\\", "/", "~", "\n", "\t", "ü", "漢", "🙂", std::string(1, '\x01'), "0"};
    std::string text;
    for (std::uint32_t i = random.below(8); i > 0; --i)
        text += pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
    return text;
}

double randomNumber(RandomStream& random) {
    switch (random.below(4)) {
    case 0: return static_cast<double>(random.below(100));
    case 1: return random.normal();
    case 2: return random.normal() * 1e-300;
    default: return random.normal() * 1e300;
    }
}

/// Every field something, legal in type only.
Layout randomLayout(RandomStream& random) {
    Layout layout;
    if (random.below(2) == 0) layout.cluster.pace = PaceSpec{};
    const auto integer = [&] { return static_cast<int>(random.bits()); };
    for (const Field& field : fields()) {
        if (!isPresent(field, layout)) continue;
        std::visit(
            [&](auto access) {
                if constexpr (std::is_same_v<decltype(access), WordField>) {
                    access.choose(layout, random.below(static_cast<std::uint32_t>(access.words.size())));
                    return;
                } else if constexpr (std::is_same_v<decltype(access), WordSetField>) {
                    for (std::size_t i = 0; i < access.words.size(); ++i) access.set(layout, i, random.below(2) == 0);
                } else {
                    auto& value = access(layout);
                    using Value = std::remove_reference_t<decltype(value)>;
                    if constexpr (std::is_same_v<Value, int>) value = integer();
                    else if constexpr (std::is_same_v<Value, std::int64_t>)
                        value = static_cast<std::int64_t>(random.bits());
                    else if constexpr (std::is_same_v<Value, double>) value = randomNumber(random);
                    else if constexpr (std::is_same_v<Value, bool>) value = random.below(2) == 0;
                    else if constexpr (std::is_same_v<Value, std::string>) value = randomText(random);
                    else if constexpr (std::is_same_v<Value, std::vector<int>>) {
                        value.resize(random.below(4));
                        std::ranges::generate(value, integer);
                    } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
                        value.resize(random.below(4));
                        std::ranges::generate(value, [&] { return randomNumber(random); });
                    } else if constexpr (std::is_same_v<Value, std::vector<HostSpec>>) {
                        value.resize(random.below(4));
                        std::ranges::generate(value, [&] { return HostSpec{randomText(random), integer()}; });
                    }
                }
            },
            field.access);
    }
    return layout;
}

std::string faultsOf(const char* json) {
    const auto parsed = parseLayout(json);
    return parsed ? toText(parsed->faults) : "error: " + parsed.error().text();
}

bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

class LayoutFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void emptyObjectIsTheDefault() {
        const auto parsed = parseLayout("{}");
        QVERIFY(parsed.has_value() && parsed->faults.empty());
        QCOMPARE(parsed->layout, Layout{});
    }

    void fieldsAreDistinctAndDescribed() {
        std::set<std::string_view> pointers;
        for (const Field& field : fields()) {
            QVERIFY(pointers.insert(field.pointer).second);
            QVERIFY(!field.label.empty() && field.help.ends_with('.'));
            QVERIFY(field.limits.least <= field.limits.most);
            QVERIFY(findField(field.pointer) == &field);
        }
        QVERIFY(findField("/model") == nullptr && findField("") == nullptr);
    }

    void everyMemberHasAField() {
        // A member without a field would keep its default through a file.
        Layout layout;
        layout.cluster.pace = PaceSpec{};
        const std::string text = writeLayout(layout);
        std::istringstream keys(
            "name kind layers hidden heads sequence vocabulary dropout path tokenizer validation hosts device "
            "devices pace step_seconds data pipeline tensor expert expert_tensor context zero chunks stages "
            "global micro compute learning_rate warmup betas epsilon momentum weight_decay clip decay_rate "
            "clip_threshold loss_weight exchange shard elastic_rho recompute recompute_parts recompute_every "
            "recompute_blocks "
            "kv_rank q_rank rope_width value_width sinks attention_cap logit_cap rope_truncate swiglu_limit "
            "swiglu_alpha score_bias predicted_tokens predicted_tokens_weight partition_activations activations "
            "schedule minimum steps seed validate_every "
            "validation_batches deadline experts gate top_k expert_groups top_groups token_experts entropy "
            "capacity balance expert_dropout experts_every dense_layers expert_width shared_experts route_scale "
            "image channels convolutions classes weights tokenizer_path last_batch text_field documents every "
            "first keep");
        for (std::string key; keys >> key;) QVERIFY2(mentions(text, ("\"" + key + "\":").c_str()), key.c_str());
    }

    void layoutsReadAsTheyAreWritten() {
        RandomStream random = freshStream("round trip");
        for (int i = 0; i < 500; ++i) {
            const Layout layout = randomLayout(random);
            const std::string text = writeLayout(layout);
            const auto parsed = parseLayout(text);
            QVERIFY2(parsed.has_value() && parsed->faults.empty(), text.c_str());
            QVERIFY2(parsed->layout == layout, text.c_str());
            QCOMPARE(writeLayout(parsed->layout), text);
        }
    }

    void mutatedTextNeverCrashes() {
        RandomStream random = freshStream("mutation");
        const auto all = presets();
        std::vector<std::string> texts;
        for (const Preset& preset : *all) texts.push_back(writeLayout(preset.layout));
        int parsedWell = 0;
        for (int i = 0; i < 10000; ++i) {
            std::string text = texts[random.below(static_cast<std::uint32_t>(texts.size()))];
            for (std::uint32_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
                const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
                const std::size_t length = random.below(12);
                switch (random.below(6)) {
                case 0: text[at] = static_cast<char>(random.bits()); break;
                case 1: text.resize(at); break;
                case 2: text.erase(at, length); break;
                case 3:
                    text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), length * 4));
                    break;
                case 4: std::swap(text[at], text[random.below(static_cast<std::uint32_t>(text.size()))]); break;
                default: text[at] = "{}[],:\"0-e.ntf"[random.below(14)]; break;
                }
            }
            const auto parsed = parseLayout(text);
            if (!parsed) QVERIFY(!parsed.error().text().empty());
            else parsedWell += parsed->faults.empty();
        }
        QVERIFY(parsedWell > 0);
    }

    void hostileTextIsRefused() {
        QVERIFY(!parseLayout(std::string(1'000'000, '[')));
        std::string deep;
        for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
        QVERIFY(mentions(parseLayout(deep).error().text(), "64 levels"));
        QVERIFY(!parseLayout(R"({"run": {"seed": 1e999}})"));
        for (const char* text : {"", " ", "[]", "3", "null", "\"{}\"", "{", "{}}", "{\"a\"}", "NaN", "{\"name\": NaN}",
                                 "{'name': 1}", "// c\n{}", "\xff\xfe{}"})
            QVERIFY2(!parseLayout(text), text);
    }

    void noJsonIsToldWithItsPlace() {
        const auto parsed = parseLayout("{\n  \"name\": \"a\",\n  \"model\": {,}\n}");
        QVERIFY(!parsed);
        QVERIFY2(mentions(parsed.error().text(), "line 3, column 13"), parsed.error().text().c_str());
    }

    void everyFaultIsToldAtOnce() {
        const std::string faults =
            faultsOf(R"({"modle": {}, "model": {"layers": "four", "hiden": 3, "heads": 2.5, "sequence": 99999999999},
            "cluster": {"hosts": [{"name": 1, "device": 2}], "pace": {"devise": "h200"}}, "batch": 4, "parallel": {"zero": true, "sequence": 1},
            "schedule": {"stages": [1, "2"]}, "data": {"path": null}})");
        for (const char* part : {"/modle: unknown key", "did you mean model?",
                                 "/model/layers: wrong type: \"four\" is a JSON string. Legal: a whole number",
                                 "/model/hiden: unknown key", "did you mean hidden?", "/model/heads: wrong type",
                                 "/model/sequence: out of range", "/cluster/hosts/0/name: wrong type",
                                 "/cluster/hosts/0/device: unknown key", "did you mean devices?",
                                 "/cluster/pace/devise", "did you mean device?", "/batch: wrong type", "an object",
                                 "/parallel/zero: wrong type", "/parallel/sequence: wrong type", "true or false",
                                 "/schedule/stages/1: wrong type", "/data/path: wrong type"})
            QVERIFY2(mentions(faults, part), (std::string(part) + "\nnot in\n" + faults).c_str());
    }

    /// A file of millions of faults costs no more than one of a hundred: neither time nor pages of output.
    void endlessFaultsAreCutOff_data() {
        QTest::addColumn<QString>("text");
        const auto repeated = [](const QString& before, const auto& part, int count, const QString& after) {
            QStringList parts;
            for (int i = 0; i < count; ++i) parts << part(i);
            return before + parts.join(',') + after;
        };
        const auto key = [](int i) { return QString("\"k%1\":1").arg(i); };
        QTest::newRow("unknown keys") << repeated("{", key, 300000, "}");
        QTest::newRow("keys that stand twice") << repeated(
            "{", [](int) { return QString("\"k\":1"); }, 300000, "}");
        const auto host = [](int i) { return QString("{\"name\":\"%1\",\"devices\":1}").arg(i, 0, 16); };
        QTest::newRow("hosts") << repeated("{\"cluster\":{\"hosts\":[", host, 400000, "]}}");
        const auto nameless = [](int) { return QString("{\"name\":\"-\"}"); };
        QTest::newRow("hosts without a name") << repeated("{\"cluster\":{\"hosts\":[", nameless, 30000, "]}}");
        const auto numbers = [](int) { return QString("7"); };
        QTest::newRow("numbers for faults") << repeated("{\"run\":{\"faults\":[", numbers, 30000, "]}}");
        const auto fault = [](int i) { return QString("\"kill %1\"").arg(i); };
        QTest::newRow("faults that are none") << repeated("{\"run\":{\"faults\":[", fault, 30000, "]}}");
        QTest::newRow("a long key") << "{\"" + QString(1 << 20, 'k') + "\":1}";
    }
    void endlessFaultsAreCutOff() {
        QFETCH(QString, text);
        const auto parsed = parseLayout(text.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().text().c_str());
        std::vector<Fault> faults = parsed->faults;
        const std::vector<Fault> judged = check(parsed->layout, scheduleMethods());
        faults.insert(faults.end(), judged.begin(), judged.end());
        QVERIFY(!faults.empty());
        QVERIFY(faults.size() <= 3 * (mostFaults + 1));
        for (const Fault& each : faults) QVERIFY2(toText(each).size() < 2000, toText(each).substr(0, 200).c_str());
        if (faults.size() > mostFaults)
            QVERIFY(std::ranges::any_of(
                faults, [](const Fault& each) { return each.what.english().starts_with("there are more"); }));
    }

    void everyWordHasItsValue() {
        int words = 0;
        for (const Field& field : fields()) {
            const auto* access = std::get_if<WordField>(&field.access);
            if (access == nullptr) continue;
            for (std::size_t i = 0; i < access->words.size(); ++i, ++words) {
                const std::string assignment = std::string(field.pointer) + "=" + std::string(access->words[i]);
                const auto parsed = setField({}, assignment);
                QVERIFY2(parsed && parsed->faults.empty(), assignment.c_str());
                QCOMPARE(access->chosen(parsed->layout), i);
                QVERIFY2(mentions(writeLayout(parsed->layout), access->words[i].data()), assignment.c_str());
            }
        }
        QVERIFY(words > 60);
        QCOMPARE(setField({}, "/model/kind=llama")->layout.model.kind, ModelKind::Llama);
        QCOMPARE(setField({}, "/parallel/exchange=easgd")->layout.parallel.exchange, Exchange::Elastic);
    }

    void unknownWordsAreFaults_data() {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("legal");
        const auto row = [](const char* assignment, const char* what, const char* legal) {
            QTest::newRow(assignment) << assignment << what << legal;
        };
        row("/model/kind=gtp", "unknown", "did you mean gpt?");
        row("/model/gate=swich", "unknown", "did you mean switch?");
        row("/data/kind=txt", "unknown", "did you mean text?");
        row("/data/kind=images", "not built yet", "generator, text, tokens or jsonl");
        row("/data/tokenizer=gpt3", "unknown", "did you mean gpt2?");
        row("/data/last_batch=dropped", "unknown", "did you mean drop?");
        row("/cluster/device=gpu", "unknown", "cpu or cuda");
        row("/parallel/partition=layer", "unknown", "did you mean layers?");
        row("/parallel/all_reduce=rong", "unknown", "did you mean ring?");
        row("/parallel/context_method=ulyses", "unknown", "did you mean ulysses?");
        row("/parallel/exchange=hogwilt", "unknown", "did you mean hogwild?");
        row("/precision/compute=fp8", "unknown", "fp32, bf16 or fp16");
        row("/precision/products=fp9", "unknown", "fp8");
        row("/precision/scaling=present", "unknown", "current or delayed");
        row("/precision/compute=fp31", "unknown", "fp32");
        row("/precision/weights=masters", "unknown", "did you mean master?");
        row("/precision/gradients=fp16", "unknown", "compute or fp32");
        row("/precision/loss_scale=dynamics", "unknown", "did you mean dynamic?");
        row("/optimizer/kind=adam2", "unknown", "did you mean adamw?");
        row("/optimizer/kind=adam", "not built yet", "adamw, adamw-8bit, sgd, adafactor or sm3");
        row("/optimizer/schedule=exponential", "unknown", "constant, cosine or linear");
        row("/memory/recompute=half", "unknown", "none");
        row("/memory/activations=lossy", "unknown", "kept");
        row("/memory/offload=disk", "unknown", "none");
        row("/memory/swap=disk", "unknown", "none");
    }
    void unknownWordsAreFaults() {
        QFETCH(QString, assignment);
        QFETCH(QString, what);
        QFETCH(QString, legal);
        const auto parsed = setField({}, assignment.toStdString());
        QVERIFY(parsed && parsed->faults.size() == 1);
        const Fault& fault = parsed->faults.front();
        QCOMPARE(QString::fromStdString(fault.pointer), assignment.section(QLatin1Char('='), 0, 0));
        QVERIFY2(mentions(fault.what.english(), what.toUtf8()) && mentions(fault.legal.english(), legal.toUtf8()),
                 toText(fault).c_str());
        QCOMPARE(parsed->layout, Layout{});
    }

    void aVersionIsWrittenFirst() {
        QVERIFY2(writeLayout({}).starts_with("{\n  \"version\": 1,\n  \"name\""), writeLayout({}).c_str());
    }

    void layoutsOfNewerVersionsAreRefused() {
        const auto read = [](const char* version) {
            return parseLayout(std::string("{\"version\": ") + version + ", \"model\": {\"layers\": 8, \"later\": 1}}");
        };
        QCOMPARE(parseLayout(R"({"model": {"layers": 8}})")->layout.model.layers, 8);  // as files before versions
        QCOMPARE(read("1")->layout.model.layers, 8);
        QCOMPARE(read("1")->faults.size(), std::size_t{1});
        const auto newer = read("2");
        QVERIFY(!newer);
        QCOMPARE(newer.error().where, std::string("/version"));
        QVERIFY2(mentions(newer.error().why.english(), "newer") && mentions(newer.error().legal.english(), "1"),
                 newer.error().text().c_str());
        for (const char* wrong : {"0", "-1", "1.5", "\"1\"", "null", "[1]", "99999999999999999999"})
            QVERIFY2(!read(wrong), wrong);
        QVERIFY(!setField({}, "/version=2"));
    }

    void repeatedKeysAreFaults() {
        const auto parsed =
            parseLayout(R"({"model": {"layers": 2, "layers": 8}, "model": {"layers": [[{"x": 1}]]}, "name": "n"})");
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->faults.size(), std::size_t{2});
        QCOMPARE(parsed->faults[0].pointer, std::string("/model/layers"));
        QCOMPARE(parsed->faults[1].pointer, std::string("/model"));
        QCOMPARE(parsed->layout.model.layers, 2);
    }

    void numbersMayBeWrittenInAnyForm() {
        const auto parsed = parseLayout(
            R"({"model": {"layers": 8.0, "hidden": 1e2}, "run": {"seed": -9223372036854775808}, "optimizer": {"clip": 3}})");
        QVERIFY2(parsed->faults.empty(), toText(parsed->faults).c_str());
        QCOMPARE(parsed->layout.model.layers, 8);
        QCOMPARE(parsed->layout.model.hidden, 100);
        QCOMPARE(parsed->layout.run.seed, std::numeric_limits<std::int64_t>::min());
        QCOMPARE(parsed->layout.optimizer.clip, 3.0);
        QVERIFY(mentions(faultsOf(R"({"run": {"seed": 9223372036854775808}})"), "out of range"));
        QVERIFY(mentions(faultsOf(R"({"run": {"seed": 1e300}})"), "out of range"));
        QVERIFY(mentions(faultsOf(R"({"run": {"steps": 1e300}})"), "out of range"));
    }

    void paceComesAndGoes() {
        QVERIFY(!parseLayout(R"({"cluster": {"pace": null}})")->layout.cluster.pace);
        const auto paced = parseLayout(R"({"cluster": {"pace": {"step_seconds": 2}}})");
        QVERIFY(paced->layout.cluster.pace.has_value());
        QCOMPARE(paced->layout.cluster.pace->stepSeconds, 2.0);
        QCOMPARE(paced->layout.cluster.pace->device, PaceSpec{}.device);
        QVERIFY(!mentions(writeLayout(Layout{}), "pace"));
    }

    void fieldsAreSetByPointer() {
        Layout layout;
        const auto set = [&](const char* assignment) {
            const auto parsed = setField(layout, assignment);
            QVERIFY2(parsed.has_value(), assignment);
            QVERIFY2(parsed->faults.empty(), toText(parsed->faults).c_str());
            layout = parsed->layout;
        };
        set("/parallel/data=4");
        QCOMPARE(layout.parallel.data, 4);
        set("/schedule/kind=gpipe");
        QCOMPARE(layout.schedule.kind, std::string("gpipe"));
        set("/name=4");
        QCOMPARE(layout.name, std::string("4"));
        set("/name=\"a=b\"");
        QCOMPARE(layout.name, std::string("a=b"));
        set("/schedule/stages=[1, 3]");
        QCOMPARE(layout.schedule.stages, (std::vector<int>{1, 3}));
        set("/cluster/hosts/0/devices=8");
        QCOMPARE(layout.cluster.hosts[0].devices, 8);
        set("/cluster/pace/step_seconds=0.5");
        QCOMPARE(layout.cluster.pace->stepSeconds, 0.5);
        set("/cluster/pace=null");
        QVERIFY(!layout.cluster.pace);
        set("/run={\"steps\": 7}");
        QCOMPARE(layout.run.steps, 7);

        for (const char* wrong : {"", "parallel/data=4", "/parallel/data", "/name/x=1", "/cluster/hosts/7/name=a",
                                  "/cluster/hosts/x=1", "/~2=1", "=", "/parallel/data/=1",
                                  "/elsewhere/3333333333333333333/=1", "/cluster/hosts/400000000/name=a"}) {
            const auto parsed = setField(layout, wrong);
            QVERIFY2(!parsed || !parsed->faults.empty(), wrong);
        }
        const auto unknown = setField(layout, "/parallel/dato=4");
        QVERIFY(unknown.has_value());
        QVERIFY2(mentions(toText(unknown->faults), "did you mean data?"), toText(unknown->faults).c_str());
        QVERIFY(!setField(layout, "/parallel/data=many")->faults.empty());
    }

    void filesAreReadAndSaved() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("a.layout.json").toStdString();
        Layout layout;
        layout.data = {DataKind::Text, "corpus.txt", TokenizerKind::Byte, 0.2};
        QVERIFY(saveLayout(layout, file).has_value());
        const auto read = readLayout(file);
        QVERIFY(read.has_value());
        QCOMPARE(read->layout, layout);
        QCOMPARE(resolvePaths(read->layout, file.parent_path()).data.path, folder.filePath("corpus.txt").toStdString());
        layout.data.path = "/elsewhere/corpus.txt";
        QCOMPARE(resolvePaths(layout, file.parent_path()).data.path, layout.data.path);
        QVERIFY(resolvePaths(Layout{}, file.parent_path()).data.path.empty());
        const auto missing = readLayout(folder.filePath("b.layout.json").toStdString());
        QVERIFY(!missing && mentions(missing.error().text(), "b.layout.json"));
        QFile broken(folder.filePath("c.layout.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("{\n]");
        broken.close();
        const auto refused = readLayout(broken.fileName().toStdString());
        QVERIFY(!refused && mentions(refused.error().text(), "c.layout.json, line 2, column 1"));
    }
};

QTEST_GUILESS_MAIN(LayoutFileTest)
#include "layout_file_test.moc"
