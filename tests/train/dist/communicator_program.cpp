// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: the conformance suite on the MPI backend. Arguments: seed, then "sleep" or "spin", then the
// largest message in bytes (so that short messages travel in parts as messages above 1 GiB do), then "messages" or
// "shared" for what collectives go by.
#include "engine/train/comm/mpi/mpi_session.h"
#include "engine/train/comm/shared/shared_communicator.h"
#include "tests/train/communicator_suite.h"
#include "tests/support/wings.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

int main(int argc, char** argv) {
    using namespace shardlab;
    using namespace shardlab::test;
    int failures = 0;
    try {
        MpiSession session(argc, argv);
        if (argc != 5) return 2;
        MpiOptions options;
        options.oversubscribed = std::string(argv[2]) == "sleep";
        options.largestMessage = std::strtoull(argv[3], nullptr, 10);
        std::unique_ptr<SharedHeap> heap;
        std::unique_ptr<Communicator> world = session.world(options);
        if (std::string(argv[4]) == "shared") {
            heap = SharedHeap::create().value();
            auto shared = std::make_unique<SharedCommunicator>(std::move(world),
                                                               SharedMemory{heap.get(), options.oversubscribed, {}});
            if (session.size() > 1 && !shared->shares()) throw std::runtime_error("the ranks share no memory");
            world = std::move(shared);
        }
        for (const std::string& fault : conformance::Suite(*world, std::atoll(argv[1])).run()) {
            std::fprintf(stderr, "%s\n", fault.c_str());
            ++failures;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(1);
    }
    return failures == 0 ? 0 : 1;
}
