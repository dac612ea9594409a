// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/messages.h"

#include "ui/core/words.h"

namespace shardlab::ui {

void Messages::post(const QString& doing, const Error& error, const QString& topic, std::function<bool()> holds) {
    post({.level = MessageLevel::Error,
          .title = doing,
          .detail = told(error),
          .topic = topic,
          .holds = std::move(holds)});
}

}  // namespace shardlab::ui
