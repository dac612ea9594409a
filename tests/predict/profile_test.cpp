// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/measurements.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/predict/plan/profile_store.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

using namespace shardlab::test;

namespace {

double random() { return 1e-4 + 1e-2 * (freshSeed() * 0x1p-32); }

PartProfile part(const char* name) {
    PartProfile part;
    part.name = name;
    part.forward = random();
    part.backward = random();
    part.inputGrad = random();
    part.weightGrad = random();
    part.optimizer = random();
    part.activationBytes = 1 + freshSeed() % (1 << 30);
    part.weightBytes = 1 + freshSeed() % (1 << 30);
    return part;
}

/// A profile of the default layout on a machine of four cores.
Profile anyProfile(const Layout& layout = {}) {
    Profile profile;
    profile.machine = {"a processor", 4};
    profile.layout = layout;
    profile.date = "2026-11-20T12:00:00Z";
    profile.embedding = part("embedding");
    profile.blocks = {{layout.model.layers, {part("attention"), part("feed-forward")}}};
    profile.output = part("output");
    profile.send = {random(), 1e9};
    profile.allReduce = {random(), 2e9};
    profile.actionSeconds = random();
    profile.kernels = {{{"A·B", 12, random(), 1e9, 1e7}, {"layer norm", 3.5, random(), 0, 1e6}}, 0.4, 5e11, 7e10};
    profile.stepSeconds = 0.5;
    profile.predictedStepSeconds = 0.45;
    return profile;
}

Measurements having(Profile profile) { return {profile.machine, {profile}, {}}; }

bool near(double a, double b) { return std::abs(a / b - 1) < 1e-12; }

Profile withSpread(double share) {
    Profile profile = anyProfile();
    profile.spreads = {{"forwards", share / 2}, {"training steps", share}, {"messages", share / 3}};
    return profile;
}

bool noted(const Plan& plan, std::string_view words) {
    return std::ranges::any_of(plan.notes,
                               [&](const Sentence& note) { return note.english().find(words) != std::string::npos; });
}

}  // namespace

class ProfileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenIsRead() {
        Layout layout;
        layout.model.feedForward = {100, 200, 300, 400};
        Profile profile = anyProfile(layout);
        profile.spreads = {{"forwards", freshSeed() * 0x1p-32}, {"training steps", freshSeed() * 0x1p-32}};
        const auto read = parseProfile(writeProfile(profile));
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(*read == profile);
    }

    void theFirstVersionHasNoKernels() {
        Profile profile = anyProfile();
        std::string text = writeProfile(profile);
        const auto replace = [&](const std::string& from, const std::string& to) {
            text.replace(text.find(from), from.size(), to);
        };
        replace("\"shardlab_profile\": 2", "\"shardlab_profile\": 1");
        replace("\"kernels\"", "\"not known then\"");
        profile.kernels = {};
        const auto read = parseProfile(text);
        QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
        QVERIFY(*read == profile);
    }

    /// A roofline: the larger of two limits, and nothing of what is not known.
    void aKernelTakesAtLeastWhatItsLimitsAllow() {
        KernelAccount account{{{"products", 1, 4, 8e9, 1e9}, {"memory", 1, 2, 0, 3e9}}, 10, 4e9, 2e9};
        QCOMPARE(leastSeconds(account.kernels[0], account), 2.0);
        QCOMPARE(leastSeconds(account.kernels[1], account), 1.5);
        QCOMPARE(flopsPerSecond(account.kernels[0]), 2e9);
        QCOMPARE(bytesPerSecond(account.kernels[1]), 1.5e9);
        QCOMPARE(bytesPerSecond({"unseen", 1, 0, 1, 1}), 0.0);
        QCOMPARE(betweenKernels(account), 4.0);
        QCOMPARE(explainedShare(account), 0.35);
        account.kernels[1].seconds = 0.5;  // out of a cache: no more of the time is explained than was taken
        QCOMPARE(explainedShare(account), 0.25);
        account.kernels[1].seconds = 2;
        account.peakFlops = 0;
        QCOMPARE(leastSeconds(account.kernels[0], account), 0.5);
        account.memoryBandwidth = 0;
        QCOMPARE(leastSeconds(account.kernels[1], account), 0.0);
        QCOMPARE(explainedShare(KernelAccount{}), 0.0);
    }

    void whatIsNoProfileIsRefused_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("why");
        QTest::newRow("newer") << "\"shardlab_profile\": 2"
                               << "\"shardlab_profile\": 3"
                               << "version 3";
        QTest::newRow("no kernels") << "\"kernels\""
                                    << "\"colonels\""
                                    << "kernels";
        QTest::newRow("negative") << "\"threads\": 1"
                                  << "\"threads\": -1"
                                  << "threads is -1";
        QTest::newRow("half a core") << "\"cores\": 4"
                                     << "\"cores\": 4.5"
                                     << "cores is 4.5";
        QTest::newRow("more cores than an int") << "\"cores\": 4"
                                                << "\"cores\": 4444444444.4"
                                                << "cores is 4444444444.4";
        QTest::newRow("layers beyond counting") << "\"layers\":"
                                                << "\"layers\": 1e300, \"of\":"
                                                << "layers is 1e+300";
        QTest::newRow("version of a half") << "\"shardlab_profile\": 2"
                                           << "\"shardlab_profile\": 2.5"
                                           << "shardlab_profile is 2.5";
        QTest::newRow("missing") << "\"send\""
                                 << "\"sent\""
                                 << "send";
        QTest::newRow("no layout") << "\"heads\": 4"
                                   << "\"hands\": 4"
                                   << "hands";
        QTest::newRow("no JSON") << "{"
                                 << ""
                                 << "unexpected ':'";
    }
    void whatIsNoProfileIsRefused() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, why);
        QString text = QString::fromStdString(writeProfile(anyProfile()));
        QVERIFY(text.contains(from));
        const auto read = parseProfile(text.replace(from, to).toStdString());
        QVERIFY(!read);
        QVERIFY2(read.error().text().find(why.toStdString()) != std::string::npos, read.error().text().c_str());
    }

    void itFitsWhatItsPartsAreAlike() {
        const Profile profile = anyProfile();
        const auto fitsChanged = [&](auto change) {
            Layout layout;
            change(layout);
            return fits(profile, layout, profile.machine);
        };
        QVERIFY(fitsChanged([](Layout&) {}));
        QVERIFY(fitsChanged([](Layout& l) { l.model.layers = 8, l.batch.global = 64, l.run.steps = 3; }));
        QVERIFY(
            fitsChanged([](Layout& l) { l.parallel.pipeline = 4, l.parallel.data = 1, l.schedule.kind = "gpipe"; }));
        QVERIFY(!fitsChanged([](Layout& l) { l.model.hidden = 256; }));
        QVERIFY(!fitsChanged([](Layout& l) { l.batch.micro = 4; }));
        QVERIFY(!fitsChanged([](Layout& l) { l.optimizer.kind = OptimizerKind::Sgd; }));
        QVERIFY(!fitsChanged([](Layout& l) { l.cluster.pace = PaceSpec{}; }));
        QVERIFY(!fitsChanged([](Layout& l) { l.parallel.data = 1; }));  // 2 threads a rank
        QVERIFY(!fits(profile, Layout{}, {"another processor", 4}));
    }

    void blocksOfTheirOwnWidth() {
        Profile profile = anyProfile();
        profile.blocks = {{1, {part("a")}}, {2, {part("b"), part("c")}}};
        QCOMPARE(blockProfile(profile, 0).forward, profile.blocks[0].parts[0].forward);
        const double both = profile.blocks[1].parts[0].forward + profile.blocks[1].parts[1].forward;
        for (int layer : {1, 2, 3}) QCOMPARE(blockProfile(profile, layer).forward, both);
    }

    void storedAndFoundAgain() {
        const QTemporaryDir folder;
        const std::filesystem::path place = std::filesystem::path(folder.path().toStdString()) / "new" / "folder";
        QVERIFY(loadProfiles(place).empty());
        Profile older = anyProfile(), newer = older;
        newer.date = "2026-11-21T12:00:00Z";
        newer.layout.name = "with a name of its own";
        QCOMPARE(profileFile(older, place), profileFile(newer, place));  // the newer one takes its place
        QVERIFY(saveProfile(newer, profileFile(newer, place)));
        Profile other = older;
        other.layout.batch.micro = 4;
        QVERIFY(profileFile(other, place) != profileFile(older, place));
        QVERIFY(saveProfile(other, profileFile(other, place)));
        std::ofstream(place / "something else.json") << "{}";
        std::vector<Profile> all = loadProfiles(place);
        QCOMPARE(all.size(), std::size_t{2});
        all.push_back(older);
        const Profile* found = fittingProfile(all, Layout{}, older.machine);
        QVERIFY(found != nullptr);
        QCOMPARE(found->date, newer.date);
        QVERIFY(fittingProfile(all, Layout{}, {"another", 4}) == nullptr);
    }

    void stagesTakeTheSumOfTheirParts() {
        const Profile profile = anyProfile();
        const auto plan = makePlan(Layout{}, having(profile));
        QVERIFY(plan.has_value());
        const PartProfile block = blockProfile(profile, 0);
        const StageCosts& first = plan->costs.stages[0];
        const StageCosts& last = plan->costs.stages[1];
        QVERIFY(near(first.forward, profile.embedding.forward + 2 * block.forward + profile.actionSeconds));
        QVERIFY(near(last.backward, profile.output.backward + 2 * block.backward + profile.actionSeconds));
        QVERIFY(near(last.weightGrad, profile.output.weightGrad + 2 * block.weightGrad + profile.actionSeconds));
        const double bytes = static_cast<double>(first.sendBytes);
        QVERIFY(near(first.send, profile.send.seconds + bytes / profile.send.bandwidth));
        const double buffer = static_cast<double>(first.reduceBytes);
        QVERIFY(near(first.reduce,
                     profile.actionSeconds + 2 * profile.allReduce.seconds + buffer / profile.allReduce.bandwidth));
        const auto said = [&](std::string_view words) {
            return std::ranges::any_of(
                plan->notes, [&](const Sentence& note) { return note.english().find(words) != std::string::npos; });
        };
        QVERIFY(said("measured on this machine on 2026-11-20"));
        QVERIFY(said("10.0 % off"));
    }

    /// Twice as slow as the preset for one microbatch: taken to be so for another.
    /// Scatters and gathers are half of an all-reduce; a replica updates its shard.
    void communicationBesideComputeIsMeasuredToo() {
        Layout layout;
        layout.parallel.pipeline = 1;
        layout.cluster.hosts.front().devices = layout.parallel.data = 4;
        const Profile profile = anyProfile(layout);
        std::map<int, double> optimizer;
        for (const int zero : {0, 1, 3}) {
            layout.parallel.zero = zero;
            const auto plan = makePlan(layout, having(profile));
            QVERIFY(plan);
            const StageCosts& cost = plan->costs.stages.front();
            optimizer[zero] = cost.optimizer - profile.actionSeconds;
            const auto wanted = [&](const DataPiece& piece) {
                return 2 * 3 *
                       (static_cast<double>(piece.bytes) / 4 / profile.allReduce.bandwidth + profile.allReduce.seconds);
            };
            QVERIFY(!cost.data.reduce.empty());
            for (const DataPiece& piece : cost.data.reduce)
                QVERIFY(near(piece.seconds, wanted(piece) / (zero > 0 ? 2 : 1)));
            for (const auto* pieces : {&cost.data.gatherForward, &cost.data.gatherBackward, &cost.data.gatherUpdated})
                for (const DataPiece& piece : *pieces) QVERIFY(near(piece.seconds, wanted(piece) / 2));
            QCOMPARE(cost.data.gatherForward.empty(), zero != 3);
            QCOMPARE(cost.data.gatherUpdated.empty(), zero != 1);
        }
        QVERIFY(near(optimizer[0], 4 * optimizer[1]) && near(optimizer[1], optimizer[3]));
    }

    void anotherMicrobatchIsEstimatedFromIt() {
        Layout layout;
        Profile profile = anyProfile(layout);
        layout.batch.micro = 4;
        const auto once = makePlan(layout, having(profile));
        for (PartProfile* p :
             {&profile.embedding, &profile.blocks[0].parts[0], &profile.blocks[0].parts[1], &profile.output})
            p->forward *= 2, p->backward *= 2;
        const auto twice = makePlan(layout, having(profile));
        QVERIFY(once && twice);
        QVERIFY(near(twice->costs.stages[0].forward, 2 * once->costs.stages[0].forward));
        QVERIFY(twice->notes.front().english().find("not measured; estimated from the profile of") !=
                std::string::npos);
    }

    /// A machine that takes nearly the same time each time, one that stumbles once, and one whose cores others use.
    void repeatedMeasurementsTellABusyMachine() {
        const double once = 1e-4 + freshSeed() * 0x1p-32;
        std::vector<double> quiet, stumbles, busy;
        for (int i = 0; i < 20; ++i) {
            quiet.push_back(once * (1 + 0.004 * ((i * 7) % 20)));
            stumbles.push_back(i == 5 ? 50 * once : quiet.back());
            busy.push_back(i % 2 == 0 ? quiet.back() : 1.6 * quiet.back());
        }
        QVERIFY(spreadOf(quiet) > 0 && spreadOf(quiet) <= noisySpread);
        QVERIFY(spreadOf(stumbles) <= noisySpread);
        QVERIFY(spreadOf(busy) > noisySpread);
        QVERIFY(near(spreadOf({once, 2 * once, 3 * once, 4 * once}), 2.0 / 3));
        QCOMPARE(spreadOf({}), 0.0);
        QCOMPARE(spreadOf({1, 2, 3}), 0.0);
        QCOMPARE(spreadOf({0, 0, 0, 0, 0}), 0.0);
    }

    void aNoisyProfileIsTold() {
        const double quiet = noisySpread / 2, loud = 0.4;
        Layout another;
        another.batch.micro = 4;
        for (const Layout& layout : {Layout{}, another}) {
            const auto before = makePlan(layout, having(anyProfile()));
            const auto calm = makePlan(layout, having(withSpread(quiet)));
            const auto busy = makePlan(layout, having(withSpread(loud)));
            QVERIFY(before && calm && busy);
            QVERIFY(!noted(*before, "noisy") && !noted(*calm, "noisy"));
            QVERIFY(noted(*busy, "noisy: repeated measurements of training steps differ by 40 %"));
            QVERIFY(noted(*busy, "Measure again with shardlab profile"));
        }
    }

    /// What names a profile's file leaves its noise out: measured again it replaces the noisy one.
    void aQuietProfileReplacesANoisyOne() {
        QCOMPARE(profileFile(withSpread(0.1), "f"), profileFile(withSpread(0.6), "f"));
    }

    void whatIsNoisyIsMeasuredAgain() {
        const auto measured = [](std::vector<double> shares, std::vector<std::string>& told, int& times) {
            const auto next = [&] { return Result<Profile>(withSpread(shares.at(std::size_t(times++)))); };
            return quietestProfile(next, [&](const std::string& what) { told.push_back(what); });
        };
        struct Case {
            std::vector<double> shares;
            int times;
            double kept;
            std::size_t told;
        };
        for (const Case& wanted :
             {Case{{0.1, 0.05}, 1, 0.1, 0}, Case{{0.6, 0.1, 0.05}, 2, 0.1, 1}, Case{{0.6, 0.4, 0.5, 0.1}, 3, 0.4, 3}}) {
            std::vector<std::string> told;
            int times = 0;
            const auto profile = measured(wanted.shares, told, times);
            QVERIFY(profile);
            QCOMPARE(times, wanted.times);
            QCOMPARE(widestSpread(*profile)->share, wanted.kept);
            QCOMPARE(told.size(), wanted.told);
            if (!told.empty())
                QVERIFY2(told.front().find("noisy: repeated measurements of training steps differ by 60 %") !=
                             told.front().npos,
                         told.front().c_str());
            if (told.size() == 3) QVERIFY2(told.back().find("differ by 40 %") != told.back().npos, told.back().c_str());
        }
        int times = 0;
        const auto stopped = quietestProfile(
            [&]() -> Result<Profile> {
                if (++times == 1) return withSpread(0.6);
                return fail(Error{"nothing was measured", {}, "it was stopped", {}});
            },
            [](const std::string&) {});
        QVERIFY(!stopped);
        QCOMPARE(times, 2);
    }

    void pacedLayoutsAreTheirDevices() {
        Layout layout;
        layout.cluster.pace = PaceSpec{};
        const auto without = makePlan(layout), with = makePlan(layout, having(anyProfile()));
        QVERIFY(without && with);
        QCOMPARE(with->costs.stretch, without->costs.stretch);
        QVERIFY(with->notes == without->notes);
    }

    void coresAreLookedAt() {
        const CoreSpeed core = measureCoreSpeed();
        QVERIFY(core.flops > 1e9 && core.flops < 1e13);
        QVERIFY(core.memoryBandwidth > 1e8 && core.memoryBandwidth < 1e13);
        Measurements fast{{"a processor", 4}, {}, {1e12, 1e12}}, slow{{"a processor", 4}, {}, {1e10, 1e10}};
        const auto quick = makePlan(Layout{}, fast), slowly = makePlan(Layout{}, slow);
        QVERIFY(quick && slowly && quick->stepSeconds < slowly->stepSeconds);
    }
};

QTEST_APPLESS_MAIN(ProfileTest)
#include "profile_test.moc"
