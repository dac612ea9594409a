// SPDX-License-Identifier: GPL-3.0-or-later
// What another trainer would get of the layout in Design, before it is written: each file as text, what is left out,
// and where the trainer cannot do it what it can do instead. It follows the layout while a person changes it.
#pragma once

#include "ui/core/layout_export.h"

#include <QDialog>
#include <QPointer>

class QCheckBox;
class QComboBox;
class QFileDialog;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableWidget;

namespace shardlab::ui {

class ExportWindow : public QDialog {
    Q_OBJECT
public:
    ExportWindow(Document& document, QWidget* parent);

    void setTarget(const TrainerTarget& target);
    const TrainerTarget& target() const;
    /// Writes what is shown as `file` and beside it, and says what was written or why nothing was.
    void saveAs(const std::filesystem::path& file);

    QComboBox& targets() const { return *targets_; }
    QCheckBox& slurm() const { return *slurm_; }
    QTabBar& files() const { return *files_; }
    QPlainTextEdit& preview() const { return *preview_; }
    QPlainTextEdit& leftOut() const { return *leftOut_; }
    QTableWidget& refusals() const { return *refusals_; }
    QLabel& note() const { return *note_; }
    QPushButton& nearestButton() const { return *nearest_; }
    QPushButton& copyButton() const { return *copy_; }
    QPushButton& saveButton() const { return *save_; }

Q_SIGNALS:
    /// A person goes to the field of something that is refused.
    void fieldWanted(const QString& pointer);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void refresh();
    /// As high as its lines, wrapped at the width that it has.
    void fitLeftOut();
    void showFile(int file);
    void showRefusals();
    /// One step of undo with the nearest value of each field that is refused, and a sentence of what changed.
    void takeNearest();
    void say(const QString& what, const char* role);
    void askAndSave();

    Document& document_;
    LayoutExport made_;
    QComboBox* targets_;
    QCheckBox* slurm_;
    QLabel *about_, *heading_, *leftOutTitle_, *note_;
    QStackedWidget* pages_;
    QTabBar* files_;
    QPlainTextEdit *preview_, *leftOut_;
    QTableWidget* refusals_;
    QPushButton *nearest_, *copy_, *save_;
    QPointer<QFileDialog> dialog_;
};

}  // namespace shardlab::ui
