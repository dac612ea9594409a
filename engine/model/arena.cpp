// SPDX-License-Identifier: Apache-2.0
#include "engine/model/arena.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace shardlab {

namespace {

constexpr std::size_t alignment = 64;

std::size_t paddedBytes(std::size_t floats) {
    return (floats * sizeof(float) + alignment - 1) / alignment * alignment;
}

struct Free {
    void operator()(float* data) const { std::free(data); }
};

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      category_(other.category_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    giveBack();
    arena_ = std::exchange(other.arena_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    category_ = other.category_;
    return *this;
}

Buffer::~Buffer() { giveBack(); }

void Buffer::giveBack() {
    if (data_) arena_->release(data_, size_, category_);
    data_ = nullptr;
    size_ = 0;
}

struct Arena::Impl {
    std::vector<std::unique_ptr<float, Free>> blocks;
    std::map<std::size_t, std::vector<float*>> free;  ///< by padded size
    MemoryBytes used{};
    MemoryBytes peaks{};
    std::int64_t peak = 0;
    std::int64_t reserved = 0;

    float* take(std::size_t bytes) {
        std::vector<float*>& kept = free[bytes];
        if (!kept.empty()) {
            float* data = kept.back();
            kept.pop_back();
            return data;
        }
        std::unique_ptr<float, Free> block(static_cast<float*>(std::aligned_alloc(alignment, bytes)));
        if (!block) throw std::bad_alloc();
        reserved += static_cast<std::int64_t>(bytes);
        blocks.push_back(std::move(block));
        return blocks.back().get();
    }
};

Arena::Arena() : impl_(std::make_unique<Impl>()) {}
Arena::~Arena() = default;

Buffer Arena::allocate(MemoryCategory category, std::size_t floats) {
    Buffer buffer;
    if (floats == 0) return buffer;
    buffer.arena_ = this;
    buffer.data_ = impl_->take(paddedBytes(floats));
    buffer.size_ = floats;
    buffer.category_ = category;
    const auto index = static_cast<std::size_t>(category);
    impl_->used[index] += static_cast<std::int64_t>(floats * sizeof(float));
    impl_->peaks[index] = std::max(impl_->peaks[index], impl_->used[index]);
    impl_->peak = std::max(impl_->peak, total(impl_->used));
    return buffer;
}

Buffer Arena::allocateZeroed(MemoryCategory category, std::size_t floats) {
    Buffer buffer = allocate(category, floats);
    std::fill_n(buffer.data(), buffer.size(), 0.0f);
    return buffer;
}

void Arena::release(float* data, std::size_t floats, MemoryCategory category) {
    impl_->used[static_cast<std::size_t>(category)] -= static_cast<std::int64_t>(floats * sizeof(float));
    impl_->free[paddedBytes(floats)].push_back(data);
}

const MemoryBytes& Arena::used() const { return impl_->used; }
const MemoryBytes& Arena::peakByCategory() const { return impl_->peaks; }
std::int64_t Arena::peak() const { return impl_->peak; }
std::int64_t Arena::reserved() const { return impl_->reserved; }

void Arena::resetPeaks() {
    impl_->peaks = impl_->used;
    impl_->peak = total(impl_->used);
}

}  // namespace shardlab
