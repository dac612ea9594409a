// SPDX-License-Identifier: Apache-2.0
// Interprets OFFLOAD_GRAD and RELOAD_PARAM: copies between a rank's device and its host, where its optimizer is, beside what
// the rank computes. Follows the rules of plan/simulate.h, paced or not.
#pragma once

#include "engine/optim/optimizer_host.h"
#include "engine/train/background.h"
#include "engine/train/cut_spans.h"
#include "engine/train/data_axis.h"
#include "engine/train/pacer.h"
#include "engine/train/rank_trace.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace shardlab {

struct HostCopiesSetup {
    std::map<int, HostMirror*> mirrors;  ///< by global stage of this rank
    Device& device;
    RankTrace& trace;
    const StepCosts& costs;
    Pacer* pacer = nullptr;
    DataAxis* dataAxis = nullptr;  ///< null where nothing reduces gradients beside compute
};

class HostCopies {
public:
    /// What the references and pointers name outlives it.
    explicit HostCopies(HostCopiesSetup setup);

    /// Begins at once, or from progress() where it has to wait: for the reductions of its stage that are under way, or, where
    /// the processor copies, for the copy before it.
    void start(const Action& action);
    void progress();
    /// What is asked for from now on comes after all copies in the direction of `kind` that were started.
    void await(ActionKind kind);
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
    struct Copy {
        Action action;
        std::optional<DataAxis::Reduction> after;  ///< the last of those that make its gradients whole
        std::int64_t begin = 0;                    ///< modelled where paced, as end; else as it was
        std::int64_t end = 0;
    };
    /// One under way that a device carries out.
    struct Asked {
        Copy copy;
        Moment begin;
        std::shared_ptr<DeviceMoment> over;
    };

    std::shared_ptr<DeviceMoment> carryOut(const Action& action);
    void begin(Copy copy);
    /// Until nothing in the direction of `kind` has to be waited for by the processor.
    void settle(ActionKind kind);
    void record(const Copy& copy, const Moment& begin, const Moment& end);
    std::int64_t& linkFree(ActionKind kind) { return linkFree_[kind == ActionKind::OffloadGradients ? 0 : 1]; }

    HostCopiesSetup setup_;
    std::deque<Copy> waiting_;
    std::optional<Copy> running_;  ///< where the processor copies; the thread's until it is idle
    std::deque<Asked> asked_;
    std::optional<Action> last_;   ///< started and not awaited
    std::deque<std::pair<Moment, Moment>> lengths_;  ///< of copies that are not counted yet
    std::array<std::int64_t, 2> linkFree_{};         ///< modelled, by direction
    CutSpans waits_;
    std::int64_t copied_ = 0;
    Background background_;  ///< last: it works on the above
};

}  // namespace shardlab
