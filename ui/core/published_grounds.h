// SPDX-License-Identifier: GPL-3.0-or-later
// What published runs say of layouts: found once for each likeness, on another thread.
#pragma once

#include "engine/predict/evidence/published_ground.h"

#include <QObject>

#include <map>
#include <string>

namespace shardlab::ui {

class PublishedGrounds : public QObject {
    Q_OBJECT
public:
    explicit PublishedGrounds(QObject* parent = nullptr) : QObject(parent) {}
    /// nullptr: the layout has no likeness, or its ground is still being found, and found() will tell.
    const Result<PublishedGround>* of(const Layout& layout);

Q_SIGNALS:
    void found();

private:
    std::map<std::string, Result<PublishedGround>> grounds_;  ///< by likeness
    std::string finding_;                                     ///< the likeness of the ground that is being found
};

}  // namespace shardlab::ui
