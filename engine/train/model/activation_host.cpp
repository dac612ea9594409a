// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/activation_host.h"

#include <utility>

namespace shardlab::train {

namespace {

std::size_t hostBytesOf(const Buffer& buffer) { return buffer.size() * sizeOf(buffer.type()); }

}  // namespace

SwappedActivations::SwappedActivations(Stage& stage, int microbatch, Arena& host) {
    std::size_t number = 0;
    stage.visitSavedBuffers(microbatch, [&](Buffer& kept) {
        const std::size_t own = number++;
        if (kept.empty()) return;
        bytes_ += static_cast<std::int64_t>(hostBytesOf(kept));
        Buffer place = host.allocateLike(kept, MemoryCategory::Activations);
        const MemoryCategory category = kept.category();
        pieces_.push_back({own, category, std::move(kept), std::move(place), {}});
    });
}

std::shared_ptr<DeviceMoment> SwappedActivations::store(Device& device) const {
    std::shared_ptr<DeviceMoment> last;
    for (const Piece& piece : pieces_)
        last = device.downloadBeside(piece.onDevice.data().data, piece.onHost.data().data, hostBytesOf(piece.onHost));
    return last;
}

void SwappedActivations::leaveDevice() {
    for (Piece& piece : pieces_) piece.onDevice = {};
}

void SwappedActivations::enterDevice(Stage& stage, int microbatch, Arena& device) {
    auto next = pieces_.begin();
    std::size_t number = 0;
    stage.visitSavedBuffers(microbatch, [&](Buffer& kept) {
        const std::size_t own = number++;
        if (next == pieces_.end() || next->number != own) return;
        kept = device.allocateLike(next->onHost, next->category);
        next->target = kept.data();
        ++next;
    });
}

std::shared_ptr<DeviceMoment> SwappedActivations::restore(Device& device) const {
    std::shared_ptr<DeviceMoment> last;
    for (const Piece& piece : pieces_)
        last = device.uploadAhead(piece.onHost.data().data, piece.target.data, hostBytesOf(piece.onHost));
    return last;
}

}  // namespace shardlab::train
