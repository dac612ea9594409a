// SPDX-License-Identifier: Apache-2.0
// Carries out OFFLOAD_GRAD, RELOAD_PARAM, SWAP_OUT, SWAP_FREE and SWAP_IN: copies between a rank's device and its host
// beside what the rank computes. On the host lie the optimizer, or activations that microbatches keep for their
// backward. The copies follow the rules of engine/predict/plan/simulate.h.
#pragma once

#include "engine/predict/plan/costs.h"
#include "engine/train/model/activation_host.h"
#include "engine/train/optim/optimizer_host.h"
#include "engine/train/run/background.h"
#include "engine/train/run/split_spans.h"
#include "engine/train/run/data_parallel_comm.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace shardlab::train {

struct HostCopiesSetup {
    std::map<int, Stage*> stages;        ///< this rank's, by global stage
    std::map<int, HostMirror*> mirrors;  ///< by global stage; empty where the optimizer is on the device
    Device& device;
    Arena& arena;  ///< the device's
    Arena& host;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    DataParallelComm* dataParallel = nullptr;  ///< null where nothing reduces gradients beside compute
};

class HostCopies {
public:
    /// Everything that `setup` names outlives this object.
    explicit HostCopies(HostCopiesSetup setup);

    /// Begins the copy at once, or from progress() where it has to wait: for the reductions of its stage that are under
    /// way or, where the processor copies, for the copy before it.
    void start(const Action& action);
    void progress();
    /// Everything that the device is asked for from now on comes after all copies started in the direction of `kind`,
    /// OFFLOAD_GRAD or RELOAD_PARAM.
    void await(ActionKind kind);
    /// Carries out SWAP_FREE: everything that the device is asked for from now on comes after the SWAP_OUT, whose
    /// memory on the device is given back.
    void leaveDevice(const Action& free);
    /// To be called before `compute`: everything that the device is asked for from now on comes after the SWAP_IN that
    /// `compute` needs.
    void beforeCompute(const Action& compute);
    /// Records what has been done.
    void collect();

    void beginStep() {
        copied_ = 0;
        waits_.beginStep();
    }
    /// Seconds of the copies, and of the waits for them, that have been recorded in the step.
    double copiedSeconds() const { return toSeconds(copied_); }
    double exposedSeconds() const { return toSeconds(waits_.waited()); }

private:
    using Completion = std::shared_ptr<DeviceMoment>;
    struct Copy {
        Action action;
        std::function<Completion()> carryOut;  ///< may be called on any thread
        std::int64_t bytes = 0;
        /// The reduction after which its gradients are complete.
        std::optional<DataParallelComm::Reduction> after = {};
        std::optional<TimeSpan> modelled = {};
        TimeSpan measured = {};  ///< set where the processor carries it out
    };
    /// A copy under way that a device carries out.
    struct DeviceCopy {
        Copy copy;
        Moment begin;
        Completion completion;
    };
    /// The activations of a microbatch in a stage, from its SWAP_OUT to its backward.
    struct Swapped {
        SwappedActivations activations;
        bool onDevice = true;  ///< its memory on the device has not been given back yet
        std::int64_t end = 0;  ///< modelled end of its last copy
    };
    using Which = std::function<bool(const Copy&)>;

    Copy prepared(const Action& action);
    void begin(Copy copy);
    bool isPending(const Which& which) const;
    /// Waits until the processor need not begin or carry out any of these copies.
    void settle(const Which& which);
    Completion completionOf(const Action& action) const;
    /// Waits for the copy of a swap, whose modelled end is `end`.
    void awaitSwap(const Action& what, std::int64_t end);
    void record(const Copy& copy, const Moment& begin, const Moment& end);
    static std::size_t direction(ActionKind kind) { return goesToHost(kind) ? 0 : 1; }
    /// Weights that come beside compute come over the same link.
    std::int64_t& linkFree(ActionKind kind) {
        if (!goesToHost(kind) && setup_.dataParallel) return setup_.dataParallel->fromHostFree();
        return linkFree_[direction(kind)];
    }

    HostCopiesSetup setup_;
    std::map<std::pair<int, int>, Swapped> swapped_;  ///< by stage and microbatch
    std::deque<Copy> waiting_;
    std::optional<Copy> running_;  ///< the processor's copy; it belongs to the thread until the thread is idle
    std::deque<DeviceCopy> onDevice_;
    /// By direction, the last copy of gradients or weights that nobody awaited.
    std::array<std::optional<Action>, 2> last_;
    std::deque<std::pair<Moment, Moment>> lengths_;  ///< copies that are not counted yet
    std::array<std::int64_t, 2> linkFree_{};         ///< modelled moment from which a direction is free
    SplitSpans waits_;
    std::int64_t copied_ = 0;
    Background background_;  ///< last: it works on the members above
};

}  // namespace shardlab::train
