// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow_job.h"

#include "engine/base/standard_streams.h"

#include <algorithm>
#include <ctime>

namespace shardlab::cli {

JobSignals::JobSignals() {
    sigemptyset(&set_);
    for (int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set_, number);
    if (!ignoresSignal(SIGHUP)) sigaddset(&set_, SIGHUP);  // a blocked one would come in spite of nohup
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

int JobSignals::next() const {
    const timespec patience{0, 100'000'000};
    return std::max(0, sigtimedwait(&set_, nullptr, &patience));
}

void follow(Job& job, const JobSignals& signals, RunProgress& progress) {
    int received = 0;
    while (job.state() != RunState::Ended) {
        const int signal = signals.next();
        if (signal == SIGUSR1) {
            job.send(Command::Checkpoint);
        } else if (signal != 0) {
            if (++received == 1) job.send(Command::Stop);
            else if (signal != SIGHUP)  // a lost terminal is told by the kernel and by the shell
                job.kill();
        }
        progress.show();
    }
    job.wait();
    progress.close();
}

}  // namespace shardlab::cli
