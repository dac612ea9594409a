// SPDX-License-Identifier: Apache-2.0
// Fields that are said to change nothing change nothing: of random layouts, every other legal value gives the same
// plan.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/registries.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/fields.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/random_field.h"
#include "tests/support/seed.h"
#include "tests/support/told_plan.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>
#include <set>

using namespace shardlab::test;

namespace {

bool legal(const Layout& layout) { return check(layout, scheduleMethods()).empty(); }

/// Each preset with experts once more with every gate, in a gpt and in a llama: chance seldom writes one.
void addGates(std::vector<Preset>& all) {
    for (std::size_t i = all.size(); i-- > 0;) {
        if (!hasExperts(all[i].layout.model)) continue;
        for (const std::string_view gate : layoutWords<GateMethod>)
            for (const ModelKind kind : {ModelKind::GptMoe, ModelKind::LlamaMoe}) {
                Preset other = all[i];
                other.layout.model.kind = kind;
                other.layout.model.experts.gate = *kindOf<GateMethod>(gate);
                if (legal(other.layout)) all.push_back(other);
            }
    }
}

/// A preset, small enough to be planned at once, with several of its fields changed and legal all the same.
Layout randomLayout(const std::vector<Preset>& all, RandomStream& random) {
    while (true) {
        Layout layout = all[random.below(all.size())].layout;
        if (layout.model.layers > 16) continue;
        if (random.below(3) == 0) layout.cluster.pace.reset();
        for (int tries = static_cast<int>(random.below(40)); tries > 0; --tries) {
            const Field& field = fields()[random.below(fields().size())];
            Layout changed = layout;
            if (!isPresent(field, layout) || field.pointer == "/model/weights") continue;
            changeField(field, changed, random);
            if (field.pointer == "/schedule/kind" && !changed.schedule.actions.empty())
                changed.schedule.actions.clear();
            if (legal(changed)) layout = std::move(changed);
        }
        return layout;
    }
}

std::string told(const Layout& layout) {
    const auto plan = makePlan(layout);
    return plan ? shardlab::test::told(*plan) : "faults";
}

}  // namespace

class FieldEffectTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fieldsWithoutEffectChangeNothing() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "field effect");
        auto all = presets();
        QVERIFY(all.has_value());
        addGates(*all);
        std::map<std::string_view, int> idle, effective, compared;
        // Where no other value may be legal, none is tried.
        const std::set<std::string_view> oneLegal{
            "/parallel/zero",          "/parallel/exchange",  "/parallel/partition", "/parallel/sequence",
            "/parallel/shard",         "/schedule/chunks",    "/schedule/in_flight", "/schedule/actions",
            "/schedule/vertical_sync", "/optimizer/clip",     "/run/max_restarts",   "/checkpoint/every",
            "/run/min_data",           "/memory/activations", "/precision/products", "/precision/exchange"};
        // What chance does not write: other hosts, an order by hand, all that easgd asks for.
        const std::set<std::string_view> notDrawn{"/cluster/agent", "/cluster/network", "/schedule/actions",
                                                  "/optimizer/elastic_rho"};
        const auto unseen = [&](std::string_view pointer) {
            return !notDrawn.contains(pointer) && effective[pointer] == 0;
        };
        const auto untried = [&](std::string_view pointer) {
            return !oneLegal.contains(pointer) && compared[pointer] == 0;
        };
        const auto complete = [&] {
            return std::ranges::none_of(idle,
                                        [&](const auto& each) { return unseen(each.first) || untried(each.first); });
        };
        // What is drawn least is drawn once in some fourteen hundred rounds.
        for (int round = 0; round < 2400 || (round < 40'000 && (round % 100 != 0 || !complete())); ++round) {
            const Layout layout = randomLayout(*all, random);
            std::string before;
            for (const Field& field : fields()) {
                const bool none = !withoutEffect(field.pointer, layout, scheduleMethods()).empty();
                ++(none ? idle : effective)[field.pointer];
                if (!none || compared[field.pointer] > 25) continue;
                for (int tries = 0; tries < 3; ++tries) {
                    Layout changed = layout;
                    changeField(field, changed, random);
                    if (changed == layout || !legal(changed)) continue;
                    if (before.empty()) before = told(layout);
                    ++compared[field.pointer];
                    QVERIFY2(told(changed) == before,
                             qPrintable(QString::fromStdString(std::string(field.pointer) + " changes the plan of " +
                                                               layout.name)));
                    break;
                }
            }
        }
        // Every rule was seen to hold and not to hold; where another value is legal at all, it was tried.
        for (const auto& [pointer, times] : idle) {
            QVERIFY2(!unseen(pointer), pointer.data());
            QVERIFY2(!untried(pointer), pointer.data());
        }
        QVERIFY(idle.size() > 20);
    }

    void presetsSayWhatTheyLeaveOut() {
        const auto says = [](const char* preset, const char* pointer) {
            return std::string(withoutEffect(pointer, findPreset(preset)->layout, scheduleMethods()));
        };
        QCOMPARE(says("sgd-momentum", "/optimizer/betas"), std::string("only with adamw or adamw-8bit"));
        QCOMPARE(says("sgd-momentum", "/optimizer/momentum"), std::string());
        QCOMPARE(says("1f1b-4", "/optimizer/momentum"), std::string("only with sgd or sm3"));
        QCOMPARE(says("1f1b-4", "/parallel/bucket"), std::string("only with several replicas"));
        QCOMPARE(says("data-4", "/parallel/bucket"), std::string());
        QCOMPARE(says("1f1b-4", "/precision/scale"), std::string("only with a static or dynamic loss scale"));
        QCOMPARE(says("fp16-loss-scale", "/precision/scale"), std::string());
        QCOMPARE(says("interleaved-4", "/schedule/chunks"), std::string());
        QVERIFY(says("gpipe-4", "/schedule/chunks").starts_with("only with schedules of several chunks"));
        QCOMPARE(says("pipedream-4", "/schedule/vertical_sync"), std::string());
        QCOMPARE(says("tensor-4", "/parallel/sequence"), std::string());
        QCOMPARE(says("1f1b-4", "/parallel/sequence"), std::string("only with tensor parallelism"));
        Layout layout = findPreset("1f1b-4")->layout;
        layout.cluster.hosts.front().name = "node1";
        layout.schedule.kind = "custom";
        for (const char* pointer : {"/cluster/agent", "/cluster/network", "/schedule/actions"}) {
            QVERIFY(!says("1f1b-4", pointer).empty());
            QVERIFY(withoutEffect(pointer, layout, scheduleMethods()).empty());
        }
        Layout replicas = findPreset("data-4")->layout;
        const auto of = [&](const char* pointer) {
            return std::string(withoutEffect(pointer, replicas, scheduleMethods()));
        };
        QCOMPARE(says("1f1b-4", "/parallel/exchange"), std::string("only with several replicas, or on one rank"));
        QCOMPARE(of("/parallel/exchange"), std::string());
        QCOMPARE(of("/optimizer/elastic_rho"), std::string("only with the exchange easgd"));
        replicas.parallel.exchange = Exchange::Elastic;
        QCOMPARE(of("/optimizer/elastic_rho"), std::string());
        QCOMPARE(of("/parallel/zero"), std::string("only with the exchange allreduce"));
        for (const char* pointer : {"/parallel/bucket", "/parallel/all_reduce"}) {
            QCOMPARE(of(pointer), std::string("only with the exchange allreduce, or with easgd in context groups"));
            replicas.parallel.context = 2;
            QCOMPARE(of(pointer), std::string());
            replicas.parallel.context = 1;
        }
        for (const Exchange exchange : {Exchange::Elastic, Exchange::AsyncServer}) {
            replicas.parallel.exchange = exchange;
            const bool takes = exchange == Exchange::Elastic;
            for (const char* pointer : {"/checkpoint/every", "/checkpoint/keep"})
                QCOMPARE(of(pointer),
                         std::string(takes ? "" : "only with the exchange allreduce, server, easgd or hogwild"));
        }
        for (const char* always :
             {"/model/layers", "/batch/global", "/run/steps", "/optimizer/learning_rate", "/no/such/field"})
            QCOMPARE(says("1f1b-4", always), std::string());
    }

    /// Units are of numbers, and no text says one twice.
    void unitsAreOfNumbers() {
        int some = 0;
        for (const Field& field : fields()) {
            if (field.unit.empty()) continue;
            ++some;
            QVERIFY2(std::holds_alternative<IntegerField>(field.access) ||
                         std::holds_alternative<LongField>(field.access) ||
                         std::holds_alternative<NumberField>(field.access) ||
                         std::holds_alternative<IntegerListField>(field.access),
                     field.pointer.data());
        }
        QVERIFY(some > 15);
        QCOMPARE(findField("/batch/global")->unit, std::string_view("samples"));
        QCOMPARE(findField("/parallel/bucket")->unit, std::string_view("MB"));
        QVERIFY(findField("/optimizer/learning_rate")->unit.empty());
    }
};

QTEST_GUILESS_MAIN(FieldEffectTest)
#include "field_effect_test.moc"
