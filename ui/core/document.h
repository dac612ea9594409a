// SPDX-License-Identifier: GPL-3.0-or-later
// The layout being designed: value, file, undo; judged and planned after every change, and then the files that it
// names, on another thread, as a run would before it starts.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/predict/plan/plan.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

class QUndoStack;

namespace shardlab::ui {

class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    const Layout& layout() const { return layout_; }
    /// The layout with its data path made absolute against the file's folder: what is planned and run.
    Layout resolvedLayout() const;
    const std::vector<Fault>& faults() const { return faults_; }
    /// The plan of the last legal layout; none until there was one.
    const std::optional<Plan>& plan() const { return plan_; }
    /// plan() is of layout(): false with faults, and while a large plan is being made.
    bool planIsCurrent() const { return faults_.empty() && planned_ == generation_; }
    const std::filesystem::path& file() const { return file_; }  ///< empty: never saved
    bool unsaved() const;
    QUndoStack& undoStack() { return *undo_; }
    /// What plans are made from; a new one plans anew. None: presets alone.
    const Measurements& measurements() const { return measurements_; }
    void setMeasurements(Measurements measurements);

    /// One undoable step; `what` names it ("Set hidden to 256"). Equal values do nothing. Steps in a row with the same
    /// non-empty `field` (a JSON pointer) become one.
    void change(Layout layout, const QString& what, const QString& field = {});
    /// A new document: clears undo.
    void replace(Layout layout, std::filesystem::path file);
    void setSaved(std::filesystem::path file);
    /// Asks the view that shows fields to bring this one into sight and focus it.
    void requestField(const QString& pointer) { Q_EMIT fieldRequested(pointer); }

Q_SIGNALS:
    void replaced();       ///< by another document, whose layout comes with the signals below
    void layoutChanged();  ///< layout and faults
    void planChanged();
    void measurementsChanged();  ///< before the plan made from them
    void fileChanged();          ///< its path, or whether there is anything to save
    void fieldRequested(const QString& pointer);

private:
    friend class LayoutEdit;
    void assign(Layout layout);
    void judge();
    /// Starts judging the files of the layout. While another judgement is under way nothing is started: the last layout
    /// is judged once that ends.
    void judgeFiles();
    void takeMisfits(std::uint64_t generation, std::vector<Fault> found);
    void takePlan(std::uint64_t generation, Plan plan);

    Layout layout_;
    Measurements measurements_;
    std::vector<Fault> faults_;
    bool legal_ = false;          ///< check() finds no fault in the layout
    std::vector<Fault> misfits_;  ///< of the files, as last judged; they are faults where the layout has none
    Layout filesOf_;              ///< the layout of the last judgement, whose model and data misfits_ belong to
    bool judgingFiles_ = false;
    std::optional<Plan> plan_;
    std::filesystem::path file_;
    std::unique_ptr<QUndoStack> undo_;
    std::uint64_t generation_ = 0;  ///< counts layouts; a plan of an older one is dropped
    std::uint64_t planned_ = 0;     ///< generation of plan_
};

}  // namespace shardlab::ui
