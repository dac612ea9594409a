// SPDX-License-Identifier: Apache-2.0
// The processor as a device. The file of an operation's header, <header>.cpp beside this file, defines it.
#pragma once

#include "kernels/device.h"

namespace shardlab::kernels {

/// Each thread keeps the memory that its kernels need beside their operands.
class CpuDevice final : public Device {
public:
    /// `memory` may be null.
    explicit CpuDevice(HostMemory* memory) : memory_(memory) {}
    std::string name() const override { return "CPU"; }

    void* allocate(std::size_t bytes) override;
    void release(void* data) override;
    bool onHost() const override { return true; }
    void upload(const void* host, void* data, std::size_t bytes) override;
    void download(const void* data, void* host, std::size_t bytes) override;
    void copy(const void* from, void* to, std::size_t bytes) override;
    void clear(void* data, std::size_t bytes) override;
    void synchronize() override {}
    void* allocateStaging(std::size_t bytes) override { return allocate(bytes); }
    void releaseStaging(void* data) override { release(data); }

    SHARDLAB_OPERATIONS(SHARDLAB_DECLARE_OPERATION)

    /// Forward keeps all probabilities, and backward may write the gradient over qkv. Whatever the type, forward needs
    /// scratch only where it drops: min(sequence, 64)·sequence elements; backward needs sequence·(sequence + width).
    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override;
    /// The probabilities of 64 rows, and their gradients.
    std::size_t attentionBlockScratch(int rows, int width) const override;

private:
    HostMemory* memory_;
};

}  // namespace shardlab::kernels
