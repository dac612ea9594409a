// SPDX-License-Identifier: Apache-2.0
// Records what a step's actions are made of: the layers that they go through, and within each the operations that the
// device is asked for. They are spans of the host lane beside the actions that they lie in.
#pragma once

#include "engine/train/model/layer_observer.h"
#include "engine/train/run/rank_trace.h"
#include "kernels/observed_device.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>

namespace shardlab::train {

/// Gives a name of an event its number (namedId).
using EventNaming = std::function<std::uint32_t(const std::string& name)>;

/// For use by the thread that makes it. Calls that other threads make are not recorded.
class OperationTrace final : public CallObserver {
public:
    /// Records every `every`-th step (1 or more): step `every` − 1, counted from 0, is the first. All outlive it.
    OperationTrace(RankTrace& trace, ObservedDevice& device, EventNaming naming, int every)
        : trace_(trace), device_(device), naming_(std::move(naming)), every_(every) {}
    OperationTrace(const OperationTrace&) = delete;
    OperationTrace& operator=(const OperationTrace&) = delete;
    ~OperationTrace() { device_.observe(nullptr); }

    /// An observer that hears of what `given` hears, and says which layer the operations belonged to. `layerOfModel`
    /// gives the number in the model of a stage's layer.
    LayerObserver observing(LayerObserver given, std::function<int(int stage, int layer)> layerOfModel);

    /// Between the two the step's operations are recorded, if it is one of those.
    void beginStep(int step);
    void endStep();

    void callBegins() override;
    void callEnds(const KernelWork& work) override;

private:
    struct Span {
        EventKind kind{};
        std::uint32_t name = 0;
        Moment begin, end;
        std::int64_t bytes = 0;
        double value = 0;
    };
    /// A layer whose operations have come. It goes on where the same layer follows, as its weights' gradient does in a
    /// backward.
    struct Layer {
        int number = 0;      ///< of the model, or one of base/layer_number.h
        std::size_t at = 0;  ///< of spans_, behind its last operation
        Moment begin, end;
    };

    bool hears() const;
    void layerDone(int number);
    void closeLayer();
    void closeAction();
    void record();
    std::uint32_t nameOf(KernelKind kind);
    std::uint32_t nameOf(int layer);

    RankTrace& trace_;
    ObservedDevice& device_;
    EventNaming naming_;
    int every_;
    const std::thread::id thread_ = std::this_thread::get_id();
    bool recording_ = false;
    Moment begin_ = 0;              ///< of the call under way
    ActionId action_ = 0;           ///< of the last call
    std::deque<Span> spans_;        ///< not recorded yet
    std::size_t final_ = 0;         ///< the first ones, before which no layer's span will be put
    std::optional<Moment> begins_;  ///< of the first operation since the last layer, in the same action
    std::optional<Layer> layer_;
    std::array<std::uint32_t, kernelKinds> kinds_{};  ///< numbers of their names; 0: it has none yet
    std::map<int, std::uint32_t> layers_;             ///< the same, by the layer
};

}  // namespace shardlab::train
