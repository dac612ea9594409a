// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/presets.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/partition_layout.h"
#include "engine/predict/search/search.h"
#include "engine/predict/search/step_estimate.h"
#include "tests/predict/brute_force.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

using namespace shardlab::test;

namespace {

bool near(double one, double other) { return std::abs(one - other) <= 1e-9 * std::max(std::abs(one), std::abs(other)); }

SearchResult searchOrFail(const Layout& layout) {
    auto found = searchLayouts(layout);
    if (!found) qFatal("%s", toText(found.error()).c_str());
    return std::move(*found);
}

}  // namespace

class SearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        seed_ = freshSeed();
        random_.seed(seed_);
    }

    void findsWhatBruteForceFinds() {
        int compared = 0, tooLarge = 0, alike = 0;
        for (int round = 0; round < 16; ++round) {
            Layout base = randomLayout(random_);
            if (flushes(base) && random_() % 3 == 0) base.memory.offload = OffloadKind::Parameters;
            if (random_() % 3 == 0) base.precision.exchange = named(random_() % 2 == 0 ? "8-bit" : "1-bit");
            std::map<Key, Plan> expected = bruteForce(base);
            QVERIFY2(eraseNeedless(expected), qPrintable(QString::fromStdString(writeLayout(base))));
            const auto found = searchLayouts(base);
            QCOMPARE(found.has_value(), !expected.empty());
            if (!found) continue;
            std::set<Key> kept;
            for (const Candidate& candidate : found->candidates) QVERIFY(kept.insert(keyOf(candidate.choice)).second);
            // What is not kept has the figures of one that is, which differs in the schedule only.
            for (const auto& [key, plan] : expected) {
                if (kept.contains(key)) continue;
                const bool stoodFor = std::ranges::any_of(found->candidates, [&](const Candidate& candidate) {
                    Key other = keyOf(candidate.choice);
                    std::get<7>(other) = std::get<7>(key);
                    std::get<8>(other) = std::get<8>(key);
                    return other == key && candidate.peakBytes == peakOf(plan) &&
                           near(candidate.stepSeconds, plan.stepSeconds);
                });
                QVERIFY2(stoodFor, qPrintable(QString::fromStdString(writeLayout(plan.layout))));
                ++alike;
            }
            QVERIFY(found->complete);
            for (const Candidate& candidate : found->candidates) {
                const auto plan = expected.find(keyOf(candidate.choice));
                QVERIFY2(plan != expected.end(), candidate.choice.kind.c_str());
                const Plan& wanted = plan->second;
                QVERIFY(candidate.exact);
                QVERIFY(near(candidate.stepSeconds, wanted.stepSeconds));
                QVERIFY(near(candidate.tokensPerSecond, wanted.tokensPerSecond));
                QVERIFY(std::abs(candidate.bubble - wanted.bubble) < 1e-9);
                QCOMPARE(candidate.peakBytes, peakOf(wanted));
                QCOMPARE(candidate.fits, wanted.fits);
                QCOMPARE(candidate.why.empty(), wanted.fits);
                QCOMPARE(candidate.microbatches, microbatches(wanted.layout));
                tooLarge += !candidate.fits;
                ++compared;
            }
        }
        qInfo("%d candidates compared, %d of them too large; %d more are like one of them", compared, tooLarge, alike);
        QVERIFY(compared > 50 && alike > 5);
    }

    /// Two large layers: whole gradients on their way take more than sharing them out saves.
    void zeroThatNeedsMoreThanItSaves() {
        Layout base;
        base.model.kind = ModelKind::Mlp;
        base.model.layers = 2;
        base.model.heads = 4;
        base.model.hidden = 8192;
        base.model.sequence = 64;
        base.model.vocabulary = 256;
        base.model.feedForward = {8192, 73728};
        base.batch = {6, 2};
        base.optimizer.kind = OptimizerKind::Sgd;
        base.cluster.hosts = {{"a", 4}, {"b", 2}};
        base.parallel.data = 3;
        base.parallel.pipeline = 1;
        base.parallel.tensor = 2;
        const auto peakWith = [&](int zero) {
            Layout layout = base;
            layout.parallel.zero = zero;
            const auto plan = makePlan(layout);
            if (!plan) qFatal("%s", toText(plan.error()).c_str());
            return std::pair(peakOf(*plan), plan->device.usableBytes());
        };
        const auto [whole, capacity] = peakWith(0);
        QVERIFY(peakWith(2).first > whole);
        const SearchResult found = searchOrFail(base);
        const auto listed = [&](const Candidate& candidate) {
            const ParallelSpec& p = candidate.choice.parallel;
            return p.zero == 0 && p.data == 3 && p.tensor == 2 && candidate.choice.micro == 2 && candidate.fits;
        };
        QCOMPARE(std::ranges::any_of(found.candidates, listed), whole <= capacity);
    }

    void theBestComeFirstAndTheFrontIsNotDominated() {
        const SearchResult found = searchOrFail(searchable());
        const auto& all = found.candidates;
        QVERIFY(std::ranges::is_sorted(all, [](const Candidate& a, const Candidate& b) {
            return a.fits != b.fits ? a.fits : a.tokensPerSecond > b.tokensPerSecond;
        }));
        for (const Candidate& one : all) {
            const bool dominated = std::ranges::any_of(all, [&](const Candidate& other) {
                return other.fits && other.tokensPerSecond >= one.tokensPerSecond && other.peakBytes <= one.peakBytes &&
                       (other.tokensPerSecond > one.tokensPerSecond || other.peakBytes < one.peakBytes);
            });
            if (one.front) QVERIFY(one.fits && !dominated);
            // Among equals one stands for all.
            const auto equal = [&](const Candidate& other) {
                return other.front && other.tokensPerSecond == one.tokensPerSecond && other.peakBytes == one.peakBytes;
            };
            if (one.fits && !dominated) QVERIFY(std::ranges::any_of(all, equal));
        }
    }

    void everyCandidateIsLegal() {
        const Layout base = searchable();
        for (const Candidate& candidate : searchOrFail(base).candidates) {
            const auto faults = check(withChoice(base, candidate.choice), scheduleMethods());
            QVERIFY2(faults.empty(), toText(faults).c_str());
        }
    }

    void layoutsThatDoNotFitSayWhy() {
        Layout base = searchable();
        base.model = {ModelKind::Gpt, 96, 12288, 96, 2048, 50257, 0};
        base.cluster.hosts = {{"a", 8}};
        const SearchResult found = searchOrFail(base);
        QVERIFY(!found.candidates.empty());
        for (const Candidate& candidate : found.candidates) {
            QVERIFY(!candidate.fits && !candidate.front);
            QVERIFY2(candidate.why.english().find(
                         "too much: its device has 75.2 GiB usable (80.0 GiB less a reserve of 4.80 GiB); most are") !=
                         std::string::npos,
                     candidate.why.english().c_str());
        }
    }

    /// GPT-3 175B on 512 hosts of 8: layers shared inside a host, as it was trained (2104.04473).
    void aHundredAndSeventyFiveBillionParametersFindTensorGroups() {
        Layout base;
        base.model = {ModelKind::Gpt, 96, 12288, 96, 2048, 50257, 0};
        base.batch.global = 1536;
        base.cluster.hosts.clear();
        for (int host = 0; host < 512; ++host) base.cluster.hosts.push_back({"host" + std::to_string(host), 8});
        base.cluster.pace = PaceSpec{"h100-sxm", 1};
        QElapsedTimer timer;
        timer.start();
        const SearchResult found = searchOrFail(base);
        const Candidate& best = found.candidates.front();
        qInfo("%zu candidates in %.2f s; best: data %d pipeline %d tensor %d%s, %s, micro %d: %.3g tokens/s",
              found.candidates.size(), double(timer.nsecsElapsed()) * 1e-9, best.choice.parallel.data,
              best.choice.parallel.pipeline, best.choice.parallel.tensor,
              best.choice.parallel.sequence ? " sequence" : "", best.choice.kind.c_str(), best.choice.micro,
              best.tokensPerSecond);
        QVERIFY(best.fits);
        const auto shared = [](const Candidate& c) { return c.fits && c.choice.parallel.tensor == 8; };
        QVERIFY(std::ranges::any_of(found.candidates, shared));
        QVERIFY(std::ranges::any_of(found.candidates, [&](const Candidate& c) { return shared(c) && c.front; }));
        QVERIFY(
            std::ranges::none_of(found.candidates, [](const Candidate& c) { return c.choice.parallel.tensor > 8; }));
    }

    /// Steps too long to be simulated at once, against their whole simulation.
    /// Only long samples are worth a ring; what the layout itself asks for is looked at in any case.
    void longSamplesAreSharedOut() {
        const auto most = [](int sequence, int context) {
            Layout base;
            base.model.sequence = sequence;
            base.model.layers = 2;
            base.cluster.hosts = {{"localhost", 4}};
            base.cluster.pace = PaceSpec{};
            base.parallel.data = 4 / context;
            base.parallel.pipeline = 1;
            base.parallel.context = context;
            base.batch = {4, 1};
            int found = 0;
            for (const Candidate& candidate : searchOrFail(base).candidates)
                found = std::max(found, candidate.choice.parallel.context);
            return found;
        };
        QCOMPARE(most(4096, 1), 1);
        QCOMPARE(most(8192, 1), 2);
        QCOMPARE(most(16384, 1), 4);
        QCOMPARE(most(64, 2), 2);
    }

    /// Both methods of a context group are tried where heads divide, and each is estimated as its plan is.
    void bothContextMethodsAreTried() {
        const auto found = [](int heads, const char* model) {
            Layout base;
            base.model.kind = named(model);
            base.model.sequence = 16384;
            base.model.layers = 2;
            base.model.heads = heads;
            base.model.hidden = 16 * heads;
            base.cluster.hosts = {{"localhost", 4}};
            base.cluster.pace = PaceSpec{};
            base.parallel.data = 4;
            base.parallel.pipeline = 1;
            base.batch = {4, 1};
            std::set<std::pair<int, ContextKind>> tried;
            for (const Candidate& candidate : searchOrFail(base).candidates) {
                const ParallelSpec& p = candidate.choice.parallel;
                tried.emplace(p.context, p.contextKind);
                if (p.contextKind == ContextKind::Ring) continue;
                const auto plan = makePlan(withChoice(base, candidate.choice));
                if (!plan) qFatal("%s", toText(plan.error()).c_str());
                if (candidate.peakBytes != peakOf(*plan)) qFatal("its plan needs another room");
                if (std::abs(candidate.stepSeconds / plan->stepSeconds - 1) > 1e-9) qFatal("its plan takes longer");
            }
            return tried;
        };
        using enum ContextKind;
        using Tried = std::set<std::pair<int, ContextKind>>;
        QCOMPARE(found(4, "gpt"), (Tried{{1, Ring}, {2, Ring}, {2, Ulysses}, {4, Ring}, {4, Ulysses}}));
        QCOMPARE(found(2, "gpt"), (Tried{{1, Ring}, {2, Ring}, {2, Ulysses}, {4, Ring}}));
        QCOMPARE(found(4, "mlp"), (Tried{{1, Ring}, {2, Ring}, {4, Ring}}));
    }

    /// Expert groups are tried that divide data ranks and experts; each is estimated as its plan is, to the byte.
    void expertsAreSpread() {
        Layout base;
        base.model.kind = ModelKind::GptMoe;
        base.model.experts.count = 6;
        base.cluster.hosts = {{"localhost", 4}};
        base.cluster.pace = PaceSpec{};
        base.batch = {8, 1};
        std::map<int, int> found, sharded;
        for (const Candidate& candidate : searchOrFail(base).candidates) {
            const ParallelSpec& p = candidate.choice.parallel;
            ++found[p.expert];
            QCOMPARE(p.data % expertSpread(p), 0);
            if (p.zero > 0) ++sharded[p.expert];
            if (p.expert == 1 || candidate.choice.kind != "1f1b") continue;
            const auto plan = makePlan(withChoice(base, candidate.choice));
            QVERIFY(plan.has_value());
            QCOMPARE(candidate.peakBytes, peakOf(*plan));
            QVERIFY(std::abs(candidate.stepSeconds / plan->stepSeconds - 1) < 1e-9);
        }
        QVERIFY(found[1] > 0 && found[2] > 0);
        QVERIFY(sharded[1] > 0 && sharded[2] > 0);
        QCOMPARE(found.size(), std::size_t{2});  // 4 ranks do not divide 6 experts
        base.model.kind = ModelKind::Gpt;
        for (const Candidate& candidate : searchOrFail(base).candidates) QCOMPARE(candidate.choice.parallel.expert, 1);
    }

    /// Where layers differ, so that stages are balanced by what they cost, copies on one host that cannot hold all
    /// experts are no choice.
    void expertsOverSeveralHosts() {
        Layout base;
        base.model = {.kind = ModelKind::LlamaMoe, .layers = 5, .hidden = 64, .heads = 4, .sequence = 32};
        base.model.experts = {.count = 8, .gate = GateMethod::SoftmaxTopK, .capacity = 0, .denseLayers = 1};
        base.cluster.hosts = {{"one", 4}, {"two", 4}, {"three", 4}, {"four", 4}};
        base.cluster.pace = PaceSpec{};
        base.batch = {32, 1};
        std::set<std::pair<int, int>> found;  // degrees of experts, and copies
        for (const Candidate& candidate : searchOrFail(base).candidates) {
            const Layout layout = withChoice(base, candidate.choice);
            const auto faults = check(layout, scheduleMethods());
            QVERIFY2(faults.empty(), toText(faults).c_str());
            if (layout.parallel.pipeline == 2) found.emplace(layout.parallel.expert, layout.parallel.shard);
        }
        QVERIFY(found.contains({8, 0}) && !found.contains({8, 4}));
        QVERIFY(found.contains({2, 4}));
    }

    void longStepsAreContinued() {
        double worstStep = 0, worstBubble = 0, worstMemory = 0;
        int continued = 0;
        for (int round = 0; round < 6; ++round) {
            Layout base = searchable();
            base.model.layers = 16;
            base.model.vocabulary = 1 << (8 + random_() % 8);
            base.cluster.hosts = {{"a", 4}, {"b", 4}};
            base.batch.global = 512 + 32 * static_cast<int>(random_() % 17);
            for (const Candidate& candidate : searchOrFail(base).candidates) {
                if (candidate.exact) continue;
                const auto plan = makePlan(withChoice(base, candidate.choice));
                QVERIFY(plan.has_value());
                const auto off = [](double is, double should) { return std::abs(is / should - 1); };
                worstStep = std::max(worstStep, off(candidate.stepSeconds, plan->stepSeconds));
                worstBubble = std::max(worstBubble, std::abs(candidate.bubble - plan->bubble));
                worstMemory = std::max(worstMemory, off(double(candidate.peakBytes), double(peakOf(*plan))));
                ++continued;
            }
        }
        qInfo("%d long steps: worst error %.2g of the step, %.2g of the bubble (absolute), %.2g of the peak", continued,
              worstStep, worstBubble, worstMemory);
        QVERIFY(continued > 20);
        QVERIFY(worstStep < 0.01 && worstBubble < 0.01 && worstMemory < 0.01);
    }

    void theSameLayoutGivesTheSameAnswer() {
        const Layout base = searchable();
        const SearchResult first = searchOrFail(base);
        Layout moved = base;  // where the search starts from does not matter
        apply(first.candidates.back().choice, moved);
        QVERIFY(sameQuestion(base, moved));
        QVERIFY(searchOrFail(base).candidates == first.candidates);
        QVERIFY(searchOrFail(moved).candidates == first.candidates);
        moved.model.hidden *= 2;
        QVERIFY(!sameQuestion(base, moved));
    }

    void resultsStreamInAndTheSearchCanBeStopped() {
        const Layout base = searchable();
        std::vector<Candidate> streamed;
        SearchProgress last;
        SearchOptions options;
        options.found = [&](std::span<const Candidate> news, const SearchProgress& progress) {
            streamed.insert(streamed.end(), news.begin(), news.end());
            last = progress;
        };
        const auto whole = searchLayouts(base, options);
        QVERIFY(whole.has_value() && whole->complete);
        QCOMPARE(last.tried, last.legal);
        rankCandidates(streamed);
        QVERIFY(streamed == whole->candidates);

        std::stop_source source;
        options.stop = source.get_token();
        std::size_t told = 0;
        options.found = [&](std::span<const Candidate> news, const SearchProgress&) {
            told += news.size();
            source.request_stop();
        };
        const auto stopped = searchLayouts(base, options);
        QVERIFY(stopped.has_value() && !stopped->complete);
        QCOMPARE(stopped->candidates.size(), told);
        QVERIFY(told < whole->candidates.size());
        const auto never = searchLayouts(base, options);  // stopped before it began
        QVERIFY(never.has_value() && never->candidates.empty() && !never->complete);
    }

    void whatNoChoiceMendsComesBackAsFaults() {
        Layout heads = searchable();
        heads.model.heads = 5;
        const auto wrong = searchLayouts(heads);
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().front().pointer, std::string("/model/heads"));

        Layout prime;  // 7 devices divide neither 4 layers nor 16 samples
        prime.cluster.hosts = {{"a", 7}};
        const auto none = searchLayouts(prime);
        QVERIFY(!none && !none.error().empty());
        QCOMPARE(none.error().front().pointer, std::string("/batch/global"));

        Layout wrongChoice;  // the search chooses anew: what it chooses may be wrong before
        wrongChoice.parallel.data = 3;
        wrongChoice.schedule.kind = "none such";
        QVERIFY(searchLayouts(wrongChoice).has_value());
    }

private:
    static Layout searchable() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 12, 768, 12, 1024, 50304, 0};
        layout.cluster.hosts = {{"a", 4}, {"b", 4}};
        layout.cluster.pace = PaceSpec{"h100-sxm", 1};
        layout.batch.global = 96;
        return layout;
    }

    unsigned seed_ = 0;
    std::mt19937 random_;
};

QTEST_GUILESS_MAIN(SearchTest)
#include "search_test.moc"
