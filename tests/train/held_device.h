// SPDX-License-Identifier: Apache-2.0
// A device whose exchanges with others are over when a test says so, and whose moments are when it says. What is asked
// of it is written down, in order.
#pragma once

#include "tests/train/distant_device.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

namespace shardlab::test {

class HeldMoment final : public DeviceMoment {
public:
    std::optional<std::int64_t> reached() override {
        const std::int64_t at = time;
        return at == never ? std::nullopt : std::optional(at);
    }
    static constexpr std::int64_t never = -1;
    std::atomic<std::int64_t> time = never;
};

/// One thing that was asked of the device.
struct Asked {
    std::string what;  ///< "begin", "precede", "clear", "add", "mark", "adamw", "synchronize"
    int number = -1;   ///< of the exchange, or of the mark
    const void* data = nullptr;

    bool operator==(const Asked&) const = default;
};

class HeldDevice final : public DistantDevice {
public:
    struct Exchange {
        const void* data = nullptr;  ///< of its first call
        std::shared_ptr<HeldMoment> begin = std::make_shared<HeldMoment>(), end = std::make_shared<HeldMoment>();
    };

    std::vector<Asked> log() const {
        const std::lock_guard held(mutex_);
        return log_;
    }
    std::vector<Asked> log(const std::string& what) const {
        std::vector<Asked> found = log();
        std::erase_if(found, [&](const Asked& each) { return each.what != what; });
        return found;
    }
    std::size_t count(const std::string& what) const { return log(what).size(); }
    Exchange exchange(int number) const {
        const std::lock_guard held(mutex_);
        return exchanges_.at(static_cast<std::size_t>(number));
    }
    std::shared_ptr<HeldMoment> marked(int number) const {
        const std::lock_guard held(mutex_);
        return marks_.at(static_cast<std::size_t>(number));
    }
    /// All that is held, and is asked for later, is over.
    void release() {
        const std::lock_guard held(mutex_);
        released_ = true;
        for (Exchange& each : exchanges_) finish(each);
        for (const auto& each : marks_)
            if (each->time == HeldMoment::never) each->time = ++time_;
    }

    DeviceGroupsOrReason groups() override { return {&groups_, {}}; }
    std::shared_ptr<DeviceMoment> mark() override {
        const std::lock_guard held(mutex_);
        const auto& moment = marks_.emplace_back(std::make_shared<HeldMoment>());
        if (released_) moment->time = ++time_;
        log_.push_back({"mark", static_cast<int>(marks_.size()) - 1});
        return moment;
    }
    void clear(void* data, std::size_t bytes) override {
        note({"clear", -1, data});
        DistantDevice::clear(data, bytes);
    }
    void add(std::int64_t count, ConstArray from, Array to) override {
        note({"add", -1, from.data});
        DistantDevice::add(count, from, to);
    }
    void adamw(const AdamWUpdate& update, std::span<const AdamWPart> parts) override {
        note({"adamw"});
        DistantDevice::adamw(update, parts);
    }
    void synchronize() override { note({"synchronize"}); }

private:
    class HeldExchange final : public DeviceExchange {
    public:
        HeldExchange(HeldDevice& device, int number)
            : device_(device), number_(number), exchange_(device.exchange(number)) {}
        bool done() override { return exchange_.end->reached().has_value(); }
        void precede() override { device_.note({"precede", number_, exchange_.data}); }
        std::shared_ptr<DeviceMoment> begin() const override { return exchange_.begin; }
        std::shared_ptr<DeviceMoment> end() const override { return exchange_.end; }

    private:
        HeldDevice& device_;
        int number_;
        Exchange exchange_;
    };

    class Group final : public DeviceGroup {
    public:
        explicit Group(HeldDevice& device) : device_(device) {}
        void begin(const DeviceMoment*) override { data_ = nullptr; }
        void send(const void*, std::size_t, int) override {}
        void receive(void*, std::size_t, int) override {}
        void allReduce(ConstArray from, Array, std::size_t, DeviceReduction) override { take(from.data); }
        void reduce(ConstArray from, Array, std::size_t, DeviceReduction, int) override { take(from.data); }
        void reduceScatter(ConstArray from, Array, std::size_t, DeviceReduction) override { take(from.data); }
        void allGather(ConstArray from, Array, std::size_t) override { take(from.data); }
        void broadcast(void* data, std::size_t, int) override { take(data); }
        std::unique_ptr<DeviceExchange> end() override {
            return std::make_unique<HeldExchange>(device_, device_.begun(data_));
        }

    private:
        void take(const void* data) {
            if (!data_) data_ = data;
        }
        HeldDevice& device_;
        const void* data_ = nullptr;
    };

    class Groups final : public DeviceGroups {
    public:
        explicit Groups(HeldDevice& device) : device_(device) {}
        std::string name() const override { return "held"; }
        DeviceGroupId newId() override { return {}; }
        std::unique_ptr<DeviceGroup> join(const DeviceGroupId&, int, int) override {
            device_.note({"join"});
            return std::make_unique<Group>(device_);
        }
        void watch(std::weak_ptr<const std::function<void()>>) override {}

    private:
        HeldDevice& device_;
    };

    int begun(const void* data) {
        const std::lock_guard held(mutex_);
        Exchange& exchange = exchanges_.emplace_back();
        exchange.data = data;
        if (released_) finish(exchange);
        const int number = static_cast<int>(exchanges_.size()) - 1;
        log_.push_back({"begin", number, data});
        return number;
    }
    void finish(Exchange& exchange) {
        if (exchange.begin->time == HeldMoment::never) exchange.begin->time = ++time_;
        if (exchange.end->time == HeldMoment::never) exchange.end->time = ++time_;
    }
    void note(Asked asked) {
        const std::lock_guard held(mutex_);
        log_.push_back(std::move(asked));
    }

    mutable std::mutex mutex_;
    std::vector<Asked> log_;
    std::vector<Exchange> exchanges_;
    std::vector<std::shared_ptr<HeldMoment>> marks_;
    bool released_ = false;
    std::int64_t time_ = 0;  ///< of the next moment, where the test did not say
    Groups groups_{*this};
};

}  // namespace shardlab::test
