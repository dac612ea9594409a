// SPDX-License-Identifier: Apache-2.0
// Collectives between the ranks of one host: through shared memory, by messages, and Open MPI's own, in turn in one
// session. Started under mpirun:
//
//   mpirun -n 2 --oversubscribe --bind-to none --mca pml ob1 --mca btl self,vader build/tests/collectives [repeats]
//
// GB/s of buffer: bytes that one rank gives in (all-gather: gets) over the time of the slowest rank, the barrier before
// it not counted. What memory gave meanwhile stands above: an all-reduce of two ranks moves four bytes for each of the
// buffer. Median of the repeats, and in brackets the slower quarter's border and the best. fp32 unless it says
// bf16.
#include "engine/train/comm/mpi/mpi_session.h"
#include "engine/train/comm/reduction.h"
#include "engine/train/comm/shared/shared_communicator.h"
#include "engine/train/model/arena.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mpi.h>
#include <thread>
#include <vector>

namespace {

using namespace shardlab::test;

struct Times {
    double best, median, slow;
};

Times spread(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t n = values.size();
    return {values[0], values[n / 2], values[n - 1 - n / 4]};
}

/// Seconds of the slowest rank.
Times measure(int repeats, const std::function<void()>& run) {
    std::vector<double> times;
    for (int i = -2; i < repeats; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        run();
        double own = MPI_Wtime() - begin, slowest = 0;
        MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i >= 0) times.push_back(slowest);
    }
    return spread(std::move(times));
}

class Bench {
public:
    Bench(const MpiSession& session, int repeats)
        : heap_(SharedHeap::create().value()), device_(makeCpuDevice(heap_.get())), arena_(*device_),
          messages_(session.world(options())),
          shared_(session.world(options()), {heap_.get(), options().oversubscribed, {}}), first_(session.rank() == 0),
          repeats_(repeats), ranks_(session.size()) {}

    int run() {
        if (!shared_.shares()) {
            if (first_) std::puts("the ranks share no memory");
            return 1;
        }
        memory();
        if (first_)
            std::printf("%-16s %9s | %24s | %24s | %24s\n", "collective", "bytes", "shared memory GB/s",
                        "messages GB/s", "Open MPI GB/s");
        for (std::size_t bytes = 4096; bytes <= std::size_t{256} << 20; bytes *= 4)
            allReduce("all-reduce", bytes, DType::F32);
        allReduce("all-reduce bf16", std::size_t{64} << 20, DType::BF16);
        for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{64} << 20}) {
            halves(bytes);
            inPlace(bytes);
        }
        return 0;
    }

private:
    static MpiOptions options() {
        MpiOptions made;
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        made.oversubscribed = ranks > static_cast<int>(std::thread::hardware_concurrency());
        return made;
    }

    void memory() {
        const Buffer from = arena_.allocateZeroed(MemoryCategory::Gradients, std::size_t{16} << 20, DType::F32);
        const Buffer into = arena_.allocateZeroed(MemoryCategory::Gradients, from.size(), DType::F32);
        const Times times = measure(repeats_, [&] { add(from.span().bytes(), into.span()); });
        const double moved = 12e-9 * static_cast<double>(from.size()) * ranks_;
        if (first_)
            std::printf("%d ranks; a += b by all of them at once, 64 MB each: %.1f GB/s\n", ranks_,
                        moved / times.median);
    }

    int repeats(std::size_t bytes) const { return bytes > (std::size_t{16} << 20) ? repeats_ : 10 * repeats_; }

    void line(const char* name, std::size_t bytes, std::initializer_list<Times> all) const {
        if (!first_) return;
        std::printf("%-16s %9zu", name, bytes);
        for (const Times& times : all) {
            const auto rate = [&](double seconds) { return 1e-9 * static_cast<double>(bytes) / seconds; };
            if (times.median > 0)
                std::printf(" | %8.2f (%5.2f to %5.2f)", rate(times.median), rate(times.slow), rate(times.best));
            else std::printf(" | %24s", "");
        }
        std::printf("\n");
        std::fflush(stdout);
    }

    void allReduce(const char* name, std::size_t bytes, DType type) {
        const Buffer data = arena_.allocateZeroed(MemoryCategory::Gradients, bytes / sizeOf(type), type);
        const int n = repeats(bytes);
        const Times shared = measure(n, [&] { shared_.allReduce(data.span(), ReduceOp::Sum); });
        const Times messages = measure(n, [&] { messages_->allReduce(data.span(), ReduceOp::Sum); });
        const Times own = type != DType::F32 ? Times{} : measure(n, [&] {
            MPI_Allreduce(MPI_IN_PLACE, data.data().data, static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD);
        });
        line(name, bytes, {shared, messages, own});
    }

    void halves(std::size_t bytes) {
        const Buffer whole = arena_.allocateZeroed(MemoryCategory::Gradients, bytes / sizeof(float), DType::F32);
        const Buffer part = arena_.allocateZeroed(MemoryCategory::Gradients,
                                                  whole.size() / static_cast<std::size_t>(ranks_), DType::F32);
        const int n = repeats(bytes), count = static_cast<int>(part.size());
        line("reduce-scatter", bytes,
             {measure(n, [&] { shared_.reduceScatter(whole.span(), part.span(), ReduceOp::Sum); }),
              measure(n, [&] { messages_->reduceScatter(whole.span(), part.span(), ReduceOp::Sum); }), measure(n, [&] {
                  MPI_Reduce_scatter_block(whole.data().data, part.data().data, count, MPI_FLOAT, MPI_SUM,
                                           MPI_COMM_WORLD);
              })});
        line("all-gather", bytes,
             {measure(n, [&] { shared_.allGather(part.span(), whole.span()); }),
              measure(n, [&] { messages_->allGather(part.span(), whole.span()); }), measure(n, [&] {
                  MPI_Allgather(part.data().data, count, MPI_FLOAT, whole.data().data, count, MPI_FLOAT,
                                MPI_COMM_WORLD);
              })});
    }

    /// As ZeRO asks for them: each rank's part lies in the block itself.
    void inPlace(std::size_t bytes) {
        const Buffer block = arena_.allocateZeroed(MemoryCategory::Gradients, bytes / sizeof(float), DType::F32);
        const int n = repeats(bytes);
        line("reduce in place", bytes,
             {measure(n, [&] { shared_.ireduceParts(block.span())->wait(); }),
              measure(n, [&] { messages_->ireduceParts(block.span())->wait(); })});
        line("gather in place", bytes,
             {measure(n, [&] { shared_.igatherParts(block.span())->wait(); }),
              measure(n, [&] { messages_->igatherParts(block.span())->wait(); })});
    }

    std::unique_ptr<SharedHeap> heap_;
    std::unique_ptr<Device> device_;
    Arena arena_;
    std::unique_ptr<Communicator> messages_;
    SharedCommunicator shared_;
    bool first_;
    int repeats_, ranks_;
};

}  // namespace

int main(int argc, char** argv) {
    MpiSession session(argc, argv);
    return Bench(session, argc > 1 ? std::atoi(argv[1]) : 15).run();
}
