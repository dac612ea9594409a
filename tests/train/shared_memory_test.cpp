// SPDX-License-Identifier: Apache-2.0
// Messages and collectives through shared memory: against the conformance suite, and to the bit against those made of
// messages. Ranks are threads, each with a heap that the others map as another process would.
#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/shared/shared_communicator.h"
#include "engine/train/model/arena.h"
#include "tests/support/seed.h"
#include "tests/train/collective_rows.h"
#include "tests/train/communicator_suite.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <atomic>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr std::size_t heapBytes = std::size_t{256} << 20;

}  // namespace

class SharedMemoryTest : public QObject {
    Q_OBJECT

private:
    /// As runRanks, on shared memory; `without`: a rank that has no heap.
    static std::string runShared(int ranks, const std::function<void(int, SharedCommunicator&, SharedHeap*)>& body,
                                 int without = -1) {
        return runRanks(ranks, [&](int rank, Communicator& world) {
            const auto heap = rank == without ? nullptr : SharedHeap::create(heapBytes).value();
            std::vector<int> all;
            for (int k = 0; k < ranks; ++k) all.push_back(k);
            SharedCommunicator shared(world.group(all), {heap.get(), true, {}});
            body(rank, shared, heap.get());
        });
    }

    static void conforms(int ranks, int without) {
        const std::string fault = conformance::faultOf(freshSeed(), [&](const auto& check) {
            return runShared(
                ranks,
                [&](int, SharedCommunicator& world, SharedHeap*) {
                    if (world.shares() != (without < 0 && ranks > 1)) throw std::runtime_error("shares memory, or not");
                    check(world);
                },
                without);
        });
        QVERIFY2(fault.empty(), fault.c_str());
    }

private Q_SLOTS:
    /// All write into one block, element beside element, and the owner finds it all; what lies outside its heap nobody
    /// reaches.
    void aBlockOfOneIsReachedByAll_data() { conforms_data(); }
    void aBlockOfOneIsReachedByAll() {
        QFETCH(int, ranks);
        for (int owner = 0; owner < ranks; ++owner) {
            const std::string error = runShared(ranks, [&](int rank, SharedCommunicator& world, SharedHeap* heap) {
                const std::size_t bytes = sizeof(std::int32_t) * std::size_t(ranks);
                auto* const own = rank == owner ? static_cast<std::byte*>(heap->allocate(bytes)) : nullptr;
                const std::span<std::byte> block = world.reach({own, own ? bytes : 0}, owner);
                if (block.size() != bytes || (own && block.data() != own))
                    throw std::runtime_error("it is another block");
                reinterpret_cast<std::int32_t*>(block.data())[rank] = 100 + rank;
                world.barrier();
                for (int k = 0; k < ranks; ++k)
                    if (reinterpret_cast<const std::int32_t*>(block.data())[k] != 100 + k)
                        throw std::runtime_error("somebody's element is missing");
                std::byte elsewhere{};
                if (ranks > 1 && !world.reach({&elsewhere, 1}, owner).empty())
                    throw std::runtime_error("it is not in the heap");
                world.barrier();
                if (own) heap->release(own);
            });
            QVERIFY2(error.empty(), error.c_str());
        }
    }

