// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/arena.h"
#include "tests/kernels/random_inputs.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <algorithm>
#include <vector>

using namespace shardlab::test;

class ArenaTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countsWhatWasAskedFor() {
        Arena arena;
        QCOMPARE(total(arena.used()), 0);
        {
            const Buffer activations = arena.allocate(MemoryCategory::Activations, 7);
            const Buffer temporary = arena.allocate(MemoryCategory::Temporary, 100);
            QCOMPARE(arena.used()[static_cast<std::size_t>(MemoryCategory::Activations)], 7 * 4);
            QCOMPARE(arena.used()[static_cast<std::size_t>(MemoryCategory::Temporary)], 100 * 4);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(activations.floats()) % 64, 0u);
        }
        QCOMPARE(total(arena.used()), 0);
        QCOMPARE(arena.peak(), 107 * 4);
    }

    void peaksAreOfTheSumAndOfEachCategory() {
        Arena arena;
        { const Buffer early = arena.allocate(MemoryCategory::Activations, 10); }
        const Buffer late = arena.allocate(MemoryCategory::Buffers, 4);
        QCOMPARE(arena.peakByCategory()[static_cast<std::size_t>(MemoryCategory::Activations)], 40);
        QCOMPARE(arena.peakByCategory()[static_cast<std::size_t>(MemoryCategory::Buffers)], 16);
        QCOMPARE(arena.peak(), 40);
        arena.resetPeaks();
        QCOMPARE(arena.peak(), 16);
        QCOMPARE(arena.peakByCategory()[static_cast<std::size_t>(MemoryCategory::Activations)], 0);
        const Buffer more = arena.allocate(MemoryCategory::Activations, 1);
        QCOMPARE(arena.peak(), 20);
    }

    void reusesFreedBlocks() {
        Arena arena;
        float* first = nullptr;
        {
            const Buffer buffer = arena.allocate(MemoryCategory::Temporary, 1000);
            first = buffer.floats();
        }
        const std::int64_t reserved = arena.reserved();
        const Buffer again = arena.allocate(MemoryCategory::Activations, 1000);
        QCOMPARE(again.floats(), first);
        QCOMPARE(arena.reserved(), reserved);
        const Buffer other = arena.allocate(MemoryCategory::Activations, 1000);
        QVERIFY(other.floats() != again.floats());
        QVERIFY(arena.reserved() > reserved);
    }

    void tellsTheLargestFreeBlock() {
        Arena arena;
        QCOMPARE(arena.largestFree(), 0);
        {
            const Buffer small = arena.allocate(MemoryCategory::Temporary, 16),
                         other = arena.allocate(MemoryCategory::Temporary, 16);
            Buffer large = arena.allocate(MemoryCategory::Activations, 1024);
            QCOMPARE(arena.free(), 0);
            large = {};
            QCOMPARE(arena.largestFree(), 4096);
        }
        QCOMPARE(arena.free(), 4096 + 2 * 64);
        QCOMPARE(arena.free(), arena.reserved());
        // Not cut up for what is smaller.
        const Buffer between = arena.allocate(MemoryCategory::Activations, 512),
                     again = arena.allocate(MemoryCategory::Temporary, 16);
        QCOMPARE(arena.largestFree(), 4096);
        QCOMPARE(arena.free(), 4096 + 64);
        const Buffer large = arena.allocate(MemoryCategory::Activations, 1024);
        QCOMPARE(arena.largestFree(), 64);
    }

    void stepsThatAskAlikeGetTheSame() {
        Arena arena;
        std::vector<float*> before;
        for (int step = 0; step < 4; ++step) {
            arena.startStep();
            std::vector<float*> given;
            std::vector<Buffer> held;
            for (int i = 0; i < 6; ++i) {
                held.push_back(arena.allocate(MemoryCategory::Activations, 100));
                given.push_back(held.back().floats());
            }
            // What is held longest is not the same in each step.
            for (int i = 0; i < 6; ++i) held[static_cast<std::size_t>((i * 5 + step) % 6)] = {};
            if (step > 1) QCOMPARE(given, before);  // the first took them from the device
            before = given;
        }
    }

    void movedBuffersAreFreedOnce() {
        Arena arena;
        Buffer a = arena.allocateZeroed(MemoryCategory::Gradients, 5);
        for (float value : a.span().floats()) QCOMPARE(value, 0.0f);
        Buffer b = std::move(a);
        QVERIFY(a.empty());
        QCOMPARE(b.size(), 5u);
        b = arena.allocate(MemoryCategory::Gradients, 6);  // gives the five back
        QCOMPARE(arena.used()[static_cast<std::size_t>(MemoryCategory::Gradients)], 24);
        b = {};
        QCOMPARE(total(arena.used()), 0);
    }

    /// However many sizes come, no more blocks than were held at once; what is held is counted to the byte, stays as it
    /// was written, and takes no block of sizes that do not vary.
    void sizesThatVaryDoNotPileUp() {
        RandomInputs in;
        Arena arena;
        constexpr std::size_t most = 5;
        const int largest = in.whole(1000, 9000);
        float* fixed = nullptr;
        {
            const Buffer always = arena.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(largest));
            fixed = always.floats();
        }
        const std::int64_t before = arena.reserved();
        std::vector<Buffer> held(most);
        std::vector<float> marks(most);
        std::int64_t bytes = 0;
        for (int round = 0; round < 2000; ++round) {
            const auto i = static_cast<std::size_t>(in.whole(0, most - 1));
            QVERIFY2(std::ranges::all_of(held[i].span().floats(), [&](float each) { return each == marks[i]; }),
                     qPrintable(in.seed()));
            bytes -= static_cast<std::int64_t>(held[i].span().bytes().size());
            held[i] = {};
            held[i] = arena.allocateVarying(MemoryCategory::Activations,
                                            static_cast<std::size_t>(in.whole((largest + 1) / 2, largest)));
            marks[i] = static_cast<float>(round);
            std::ranges::fill(held[i].span().floats(), marks[i]);
            bytes += static_cast<std::int64_t>(held[i].span().bytes().size());
            QVERIFY(held[i].floats() != fixed);
            QVERIFY(total(arena.used()) == bytes);
        }
        const std::int64_t block = (largest * 4 + 63) / 64 * 64;
        QVERIFY(arena.reserved() - before <= static_cast<std::int64_t>(most) * block);
        const Buffer again = arena.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(largest));
        QVERIFY(again.floats() == fixed);
        Arena other;
        const Buffer like = other.allocateLike(held[0], MemoryCategory::Buffers),
                     plain = other.allocateLike(again, MemoryCategory::Buffers);
        QVERIFY(like.varies() && like.size() == held[0].size() && !plain.varies());
        QCOMPARE(total(other.used()), static_cast<std::int64_t>(4 * (like.size() + plain.size())));
        held.clear();
        QVERIFY(total(arena.used()) == 4 * largest && arena.free() == arena.reserved() - block);
        QVERIFY(arena.largestFree() <= block && 2 * arena.largestFree() >= block);
    }

    void nothingIsAnEmptyBuffer() {
        Arena arena;
        const Buffer nothing = arena.allocate(MemoryCategory::Optimizer, 0);
        QVERIFY(nothing.empty());
        QCOMPARE(arena.reserved(), 0);
    }
};

QTEST_GUILESS_MAIN(ArenaTest)
#include "arena_test.moc"
