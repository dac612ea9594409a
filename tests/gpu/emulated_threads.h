// SPDX-License-Identifier: Apache-2.0
// The threads of a block of a GPU, one after another on one thread of the processor.
#pragma once

#include "tests/support/wings.h"

#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace shardlab::test {

/// Threads change places by longjmp, which, unlike swapcontext, does not call the system: kernels do little else. A
/// fiber, which has a stack, takes one thread after another for as long as none of them waits, so that a kernel without
/// a barrier is a loop.
class EmulatedThreads {
public:
    explicit EmulatedThreads(std::size_t stackBytes) : stackBytes_(stackBytes) {}
    EmulatedThreads(const EmulatedThreads&) = delete;
    EmulatedThreads& operator=(const EmulatedThreads&) = delete;

    /// Calls `thread(i)` for each i of `order`, and returns when all have ended. No thread throws.
    void run(std::span<const std::size_t> order, const std::function<void(std::size_t)>& thread) {
        order_ = order;
        thread_ = &thread;
        begun_ = 0;
        if (_setjmp(caller_) == 0) goOn();
    }
    /// The number of the thread that calls it.
    std::size_t running() const { return running_->thread; }
    /// All others get a turn before the thread that calls it goes on.
    void giveWay() {
        waiting_.push_back(running_);
        if (_setjmp(running_->place) == 0) goOn();
    }

private:
    struct Fiber {
        jmp_buf place{};  ///< where it goes on
        std::unique_ptr<unsigned char[]> stack;
        std::size_t thread = 0;
    };

    [[noreturn]] void goOn() {
        if (begun_ == order_.size()) {
            if (waiting_.empty()) _longjmp(caller_, 1);
            running_ = waiting_.front();
            waiting_.pop_front();
        } else if (idle_.empty()) {
            begin();
        } else {
            running_ = idle_.back();
            idle_.pop_back();
        }
        _longjmp(running_->place, 1);
    }

    /// The first time a fiber runs.
    [[noreturn]] void begin() {
        running_ = fibers_.emplace_back(std::make_unique<Fiber>()).get();
        running_->stack.reset(new unsigned char[stackBytes_]);
        beginning = this;
        ucontext_t context{};
        getcontext(&context);
        context.uc_stack.ss_sp = running_->stack.get();
        context.uc_stack.ss_size = stackBytes_;
        makecontext(
            &context, [] { beginning->serve(*beginning->running_); }, 0);
        setcontext(&context);
        std::abort();
    }

    [[noreturn]] void serve(Fiber& mine) {
        while (true) {
            while (begun_ < order_.size()) {
                mine.thread = order_[begun_++];
                (*thread_)(mine.thread);
            }
            idle_.push_back(&mine);
            if (_setjmp(mine.place) == 0) goOn();
        }
    }

    static inline EmulatedThreads* beginning = nullptr;
    std::size_t stackBytes_;
    std::span<const std::size_t> order_;
    const std::function<void(std::size_t)>* thread_ = nullptr;
    std::size_t begun_ = 0;
    jmp_buf caller_{};
    Fiber* running_ = nullptr;
    std::deque<Fiber*> waiting_;
    std::vector<Fiber*> idle_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace shardlab::test
