// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/arena.h"

#include <algorithm>
#include <functional>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

namespace shardlab::train {

namespace {

constexpr std::size_t alignment = 64;

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)), data_(std::exchange(other.data_, {})),
      size_(std::exchange(other.size_, 0)), category_(other.category_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    giveBack();
    arena_ = std::exchange(other.arena_, nullptr);
    data_ = std::exchange(other.data_, {});
    size_ = std::exchange(other.size_, 0);
    category_ = other.category_;
    return *this;
}

Buffer::~Buffer() { giveBack(); }

void Buffer::giveBack() {
    if (data_) arena_->release(data_, size_, category_);
    data_ = {};
    size_ = 0;
}

struct Arena::Impl {
    explicit Impl(Device& given) : device(given) {}
    explicit Impl(std::unique_ptr<Device> made) : own(std::move(made)), device(*own) {}
    ~Impl() {
        for (void* block : blocks) device.release(block);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void* take(std::size_t bytes) {
        std::vector<void*>& kept = free[bytes];
        if (!kept.empty()) {
            void* data = kept.back();
            kept.pop_back();
            return data;
        }
        blocks.push_back(nullptr);
        blocks.back() = device.allocate(bytes);
        reserved += static_cast<std::int64_t>(bytes);
        return blocks.back();
    }

    std::unique_ptr<Device> own;  ///< where none was given
    Device& device;
    std::vector<void*> blocks;
    std::map<std::size_t, std::vector<void*>> free;  ///< by padded size
    MemoryBytes used{};
    MemoryBytes peaks{};
    std::int64_t peak = 0;
    std::int64_t reserved = 0;
};

Arena::Arena(Device& device) : impl_(std::make_unique<Impl>(device)) {}
Arena::Arena() : impl_(std::make_unique<Impl>(makeCpuDevice())) {}
Arena::~Arena() = default;

Device& Arena::device() const { return impl_->device; }

Buffer Arena::allocate(MemoryCategory category, std::size_t elements, DType type) {
    Buffer buffer;
    if (elements == 0) return buffer;
    const std::size_t bytes = elements * sizeOf(type);
    buffer.arena_ = this;
    buffer.data_ = {impl_->take(padded(bytes)), type};
    buffer.size_ = elements;
    buffer.category_ = category;
    const auto index = static_cast<std::size_t>(category);
    impl_->used[index] += static_cast<std::int64_t>(bytes);
    impl_->peaks[index] = std::max(impl_->peaks[index], impl_->used[index]);
    impl_->peak = std::max(impl_->peak, total(impl_->used));
    return buffer;
}

Buffer Arena::allocateZeroed(MemoryCategory category, std::size_t elements, DType type) {
    Buffer buffer = allocate(category, elements, type);
    if (!buffer.empty()) impl_->device.clear(buffer.data().data, elements * sizeOf(type));
    return buffer;
}

void Arena::release(Array data, std::size_t elements, MemoryCategory category) {
    const std::size_t bytes = elements * sizeOf(data.type);
    impl_->used[static_cast<std::size_t>(category)] -= static_cast<std::int64_t>(bytes);
    impl_->free[padded(bytes)].push_back(data.data);
}

void Arena::startStep() {
    for (auto& [bytes, kept] : impl_->free) std::ranges::sort(kept, std::greater<>());
}

const MemoryBytes& Arena::used() const { return impl_->used; }
const MemoryBytes& Arena::peakByCategory() const { return impl_->peaks; }
std::int64_t Arena::peak() const { return impl_->peak; }
std::int64_t Arena::reserved() const { return impl_->reserved; }

std::int64_t Arena::free() const {
    std::size_t sum = 0;
    for (const auto& [bytes, kept] : impl_->free) sum += bytes * kept.size();
    return static_cast<std::int64_t>(sum);
}

std::int64_t Arena::largestFree() const {
    for (const auto& [bytes, kept] : std::views::reverse(impl_->free))
        if (!kept.empty()) return static_cast<std::int64_t>(bytes);
    return 0;
}

void Arena::resetPeaks() {
    impl_->peaks = impl_->used;
    impl_->peak = total(impl_->used);
}

}  // namespace shardlab::train
