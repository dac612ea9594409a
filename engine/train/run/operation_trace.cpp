// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/operation_trace.h"

#include "engine/base/layer_number.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace shardlab::train {
namespace {

std::string layerText(int number) {
    if (number == embeddingLayer) return "embedding";
    return number == outputLayer ? "output" : fmt::format("layer {}", number);
}

}  // namespace

LayerObserver OperationTrace::observing(LayerObserver given, std::function<int(int stage, int layer)> layerOfModel) {
    return [this, given = std::move(given), layerOfModel = std::move(layerOfModel)](const LayerDone& done) {
        if (given) given(done);
        if (hears()) layerDone(layerOfModel(trace_.action().stage, done.layer));
    };
}

void OperationTrace::beginStep(int step) {
    endStep();
    recording_ = (step + 1) % every_ == 0;
    device_.observe(recording_ ? this : nullptr);
}

void OperationTrace::endStep() {
    if (!std::exchange(recording_, false)) return;
    device_.observe(nullptr);
    closeAction();
    device_.synchronize();
    record();
}

bool OperationTrace::hears() const { return std::this_thread::get_id() == thread_ && recording_ && !trace_.quiet(); }

void OperationTrace::callBegins() {
    if (!hears()) return;
    if (const ActionId action = actionId(trace_.action()); std::exchange(action_, action) != action) closeAction();
    begin_ = trace_.mark();
    if (!begins_) begins_ = begin_;
}

void OperationTrace::callEnds(const KernelWork& work) {
    if (!hears()) return;
    spans_.push_back({EventKind::Operation, nameOf(work.kind), begin_, trace_.mark(),
                      static_cast<std::int64_t>(work.bytes), work.flops});
    record();
}

/// All operations since the last layer belong to this one.
void OperationTrace::layerDone(int number) {
    if (!begins_) return;  // it asked for none
    const Moment begin = *std::exchange(begins_, std::nullopt), end = spans_.back().end;
    if (layer_ && layer_->number == number) {
        layer_->at = spans_.size();
        layer_->end = end;
        return;
    }
    closeLayer();
    layer_ = Layer{number, spans_.size(), begin, end};
}

/// Puts the layer's span behind those of its operations: in a lane spans are in the order of their ends.
void OperationTrace::closeLayer() {
    if (!layer_) return;
    spans_.insert(spans_.begin() + static_cast<std::ptrdiff_t>(layer_->at),
                  {EventKind::Annotation, nameOf(layer_->number), layer_->begin, layer_->end});
    final_ = layer_->at + 1;
    layer_.reset();
}

/// What another action asks for belongs to no layer that was before.
void OperationTrace::closeAction() {
    closeLayer();
    begins_.reset();
    final_ = spans_.size();
}

/// Records the final spans whose moments are known.
void OperationTrace::record() {
    for (; final_ > 0; --final_) {
        const Span& first = spans_.front();
        if (!trace_.named(first.kind, first.name, first.begin, first.end, first.bytes, first.value)) return;
        spans_.pop_front();
        if (layer_) --layer_->at;
    }
}

std::uint32_t OperationTrace::nameOf(KernelKind kind) {
    std::uint32_t& number = kinds_[static_cast<std::size_t>(kind)];
    if (number == 0) number = naming_(std::string(kernels::name(kind)));
    return number;
}

std::uint32_t OperationTrace::nameOf(int layer) {
    std::uint32_t& number = layers_[layer];
    if (number == 0) number = naming_(layerText(layer));
    return number;
}

}  // namespace shardlab::train
