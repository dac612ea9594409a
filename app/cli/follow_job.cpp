// SPDX-License-Identifier: Apache-2.0
#include "app/cli/follow_job.h"

#include <ctime>

namespace shardlab::cli {

EndSignals::EndSignals() {
    sigemptyset(&set_);
    for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

bool EndSignals::came() const {
    const timespec patience{0, 100'000'000};
    return sigtimedwait(&set_, nullptr, &patience) > 0;
}

void follow(Job& job, const EndSignals& signals, RunProgress& progress) {
    int received = 0;
    while (job.state() != JobState::Ended) {
        if (signals.came()) {
            if (++received == 1)
                job.send(Command::Stop);
            else
                job.kill();
        }
        progress.show();
    }
    job.wait();
    progress.close();
}

}  // namespace shardlab::cli
