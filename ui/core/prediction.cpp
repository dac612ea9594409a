// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/prediction.h"

#include "engine/base/device_time.h"
#include "engine/layout/mesh/mesh.h"
#include "ui/core/point_events.h"
#include "ui/core/step_account.h"
#include "ui/core/ui_thread.h"

#include <QThreadPool>

#include <algorithm>
#include <optional>

namespace shardlab::ui {
namespace {

constexpr std::size_t quickEvents = 6000;  ///< whose account is made within a frame or two

bool isBackward(EventKind kind) {
    return kind == EventKind::Backward || kind == EventKind::InputGrad || kind == EventKind::WeightGrad;
}

}  // namespace

struct Prediction::Step {
    std::vector<std::array<std::vector<Event>, laneCount>> ranks;
    std::int64_t end = 0;
    std::int64_t firstForward = -1;  ///< −1: there is none
    std::int64_t lastBackward = 0;
    std::optional<Layout> layout;  ///< of which an account can be made
    DeviceTime device;
    bool asked = false;  ///< the account is made, or is being made
    std::shared_ptr<const StepAccount> account;
};

Prediction::Prediction() : step_(std::make_shared<Step>()) {}

Prediction::~Prediction() = default;

void Prediction::begin(const RunHeader* header, std::vector<Event> events) {
    step_ = std::make_shared<Step>();
    if (!header) return;
    step_->ranks.resize(static_cast<std::size_t>(Mesh(header->layout).ranks()));
    step_->device = DeviceTime(header->stretch);
    if (header->hasLayout()) step_->layout = header->layout;
    std::ranges::stable_sort(events, byBegin);
    for (const Event& event : events) {
        if (static_cast<std::size_t>(event.rank) >= step_->ranks.size() || !isSpan(event.kind)) continue;
        step_->ranks[static_cast<std::size_t>(event.rank)][static_cast<std::size_t>(event.lane)].push_back(event);
        step_->end = std::max(step_->end, event.end);
        if (event.kind == EventKind::Forward && step_->firstForward < 0) step_->firstForward = event.begin;
        if (isBackward(event.kind)) step_->lastBackward = std::max(step_->lastBackward, event.end);
    }
}

const std::vector<Event>& Prediction::lane(int rank, Lane lane) const {
    return step_->ranks.at(static_cast<std::size_t>(rank))[static_cast<std::size_t>(lane)];
}

std::vector<Event> Prediction::events() const {
    std::vector<Event> all;
    for (const auto& lanes : step_->ranks)
        for (const std::vector<Event>& lane : lanes) all.insert(all.end(), lane.begin(), lane.end());
    return all;
}

std::int64_t Prediction::end() const { return step_->end; }
std::int64_t Prediction::firstForward() const { return std::max<std::int64_t>(step_->firstForward, 0); }
std::int64_t Prediction::lastBackward() const { return step_->lastBackward; }

const StepAccount* Prediction::account() {
    if (step_->asked || !step_->layout) return step_->account.get();
    step_->asked = true;
    std::vector<Event> all = events();
    if (all.size() <= quickEvents) {
        step_->account = accountOf(*step_->layout, std::move(all), step_->device);
        return step_->account.get();
    }
    QThreadPool::globalInstance()->start([this, of = std::weak_ptr(step_), layout = *step_->layout,
                                          all = std::move(all), device = step_->device]() mutable {
        std::shared_ptr<const StepAccount> account = accountOf(layout, std::move(all), device);
        onUserInterface([this, of, account] {
            const std::shared_ptr<Step> step = of.lock();
            if (!step) return;  // this prediction, its only owner, has begun anew or is gone
            step->account = account;
            Q_EMIT accounted();
        });
    });
    return nullptr;
}

}  // namespace shardlab::ui
