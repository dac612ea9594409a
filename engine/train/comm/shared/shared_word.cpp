// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/shared/shared_word.h"

#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace shardlab::train {

void sleepWhile(const void* word, std::uint32_t value) {
    constexpr timespec longest{0, 50'000'000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &longest, nullptr, 0);
}

void wakeSleepers(const void* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace shardlab::train
