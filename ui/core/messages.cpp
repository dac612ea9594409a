// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/messages.h"

namespace shardlab::ui {

void Messages::post(const QString& doing, const Error& error, const QString& topic, std::function<bool()> holds) {
    post({.level = MessageLevel::Error,
          .title = doing,
          .detail = QString::fromStdString(error.text()),
          .topic = topic,
          .holds = std::move(holds)});
}

}  // namespace shardlab::ui