    void conforms_data() {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4, 7}) QTest::addRow("%d ranks", ranks) << ranks;
    }
    void conforms() {
        QFETCH(int, ranks);
        conforms(ranks, -1);
    }
    void aMemberWithoutMemoryLeavesAllToMessages() { conforms(3, 1); }

    void hasTheBitsOfMessages_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("inHeap");
        for (const int ranks : {2, 3, 5})
            for (const DType type : {DType::F32, DType::BF16, DType::F16})
                for (const bool inHeap : {true, false})
                    QTest::addRow("%d ranks, %s, %s", ranks,
                                  type == DType::F32    ? "fp32"
                                  : type == DType::BF16 ? "bf16"
                                                        : "fp16",
                                  inHeap ? "in the heap" : "elsewhere")
                        << ranks << static_cast<int>(type) << inHeap;
    }
    void hasTheBitsOfMessages() {
        QFETCH(int, ranks);
        QFETCH(int, type);
        QFETCH(bool, inHeap);
        const auto numberType = static_cast<DType>(type);
        const std::int64_t seed = freshSeed();
        const std::string error = runRanks(ranks, [&](int rank, Communicator& world) {
            const auto heap = SharedHeap::create(heapBytes).value();
            const auto device = makeCpuDevice(inHeap ? heap.get() : nullptr);
            Arena arena(*device);
            std::vector<int> all;
            for (int k = 0; k < ranks; ++k) all.push_back(k);
            SharedCommunicator shared(world.group(all), {heap.get(), true, {}});
            RandomStream sizes(seed, "sizes");
            int what = 0;
            for (const CollectiveRow& each : allCollectives())
                for (const std::size_t count :
                     {std::size_t{1}, std::size_t{5}, 1 + static_cast<std::size_t>(sizes.below(30'000))}) {
                    const auto n = static_cast<std::size_t>(ranks);
                    const std::size_t in = each.manyIn ? n * count : count, out = each.manyOut ? n * count : count;
                    std::vector<std::byte> given = numbers(seed, ++what, rank, in, numberType),
                                           wanted(out * sizeOf(numberType));
                    each.run(world, {Array(given.data(), numberType), in}, {Array(wanted.data(), numberType), out});
                    const Buffer input = arena.allocate(MemoryCategory::Temporary, in, numberType);
                    const Buffer output = arena.allocate(MemoryCategory::Temporary, out, numberType);
                    std::memcpy(input.data().data, given.data(), given.size());
                    each.run(shared, input.span(), output.span());
                    if (std::memcmp(output.data().data, wanted.data(), wanted.size()) != 0)
                        throw std::runtime_error(std::string(each.name) + " of " + std::to_string(count) + " differs");
                }
        });
        QVERIFY2(error.empty(), qPrintable(QString("seed %1: %2").arg(seed).arg(error.c_str())));
    }

    /// More than a group has room for: the rest waits for its turn, in whatever order it is asked.
    void manyAreUnderWayAtOnce() {
        constexpr int many = 200;
        const std::string error = runShared(3, [](int rank, SharedCommunicator& world, SharedHeap*) {
            std::vector<std::vector<float>> data(many, std::vector<float>(3));
            std::vector<RequestPtr> requests;
            for (int i = 0; i < many; ++i) {
                data[static_cast<std::size_t>(i)].assign(3, static_cast<float>(i * (rank + 1)));
                requests.push_back(world.iallReduce(data[static_cast<std::size_t>(i)], ReduceOp::Sum));
            }
            for (bool all = false; !all;) {
                all = true;
                for (auto request = requests.rbegin(); request != requests.rend(); ++request)
                    all = (*request)->test() && all;
            }
            for (int i = 0; i < many; ++i)
                if (data[static_cast<std::size_t>(i)] != std::vector<float>(3, static_cast<float>(i * 6)))
                    throw std::runtime_error("collective " + std::to_string(i) + " is wrong");
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    /// Random messages both ways, each end begun at a random moment and waited for in a random order: each meets its
    /// own, and those of one tag in the order they were sent.
    void messagesMeetWhoeverComesFirst() {
        const std::int64_t seed = freshSeed();
        constexpr int many = 400, tags = 3;
        const std::string error = runShared(2, [&](int rank, SharedCommunicator& world, SharedHeap* heap) {
            const auto device = makeCpuDevice(heap);
            Arena arena(*device);
            RandomStream sizes(seed, "sizes"), own(seed, rank == 0 ? "first" : "second");
            struct Message {
                std::vector<float> elsewhere;
                Buffer inHeap;
                RequestPtr request;
                int from = 0, number = 0, tag = 0;
                std::size_t count = 0;
                float* data() { return elsewhere.empty() ? static_cast<float*>(inHeap.data().data) : elsewhere.data(); }
            };
            std::vector<Message> plan(many);
            std::vector<std::vector<std::size_t>> lines(2 * tags);  // of one sender and tag, in order
            for (int i = 0; i < many; ++i) {
                Message& message = plan[static_cast<std::size_t>(i)];
                message.from = static_cast<int>(sizes.below(2));
                message.tag = static_cast<int>(sizes.below(tags));
                message.number = i;
                message.count = sizes.below(4) == 0 ? 50'000 : sizes.below(50);
                lines[static_cast<std::size_t>(message.from * tags + message.tag)].push_back(
                    static_cast<std::size_t>(i));
            }
            std::vector<std::size_t> begun, next(lines.size());
            for (std::size_t left = many; left > 0;) {
                const std::size_t line = own.below(lines.size());
                if (next[line] == lines[line].size()) continue;
                Message& message = plan[lines[line][next[line]++]];
                --left;
                if (message.count > 0 && own.below(2) == 0) message.elsewhere.resize(message.count);
                else message.inHeap = arena.allocate(MemoryCategory::Temporary, message.count, DType::F32);
                const std::span<float> data(message.data(), message.count);
                if (message.from == rank) {
                    std::ranges::fill(data, static_cast<float>(message.number));
                    message.request = world.isend(std::as_bytes(data), 1 - rank, message.tag);
                } else {
                    message.request = world.ireceive(std::as_writable_bytes(data), 1 - rank, message.tag);
                }
                begun.push_back(static_cast<std::size_t>(message.number));
                if (own.below(20) == 0) std::this_thread::yield();
            }
            while (!begun.empty()) {
                const std::size_t at = own.below(begun.size());
                Message& message = plan[begun[at]];
                if (!message.request->test()) continue;
                begun.erase(begun.begin() + static_cast<std::ptrdiff_t>(at));
                for (std::size_t i = 0; i < message.count; ++i)
                    if (message.data()[i] != static_cast<float>(message.number))
                        throw std::runtime_error("message " + std::to_string(message.number) + " is another's");
            }
        });
        QVERIFY2(error.empty(), qPrintable(QString("seed %1: %2").arg(seed).arg(error.c_str())));
    }

    void endsOfUnequalLengthAreRefused() {
        const std::string error = runShared(2, [](int rank, SharedCommunicator& world, SharedHeap*) {
            std::vector<float> data(rank == 0 ? 10 : 20);
            if (rank == 0) world.send(std::as_bytes(std::span(data)), 1, 0);
            else world.receive(std::as_writable_bytes(std::span(data)), 0, 0);
        });
        QVERIFY2(error.find("40 bytes meets room for 80") != std::string::npos, error.c_str());
    }

    void aMessageThatIsGivenUpLeavesNothingBehind() {
        const std::string error = runShared(2, [](int rank, SharedCommunicator& world, SharedHeap*) {
            std::vector<float> wrong{1, 2, 3}, data(3);
            if (rank == 0) world.isend(std::as_bytes(std::span(wrong)), 1, 0).reset();
            world.barrier();
            const std::vector<float> right{4, 5, 6};
            if (rank == 0) world.send(std::as_bytes(std::span(right)), 1, 0);
            else world.receive(std::as_writable_bytes(std::span(data)), 0, 0);
            if (rank == 1 && data != right) throw std::runtime_error("received what was given up");
        });
        QVERIFY2(error.empty(), error.c_str());
    }

    void lostPeerEndsTheOthers() {
        std::atomic<int> begun = 0, told = 0;
        const std::string error = runShared(3, [&](int rank, SharedCommunicator& world, SharedHeap*) {
            ++begun;
            while (begun < 3) std::this_thread::yield();  // the group is made: what ends now ends in the collective
            if (rank == 1) throw std::runtime_error("out of luck");
            std::vector<float> data(10);
            try {
                world.allReduce(data, ReduceOp::Sum);
            } catch (const CommunicationError&) {
                ++told;
                throw;
            }
        });
        QCOMPARE(QString::fromStdString(error), "rank 1: out of luck");
        QCOMPARE(told.load(), 2);
    }

    /// What another process wrote is read, and that it has ended is seen.
    void anotherProcessIsReachedAndMissed() {
        int told[2], end[2];
        QVERIFY(pipe(told) == 0 && pipe(end) == 0);
        const pid_t child = fork();
        if (child == 0) {
            const auto heap = SharedHeap::create(heapBytes);
            char wait = 0;
            if (heap) {
                void* const data = (*heap)->allocate(6);
                std::memcpy(data, "hello", 6);
                const std::uint64_t offset = *(*heap)->offsetOf({static_cast<const std::byte*>(data), 6});
                if (write(told[1], &(*heap)->address(), sizeof(HeapAddress)) > 0 &&
                    write(told[1], &offset, sizeof offset) > 0 && read(end[0], &wait, 1) < 0)
                    _exit(1);
            }
            _exit(0);
        }
        HeapAddress address;
        std::uint64_t offset = 0;
        QCOMPARE(read(told[0], &address, sizeof address), static_cast<ssize_t>(sizeof address));
        QCOMPARE(read(told[0], &offset, sizeof offset), static_cast<ssize_t>(sizeof offset));
        QCOMPARE(address.host, hostIdentity());
        const auto heap = RemoteHeap::open(address);
        QVERIFY2(heap.has_value(), heap ? "" : heap.error().text().c_str());
        QCOMPARE(reinterpret_cast<const char*>((*heap)->at(offset)), "hello");
        QVERIFY(!(*heap)->orphaned());
        HeapAddress other = address;
        other.token += 2;
        QVERIFY(!RemoteHeap::open(other).has_value());
        QCOMPARE(write(end[1], "", 1), ssize_t{1});
        waitpid(child, nullptr, 0);
        QVERIFY((*heap)->orphaned());
        QCOMPARE(reinterpret_cast<const char*>((*heap)->at(offset)), "hello");
        for (const int each : {told[0], told[1], end[0], end[1]}) close(each);
    }

    void blocksAreUsedAgainAndRunOut() {
        const auto heap = SharedHeap::create(std::size_t{4} << 20).value();
        void* const a = heap->allocate(1'000'000);
        void* const b = heap->allocate(1'000'000);
        void* const c = heap->allocate(1'000'000);
        for (void* each : {a, b, c}) QCOMPARE(reinterpret_cast<std::uintptr_t>(each) % 64, std::uintptr_t{0});
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, heap->allocate(2'000'000));
        heap->release(a);
        heap->release(c);
        heap->release(b);  // and all three are one again
        QCOMPARE(heap->allocate(4'000'000), a);
        const std::vector<std::byte> elsewhere(10);
        QVERIFY(!heap->offsetOf(elsewhere));
    }
};

QTEST_GUILESS_MAIN(SharedMemoryTest)
#include "shared_memory_test.moc"
