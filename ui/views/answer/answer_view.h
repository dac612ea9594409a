// SPDX-License-Identifier: GPL-3.0-or-later
// What the layout will do: does it fit, how fast, how much of the time is lost.
#pragma once

#include "ui/core/view.h"

#include "engine/predict/evidence/published_ground.h"

#include <map>

namespace shardlab::ui {

class FactList;

class AnswerView : public View {
    Q_OBJECT
public:
    AnswerView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString subtitleHelp() const override;
    QString asTable() const override;

private:
    void refresh();
    /// What published runs say of the plan. Not there yet: it is being found on another thread, and then refreshes.
    const Result<PublishedGround>* groundOf(const Layout& layout);

    std::map<std::string, Result<PublishedGround>> grounds_;  ///< by likeness
    std::string finding_;                                     ///< the likeness of the ground that is being found
    FactList* facts_;
};

}  // namespace shardlab::ui
