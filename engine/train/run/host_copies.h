// SPDX-License-Identifier: Apache-2.0
// Interprets OFFLOAD_GRAD, RELOAD_PARAM, SWAP_OUT, SWAP_FREE and SWAP_IN: copies between a rank's device and its host,
// where its optimizer is, or what microbatches keep for their backward, beside what the rank computes. Follows the
// rules of engine/predict/plan/simulate.h.
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

namespace shardlab {

struct HostCopiesSetup {
    std::map<int, Stage*> stages;        ///< by global stage of this rank
    std::map<int, HostMirror*> mirrors;  ///< likewise; empty where the optimizer is on the device
    Device& device;
    Arena& arena;  ///< of the device
    Arena& host;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
    DataParallelComm* dataAxis = nullptr;  ///< null where nothing reduces gradients beside compute
};

class HostCopies {
public:
    /// What the references and pointers name outlives it.
    explicit HostCopies(HostCopiesSetup setup);

    /// Begins at once, or from progress() where it has to wait: for the reductions of its stage that are under way, or,
    /// where the processor copies, for the copy before it.
    void start(const Action& action);
    void progress();
    /// What is asked for from now on comes after all copies in the direction of `kind`, OFFLOAD_GRAD or RELOAD_PARAM,
    /// that were started.
    void await(ActionKind kind);
    /// SWAP_FREE: what is asked for from now on comes after what its SWAP_OUT sent, whose memory on the device is given
    /// back.
    void leaveDevice(const Action& free);
    /// What is asked for from now on comes after what came back for `compute`, which is next.
    void beforeCompute(const Action& compute);
    /// Records what has been done.
    void collect();

    void beginStep() {
        copied_ = 0;
        waits_.beginStep();
    }
    /// Of what has been recorded in the step.
    double copiedSeconds() const { return toSeconds(copied_); }
    double exposedSeconds() const { return toSeconds(waits_.waited()); }

private:
    using Over = std::shared_ptr<DeviceMoment>;
    struct Copy {
        Action action;
        std::function<Over()> carryOut;  ///< from any thread
        std::int64_t bytes = 0;
        std::optional<DataParallelComm::Reduction> after = {};  ///< the last of those that make its gradients whole
        std::optional<TimeSpan> modelled = {};
        TimeSpan measured = {};  ///< where the processor carries it out
    };
    /// One under way that a device carries out.
    struct Asked {
        Copy copy;
        Moment begin;
        Over over;
    };
    /// Of a microbatch in a stage, from its SWAP_OUT to its backward.
    struct Swapped {
        SwappedActivations activations;
        bool onDevice = true;  ///< its memory there is not given back yet
        std::int64_t end = 0;  ///< of its last copy, modelled
    };
    using Which = std::function<bool(const Copy&)>;

    Copy prepared(const Action& action);
    void begin(Copy copy);
    bool isPending(const Which& which) const;
    /// Until nothing of it has to be begun or carried out by the processor.
    void settle(const Which& which);
    Over overOf(const Action& action) const;
    /// Waits for the copy of a swap. `end`: modelled.
    void awaitSwap(const Action& what, std::int64_t end);
    void record(const Copy& copy, const Moment& begin, const Moment& end);
    static std::size_t direction(ActionKind kind) { return goesToHost(kind) ? 0 : 1; }
    std::int64_t& linkFree(ActionKind kind) { return linkFree_[direction(kind)]; }

    HostCopiesSetup setup_;
    std::map<std::pair<int, int>, Swapped> swapped_;  ///< by stage and microbatch
    std::deque<Copy> waiting_;
    std::optional<Copy> running_;  ///< where the processor copies; the thread's until it is idle
    std::deque<Asked> asked_;
    std::array<std::optional<Action>, 2> last_;  ///< by direction, of gradients and weights: started and not awaited
    std::deque<std::pair<Moment, Moment>> lengths_;  ///< of copies that are not counted yet
    std::array<std::int64_t, 2> linkFree_{};         ///< modelled, by direction
    SplitSpans waits_;
    std::int64_t copied_ = 0;
    Background background_;  ///< last: it works on the above
};

}  // namespace shardlab
