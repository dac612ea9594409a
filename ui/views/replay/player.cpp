// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/replay/player.h"

#include <algorithm>

namespace shardlab::ui {

namespace {
constexpr int frameMilliseconds = 33;
}

Player::Player(const RunModel& model, Selection& selection, std::function<std::int64_t()> clock, QObject* parent)
    : QObject(parent), model_(model), selection_(selection), clock_(std::move(clock)) {
    timer_.setInterval(frameMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &Player::tick);
    connect(&model_, &RunModel::reset, this, &Player::pause);
}

std::int64_t Player::position() const {
    return selection_.cursor() >= 0 ? selection_.cursor() : model_.recorded().last;
}

void Player::anchor() {
    anchorClock_ = clock_();
    anchorPosition_ = position();
    lastSet_ = selection_.cursor();
}

void Player::play() {
    if (playing_ || model_.recorded().events == 0) return;
    if (selection_.cursor() < 0 || selection_.cursor() >= model_.recorded().last) seek(model_.recorded().first);
    playing_ = true;
    anchor();
    timer_.start();
    Q_EMIT stateChanged();
}

void Player::pause() {
    if (!playing_) return;
    playing_ = false;
    timer_.stop();
    Q_EMIT stateChanged();
}

void Player::setSpeed(double speed) {
    if (playing_) tick();
    speed_ = speed;
    if (playing_) anchor();
    Q_EMIT stateChanged();
}

void Player::seek(std::int64_t time) {
    if (model_.recorded().events == 0) return;
    selection_.setCursor(std::clamp(time, model_.recorded().first, model_.recorded().last));
    keepInSight();
    if (playing_) anchor();
}

void Player::step(int direction) {
    const auto& extents = model_.steps().extents();
    if (extents.empty()) return;
    int index = model_.steps().indexAt(position());
    const bool inside = index >= 0 && position() > extents[static_cast<std::size_t>(index)].begin;
    if (direction > 0) ++index;
    else if (!inside) --index;
    if (index >= static_cast<int>(extents.size())) seek(model_.recorded().last);
    else if (index < 0) seek(model_.recorded().first);
    else seek(extents[static_cast<std::size_t>(index)].begin);
}

void Player::tick() {
    if (!playing_) return;
    if (selection_.cursor() != lastSet_) anchor();  // a click elsewhere moved it: play on from there
    const auto passed = static_cast<std::int64_t>(static_cast<double>(clock_() - anchorClock_) * speed_);
    const std::int64_t time = std::min(anchorPosition_ + passed, model_.recorded().last);
    selection_.setCursor(time);
    lastSet_ = selection_.cursor();
    keepInSight();
    if (time >= model_.recorded().last) pause();
}

void Player::keepInSight() {
    const TimeRange visible = selection_.visible();
    const std::int64_t length = visible.end - visible.begin;
    const std::int64_t cursor = selection_.cursor();
    if (length <= 0 || cursor < 0) return;
    if (playing_ && cursor > visible.begin + length * 3 / 5 && cursor <= visible.end) {
        // Runs along with it, from three fifths on.
        selection_.setVisible({cursor - length * 3 / 5, cursor - length * 3 / 5 + length});
    } else if (cursor < visible.begin || cursor > visible.end) {
        selection_.setVisible({cursor - length / 5, cursor - length / 5 + length});
    }
}

}  // namespace shardlab::ui
