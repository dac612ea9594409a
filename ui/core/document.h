// SPDX-License-Identifier: GPL-3.0-or-later
// The layout being designed: value, file, undo; judged and planned after every change.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/plan/plan.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

class QUndoStack;

namespace shardlab {

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    const Layout& layout() const { return layout_; }
    const std::vector<Fault>& faults() const { return faults_; }
    /// The plan of the last legal layout; none until there was one.
    const std::optional<Plan>& plan() const { return plan_; }
    bool planIsCurrent() const { return faults_.empty(); }
    const std::filesystem::path& file() const { return file_; }  ///< empty: never saved
    QUndoStack& undoStack() { return *undo_; }

    /// One undoable step; `what` names it ("Set hidden to 256"). Equal values do nothing.
    void change(Layout layout, const QString& what);
    /// A new document: clears undo.
    void replace(Layout layout, std::filesystem::path file);
    void setSaved(std::filesystem::path file);

Q_SIGNALS:
    void layoutChanged();  ///< layout and faults
    void planChanged();
    void fileChanged();

private:
    friend class LayoutEdit;
    void assign(Layout layout);
    Layout layout_;
    std::vector<Fault> faults_;
    std::optional<Plan> plan_;
    std::filesystem::path file_;
    std::unique_ptr<QUndoStack> undo_;
};

}  // namespace shardlab
