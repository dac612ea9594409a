// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/document.h"

#include "engine/launch/job/input_files.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"

#include "ui/core/child.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <QUndoCommand>
#include <QUndoStack>

namespace shardlab::ui {
namespace {

/// Actions of a step above which a plan takes longer than a frame or two and is made on another thread.
constexpr std::int64_t quickActions = 20'000;

std::int64_t plannedActions(const Layout& layout) {
    const std::int64_t forwardAndBackward = 2;
    return forwardAndBackward * microbatches(layout) * stageCount(layout) * rankCount(layout) /
           std::max(1, layout.parallel.pipeline);
}

}  // namespace

/// The value before and after: undo is the previous value.
class LayoutEdit : public QUndoCommand {
public:
    LayoutEdit(Document& document, Layout after, const QString& what, const QString& field)
        : QUndoCommand(what), document_(document), before_(document.layout()), after_(std::move(after)), field_(field) {
    }

    int id() const override { return field_.isEmpty() ? -1 : 1; }
    void undo() override { document_.assign(before_); }
    void redo() override { document_.assign(after_); }

    bool mergeWith(const QUndoCommand* next) override {
        const auto& edit = static_cast<const LayoutEdit&>(*next);  // same id(), hence the same class
        if (edit.field_ != field_) return false;
        after_ = edit.after_;
        setText(edit.text());
        setObsolete(after_ == before_);
        return true;
    }

private:
    Document& document_;
    Layout before_;
    Layout after_;
    QString field_;
};

Document::Document(QObject* parent) : QObject(parent), undo_(std::make_unique<QUndoStack>()) {
    connect(undo_.get(), &QUndoStack::cleanChanged, this, &Document::fileChanged);
    // Who comes back from another program may have mended a file there.
    if (const auto* application = qobject_cast<QGuiApplication*>(QCoreApplication::instance()))
        connect(application, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
            if (state == Qt::ApplicationActive) judgeFiles();
        });
    judge();
}

Document::~Document() = default;

Layout Document::resolvedLayout() const {
    return file_.empty() ? layout_ : resolvePaths(layout_, std::filesystem::absolute(file_).parent_path());
}

bool Document::unsaved() const { return !undo_->isClean(); }

void Document::change(Layout layout, const QString& what, const QString& field) {
    if (layout == layout_) return;
    undo_->push(child<LayoutEdit>(*this, std::move(layout), what, field));  // the stack owns it
}

void Document::replace(Layout layout, std::filesystem::path file) {
    file_ = std::move(file);
    undo_->clear();
    Q_EMIT replaced();
    assign(std::move(layout));
    Q_EMIT fileChanged();
}

void Document::setSaved(std::filesystem::path file) {
    const bool moved = file.parent_path() != file_.parent_path();
    file_ = std::move(file);
    undo_->setClean();
    if (moved) judge();  // a relative data path now means another file
    Q_EMIT fileChanged();
}

void Document::assign(Layout layout) {
    layout_ = std::move(layout);
    judge();
}

void Document::setMeasurements(Measurements measurements) {
    measurements_ = std::move(measurements);
    Q_EMIT measurementsChanged();
    judge();
}

void Document::judge() {
    const std::uint64_t generation = ++generation_;
    Layout layout = resolvedLayout();
    const bool sameFiles = layout.model == filesOf_.model && layout.data == filesOf_.data &&
                           layout.cluster.hosts == filesOf_.cluster.hosts;
    if (!sameFiles) misfits_.clear();
    filesOf_ = layout;
    faults_ = check(layout, scheduleMethods());
    legal_ = faults_.empty();
    if (!legal_) {
        Q_EMIT layoutChanged();
        Q_EMIT planChanged();
        return;
    }
    const bool quick = plannedActions(layout) <= quickActions;
    if (quick) {
        plan_ = legalPlan(layout, measurements_);
        planned_ = generation;
    }
    faults_ = misfits_;
    Q_EMIT layoutChanged();
    Q_EMIT planChanged();
    judgeFiles();
    if (quick) return;
    QThreadPool::globalInstance()->start(
        [document = QPointer<Document>(this), generation, layout = std::move(layout), measurements = measurements_] {
            QMetaObject::invokeMethod(qApp, [document, generation, plan = legalPlan(layout, measurements)]() mutable {
                if (document) document->takePlan(generation, std::move(plan));
            });
        });
}

void Document::judgeFiles() {
    if (!legal_ || judgingFiles_ || filesRead(filesOf_, false).empty()) return;
    judgingFiles_ = true;
    QThreadPool::globalInstance()->start(
        [document = QPointer<Document>(this), generation = generation_, layout = filesOf_] {
            std::vector<Fault> found = misfits(layout, false);
            QMetaObject::invokeMethod(qApp, [document, generation, found = std::move(found)]() mutable {
                if (document) document->takeMisfits(generation, std::move(found));
            });
        });
}

void Document::takeMisfits(std::uint64_t generation, std::vector<Fault> found) {
    judgingFiles_ = false;
    if (generation != generation_) return judgeFiles();
    if (found == misfits_) return;
    const bool shown = faults_ == misfits_;
    misfits_ = std::move(found);
    if (!shown) return;
    faults_ = misfits_;
    Q_EMIT layoutChanged();
    Q_EMIT planChanged();
}

void Document::takePlan(std::uint64_t generation, Plan plan) {
    if (generation != generation_) return;  // a newer layout is on its way
    planned_ = generation;
    plan_ = std::move(plan);
    Q_EMIT planChanged();
}

}  // namespace shardlab::ui
