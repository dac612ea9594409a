// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/arena.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace shardlab::train {

namespace {

constexpr std::size_t blockAlignment = 64;

std::size_t padded(std::size_t bytes) { return (bytes + blockAlignment - 1) / blockAlignment * blockAlignment; }

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : arena_(std::exchange(other.arena_, nullptr)), data_(std::exchange(other.data_, {})),
      size_(std::exchange(other.size_, 0)), category_(other.category_), varies_(other.varies_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    giveBack();
    arena_ = std::exchange(other.arena_, nullptr);
    data_ = std::exchange(other.data_, {});
    size_ = std::exchange(other.size_, 0);
    category_ = other.category_;
    varies_ = other.varies_;
    return *this;
}

Buffer::~Buffer() { giveBack(); }

void Buffer::giveBack() {
    if (data_) arena_->release(*this);
    data_ = {};
    size_ = 0;
}

struct Arena::Impl {
    explicit Impl(Device& given) : device(given) {}
    explicit Impl(std::unique_ptr<Device> made) : own(std::move(made)), device(*own) {}
    ~Impl() {
        for (void* block : blocks) device.release(block);
        for (const auto& [block, bytes] : varying) device.release(block);
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

    void* takeVarying(std::size_t bytes) {
        const auto fits = varyingFree.lower_bound(bytes);
        if (fits != varyingFree.end() && fits->first <= 2 * bytes) return varyingFree.extract(fits).mapped();
        if (fits != varyingFree.begin() && 2 * std::prev(fits)->first >= bytes) {
            const auto small = varyingFree.extract(std::prev(fits));
            reserved -= static_cast<std::int64_t>(small.key());
            varying.erase(small.mapped());
            device.release(small.mapped());
        }
        void* const block = device.allocate(bytes);
        varying.emplace(block, bytes);
        reserved += static_cast<std::int64_t>(bytes);
        return block;
    }

    std::unique_ptr<Device> own;  ///< where none was given
    Device& device;
    std::vector<void*> blocks;
    std::map<std::size_t, std::vector<void*>> free;  ///< by padded size
    std::map<void*, std::size_t> varying;            ///< blocks of takeVarying, with their sizes
    std::multimap<std::size_t, void*> varyingFree;   ///< those that are free, by size
    MemoryBytes used{};
    MemoryBytes peaks{};
    std::int64_t peak = 0;
    std::int64_t reserved = 0;
};

Arena::Arena(Device& device) : impl_(std::make_unique<Impl>(device)) {}
Arena::Arena() : impl_(std::make_unique<Impl>(makeCpuDevice())) {}
Arena::~Arena() = default;

Device& Arena::device() const { return impl_->device; }

Buffer Arena::bufferOf(void* block, MemoryCategory category, std::size_t elements, DType type) {
    Buffer buffer;
    buffer.arena_ = this;
    buffer.data_ = {block, type};
    buffer.size_ = elements;
    buffer.category_ = category;
    const auto index = static_cast<std::size_t>(category);
    impl_->used[index] += static_cast<std::int64_t>(elements * sizeOf(type));
    impl_->peaks[index] = std::max(impl_->peaks[index], impl_->used[index]);
    impl_->peak = std::max(impl_->peak, total(impl_->used));
    return buffer;
}

Buffer Arena::allocate(MemoryCategory category, std::size_t elements, DType type) {
    if (elements == 0) return {};
    return bufferOf(impl_->take(padded(elements * sizeOf(type))), category, elements, type);
}

Buffer Arena::allocateVarying(MemoryCategory category, std::size_t elements, DType type) {
    if (elements == 0) return {};
    Buffer buffer = bufferOf(impl_->takeVarying(padded(elements * sizeOf(type))), category, elements, type);
    buffer.varies_ = true;
    return buffer;
}

Buffer Arena::allocateLike(const Buffer& other, MemoryCategory category) {
    return other.varies() ? allocateVarying(category, other.size(), other.type())
                          : allocate(category, other.size(), other.type());
}

Buffer Arena::allocateZeroed(MemoryCategory category, std::size_t elements, DType type) {
    Buffer buffer = allocate(category, elements, type);
    if (!buffer.empty()) impl_->device.clear(buffer.data().data, elements * sizeOf(type));
    return buffer;
}

void Arena::release(const Buffer& buffer) {
    const std::size_t bytes = buffer.size() * sizeOf(buffer.type());
    void* const block = buffer.data().data;
    impl_->used[static_cast<std::size_t>(buffer.category())] -= static_cast<std::int64_t>(bytes);
    if (buffer.varies()) impl_->varyingFree.emplace(impl_->varying.at(block), block);
    else impl_->free[padded(bytes)].push_back(block);
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
    for (const auto& [bytes, block] : impl_->varyingFree) sum += bytes;
    return static_cast<std::int64_t>(sum);
}

std::int64_t Arena::largestFree() const {
    std::size_t largest = impl_->varyingFree.empty() ? 0 : impl_->varyingFree.rbegin()->first;
    for (const auto& [bytes, kept] : impl_->free)
        if (!kept.empty()) largest = std::max(largest, bytes);
    return static_cast<std::int64_t>(largest);
}

void Arena::resetPeaks() {
    impl_->peaks = impl_->used;
    impl_->peak = total(impl_->used);
}

}  // namespace shardlab::train
