// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a layout: a control for every field, each keystroke in the document, each fault at its field.
#include "desktop_fixture.h"

#include "ui/core/text.h"
#include "ui/views/layout_form/choice_editors.h"
#include "ui/views/layout_form/field_editor.h"
#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/hosts_check.h"
#include "ui/views/layout_form/hosts_editor.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/views/layout_form/number_editors.h"
#include "ui/views/layout_form/unit_line.h"

#include "engine/layout/fields.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/partition_layout.h"
#include "tests/support/wings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QUndoStack>
#include <QtTest>

#include <atomic>

using namespace shardlab::test;

class LayoutFormTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void everyFieldHasAControl();
    void editingEveryFieldChangesTheDocument();
    void faultsStandAtTheirField();
    void unreadableTextIsSaidAndChangesNothing();
    void largeNumbersAreWrittenOut();
    void undoIsShown();
    void choicesComeFromTheRegistries();
    void stagesCanBeUneven();
    void stagesAreBalancedByAButton();
    void hostsCanBeAddedRenamedAndRemoved();
    void hostsCanBeChecked();
    void faultsOnPurposeAreLinesOfControls();
    void everyScheduleLeavesTheFieldsInSight();
    void aRequestedFieldGetsTheKeyboard();
    void aFieldIsFoundByAWord();
    void aFoldedSectionStaysFoldedAndOpensForAFault();
    void unitsStandBehindNumbers();
    void fieldsWithoutEffectAreSubdued();

private:
    FieldRow& row(const char* pointer) {
        FieldRow* found = form_->row(QString::fromLatin1(pointer));
        Q_ASSERT(found);
        return *found;
    }
    std::unique_ptr<Desk> desk_;
    std::unique_ptr<LayoutForm> form_;
};

/// Types or picks another value than the one shown.
static void alter(QWidget& control) {
    if (auto* box = qobject_cast<QSpinBox*>(&control)) {
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::number(box->value() + 1));
    } else if (auto* choice = qobject_cast<QComboBox*>(&control)) {
        choice->setFocus();
        QTest::keyClick(choice, choice->currentIndex() + 1 < choice->count() ? Qt::Key_Down : Qt::Key_Up);
    } else if (auto* tick = qobject_cast<QCheckBox*>(&control)) {
        QTest::keyClick(tick, Qt::Key_Space);
    } else if (auto* line = qobject_cast<QLineEdit*>(&control)) {
        line->setFocus();
        bool number = false;
        line->text().split(' ').front().toDouble(&number);
        QString other = QStringLiteral("words");
        if (qobject_cast<LongEditor*>(line->parent())) other = line->text() == QLatin1String("7") ? "8" : "7";
        else if (number || qobject_cast<NumberEditor*>(line->parent()))
            other = line->text() == QLatin1String("0.25") ? "0.5" : "0.25";
        else if (qobject_cast<IntegerListEditor*>(line->parent())) other = QStringLiteral("64 64");
        line->selectAll();
        QTest::keyClicks(line, other);
    } else if (auto* button = qobject_cast<QToolButton*>(&control)) {
        QTest::mouseClick(button, Qt::LeftButton);
    } else {
        QFAIL("a control of an unknown kind");
    }
}

void LayoutFormTest::init() {
    desk_ = std::make_unique<Desk>();
    form_ = std::make_unique<LayoutForm>(desk_->workbench.context(Workspace::Design), nullptr);
    form_->resize(320, 700);
    form_->show();
}

void LayoutFormTest::cleanup() {
    form_.reset();
    desk_.reset();
}

void LayoutFormTest::unitsStandBehindNumbers() {
    const auto* batch = qobject_cast<QSpinBox*>(&row("/batch/global").editor().control());
    QVERIFY(batch->text().endsWith(QStringLiteral(" samples")));
    auto* tensor = qobject_cast<QSpinBox*>(&row("/parallel/tensor").editor().control());
    QCOMPARE(tensor->text(), QStringLiteral("1 rank"));
    alter(*tensor);
    QCOMPARE(tensor->text(), QStringLiteral("2 ranks"));
    QCOMPARE(desk_->document().layout().parallel.tensor, 2);
    const auto* bucket = dynamic_cast<UnitLine*>(&row("/parallel/bucket").editor().control());
    QVERIFY(bucket && bucket->unit() == QStringLiteral("MB") && !bucket->text().contains(QStringLiteral("MB")));
    QVERIFY(bucket->textMargins().right() > 0);                                // the number does not run into it
    for (const char* words : {"/run/size_limit", "/optimizer/learning_rate"})  // writes its own; has none
        QVERIFY(dynamic_cast<UnitLine*>(&row(words).editor().control())->unit().isEmpty());
    QVERIFY(qobject_cast<QSpinBox*>(&row("/model/heads").editor().control())->suffix().isEmpty());
}

void LayoutFormTest::fieldsWithoutEffectAreSubdued() {
    const auto subdued = [&](const char* pointer) {
        return row(pointer).editor().control().property("subdued").toBool();
    };
    const auto set = [&](const std::function<void(Layout&)>& change) {
        Layout layout = desk_->document().layout();
        change(layout);
        desk_->document().change(layout, QStringLiteral("test"));
    };
    QVERIFY(subdued("/optimizer/momentum") && !subdued("/optimizer/betas") && !subdued("/optimizer/learning_rate"));
    QVERIFY(row("/optimizer/momentum")
                .editor()
                .control()
                .toolTip()
                .endsWith(QStringLiteral("Without effect here: only with sgd or sm3.")));
    set([](Layout& layout) { layout.optimizer.kind = OptimizerKind::Sgd; });
    QVERIFY(!subdued("/optimizer/momentum") && subdued("/optimizer/betas"));
    QVERIFY(!row("/optimizer/momentum").editor().control().toolTip().contains(QStringLiteral("Without effect")));
    // It can be edited all the same.
    auto* scale = qobject_cast<QLineEdit*>(&row("/precision/scale").editor().control());
    QVERIFY(subdued("/precision/scale") && scale->isEnabled() && !scale->isReadOnly());
    alter(*scale);
    QCOMPARE(desk_->document().layout().precision.scale, 0.25);
    set([](Layout& layout) { layout.precision.lossScale = LossScaling::Static; });
    QVERIFY(!subdued("/precision/scale") && subdued("/precision/scale_window"));
    // A fault is an effect.
    QVERIFY(subdued("/parallel/partition"));
    set([](Layout& layout) { layout.parallel.partition = PartitionKind::Layers; });
    QVERIFY(!row("/parallel/partition").faultText().isEmpty() && !subdued("/parallel/partition"));
}

void LayoutFormTest::everyFieldHasAControl() {
    QCOMPARE(form_->rows().size(), fields().size());
    for (const Field& field : fields()) {
        const QString pointer = QString::fromUtf8(field.pointer.data(), static_cast<qsizetype>(field.pointer.size()));
        auto* editor = form_->findChild<FieldEditor*>(pointer);
        QVERIFY2(editor, qPrintable(pointer));
        QVERIFY2(!editor->control().accessibleName().isEmpty(), qPrintable(pointer));
        QVERIFY2(editor->control().focusPolicy() & Qt::TabFocus, qPrintable(pointer));
    }
}

void LayoutFormTest::editingEveryFieldChangesTheDocument() {
    for (const Field& field : fields()) {
        desk_->workbench.newFromPreset(Layout{});
        Layout paced;
        paced.cluster.pace.emplace();
        if (field.pointer.starts_with("/cluster/pace/")) desk_->workbench.newFromPreset(paced);
        const Layout before = desk_->document().layout();
        FieldEditor& editor = row(std::string(field.pointer).c_str()).editor();
        if (auto* choice = qobject_cast<QComboBox*>(&editor.control()); choice && choice->count() < 2)
            continue;  // one legal word
        alter(editor.control());
        QVERIFY2(!(desk_->document().layout() == before), std::string(field.pointer).c_str());
        QCOMPARE(desk_->document().undoStack().count(), 1);
        desk_->document().undoStack().undo();
        QVERIFY2(desk_->document().layout() == before, std::string(field.pointer).c_str());
    }
}

void LayoutFormTest::faultsStandAtTheirField() {
    auto* heads = qobject_cast<QSpinBox*>(&row("/model/heads").editor().control());
    heads->setValue(7);
    QCOMPARE(desk_->document().layout().model.heads, 7);
    const QString text = row("/model/heads").faultText();
    QVERIFY(!text.isEmpty());
    const Fault& fault = desk_->document().faults().front();
    for (const Sentence& part : {fault.why, fault.legal})
        QVERIFY(text.contains(QString::fromStdString(part.english())));
    QVERIFY(heads->property("faulty").toBool());
    QVERIFY(row("/model/hidden").faultText().isEmpty());
    heads->setValue(4);
    QVERIFY(row("/model/heads").faultText().isEmpty());
    QVERIFY(!heads->property("faulty").toBool());
}

void LayoutFormTest::unreadableTextIsSaidAndChangesNothing() {
    const Layout before = desk_->document().layout();
    auto* rate = qobject_cast<QLineEdit*>(&row("/optimizer/learning_rate").editor().control());
    rate->setFocus();
    rate->selectAll();
    QTest::keyClicks(rate, QStringLiteral("fast"));
    QVERIFY(desk_->document().layout() == before);
    QVERIFY(row("/optimizer/learning_rate").faultText().contains(QStringLiteral("fast")));
    rate->selectAll();
    QTest::keyClicks(rate, QStringLiteral("2e-3"));
    QCOMPARE(desk_->document().layout().optimizer.learningRate, 2e-3);
    QCOMPARE(rate->text(), QStringLiteral("2e-3"));  // stays as typed
    QVERIFY(row("/optimizer/learning_rate").faultText().isEmpty());
}

void LayoutFormTest::largeNumbersAreWrittenOut() {
    auto* base = qobject_cast<QLineEdit*>(&row("/model/rope_base").editor().control());
    Layout layout = desk_->document().layout();
    for (const auto& [number, text] :
         {std::pair(500000.0, "500000"), std::pair(1e6, "1000000"), std::pair(2.5, "2.5")}) {
        layout.model.block.rotary.base = number;
        desk_->document().change(layout, QStringLiteral("base"));
        QCOMPARE(base->text(), QLatin1String(text));
    }
}

void LayoutFormTest::undoIsShown() {
    auto* hidden = qobject_cast<QSpinBox*>(&row("/model/hidden").editor().control());
    const int before = hidden->value();
    hidden->setValue(before * 2);
    desk_->document().undoStack().undo();
    QCOMPARE(hidden->value(), before);
    desk_->document().undoStack().redo();
    QCOMPARE(hidden->value(), before * 2);
}

void LayoutFormTest::choicesComeFromTheRegistries() {
    auto* kinds = qobject_cast<QComboBox*>(&row("/schedule/kind").editor().control());
    QVERIFY(kinds);
    for (const ScheduleMethod& method : scheduleMethods())
        QVERIFY(kinds->findText(QString::fromUtf8(method.name.data(), static_cast<qsizetype>(method.name.size()))) >=
                0);
    kinds->setCurrentText(QStringLiteral("gpipe"));
    QCOMPARE(desk_->document().layout().schedule.kind, std::string("gpipe"));
    auto* paced = qobject_cast<QCheckBox*>(&row("/cluster/pace").editor().control());
    QVERIFY(!row("/cluster/pace/device").isVisible() || paced->isChecked());
    paced->setChecked(true);
    QVERIFY(row("/cluster/pace/device").isVisible());
    auto* device = qobject_cast<QComboBox*>(&row("/cluster/pace/device").editor().control());
    device->setCurrentText(QStringLiteral("b200"));
    QCOMPARE(desk_->document().layout().cluster.pace->device, std::string("b200"));
}

void LayoutFormTest::stagesCanBeUneven() {
    FieldEditor& editor = row("/schedule/stages").editor();
    auto* even = qobject_cast<QCheckBox*>(&editor.control());
    QVERIFY(even->isChecked());
    even->setChecked(false);
    const auto expected = stageLayers(desk_->document().layout());
    QVERIFY(desk_->document().layout().schedule.stages == expected);
    const auto boxes = editor.findChildren<QSpinBox*>();
    QCOMPARE(static_cast<std::size_t>(boxes.size()), expected.size());
    boxes[0]->setValue(1);
    boxes[1]->setValue(desk_->document().layout().model.layers - 1);
    QCOMPARE(desk_->document().layout().schedule.stages.front(), 1);
    QVERIFY(desk_->document().faults().empty());
    boxes[1]->setValue(99);
    QVERIFY(!row("/schedule/stages").faultText().isEmpty());
    even->setChecked(true);
    QVERIFY(desk_->document().layout().schedule.stages.empty());
}

void LayoutFormTest::stagesAreBalancedByAButton() {
    auto* balance = row("/schedule/stages").editor().findChild<QToolButton*>();
    QVERIFY(balance && balance->isEnabled());
    Layout layout = desk_->document().layout();
    layout.model.feedForward.assign(static_cast<std::size_t>(layout.model.layers), 16);
    layout.model.feedForward.back() = 4096;
    desk_->document().change(layout, QStringLiteral("widths"), QStringLiteral("/model/feed_forward"));
    balance->click();
    const std::vector<int> stages = desk_->document().layout().schedule.stages;
    QVERIFY(stages == balancedStages(layout, Mesh(layout)));
    QVERIFY(stages.front() > stages.back() && desk_->document().faults().empty());
    layout.model.heads = 3;  // wrong for another reason: no split mends it
    desk_->document().change(layout, QStringLiteral("heads"), QStringLiteral("/model/heads"));
    QVERIFY(!balance->isEnabled());
}

void LayoutFormTest::hostsCanBeAddedRenamedAndRemoved() {
    FieldEditor& editor = row("/cluster/hosts").editor();
    const auto button = [&](const QString& text) -> QToolButton* {
        for (auto* found : editor.findChildren<QToolButton*>())
            if (found->text() == text && found->isVisible()) return found;
        return nullptr;
    };
    QTest::mouseClick(button(QStringLiteral("+ host")), Qt::LeftButton);
    QCOMPARE(desk_->document().layout().cluster.hosts.size(), std::size_t{2});
    const auto lines = editor.findChildren<QLineEdit*>(QString(), Qt::FindChildrenRecursively);
    QLineEdit* second = nullptr;
    for (QLineEdit* line : lines)
        if (line->accessibleName().contains(QLatin1Char('1')) && line->isVisible()) second = line;
    QVERIFY(second);
    second->selectAll();
    QTest::keyClicks(second, QStringLiteral("node-b"));
    QCOMPARE(desk_->document().layout().cluster.hosts[1].name, std::string("node-b"));
    QTest::mouseClick(button(QStringLiteral("✕")), Qt::LeftButton);
    QCOMPARE(desk_->document().layout().cluster.hosts.size(), std::size_t{1});
    QCOMPARE(desk_->document().layout().cluster.hosts[0].name, std::string("node-b"));
    QVERIFY(!button(QStringLiteral("✕")));  // one host must stay
}

void LayoutFormTest::faultsOnPurposeAreLinesOfControls() {
    using Texts = std::vector<std::string>;
    FieldEditor& editor = row("/run/faults").editor();
    const auto faults = [&] { return desk_->document().layout().run.faults; };
    const auto named = [&]<class Control>(Control*, const char* name) -> Control* {
        for (auto* found : editor.findChildren<Control*>())
            if (found->accessibleName() == QLatin1String(name)) return found;
        return nullptr;
    };
    Layout layout;
    layout.run.steps = 40;
    desk_->workbench.newFromPreset(layout);
    QTest::mouseClick(qobject_cast<QToolButton*>(&editor.control()), Qt::LeftButton);
    QCOMPARE(faults(), (Texts{"kill 3 after 20"}));
    auto* rank = named(static_cast<QSpinBox*>(nullptr), "Rank of fault 0");
    auto* after = named(static_cast<QSpinBox*>(nullptr), "Steps before fault 0");
    auto* kind = named(static_cast<QComboBox*>(nullptr), "What happens, fault 0");
    auto* factor = named(static_cast<QDoubleSpinBox*>(nullptr), "Slowdown of fault 0");
    QVERIFY(rank && after && kind && factor && !factor->isVisible());
    rank->setValue(1);
    after->setValue(7);
    QCOMPARE(faults(), (Texts{"kill 1 after 7"}));
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_End);
    QCOMPARE(faults(), (Texts{"slow 1 after 7 by 1"}));
    QVERIFY(factor->isVisible());
    factor->setValue(2.5);
    QCOMPARE(faults(), (Texts{"slow 1 after 7 by 2.5"}));
    rank->setValue(4);
    QVERIFY2(row("/run/faults").faultText().contains(QLatin1String("There is no rank 4")),
             qPrintable(row("/run/faults").faultText()));

    // What cannot be read stays as it was written, and can be mended there.
    layout.run.faults = {"kill 0 after 3", "burn 1"};
    desk_->workbench.newFromPreset(layout);
    auto* text = named(static_cast<QLineEdit*>(nullptr), "Text of fault 1");
    QVERIFY(text && text->isVisible());
    QCOMPARE(text->text(), QString("burn 1"));
    text->setFocus();
    text->selectAll();
    QTest::keyClicks(text, QStringLiteral("hang 1 after 2"));
    QCOMPARE(faults(), (Texts{"kill 0 after 3", "hang 1 after 2"}));
    QVERIFY(row("/run/faults").faultText().isEmpty());
    QTest::mouseClick(named(static_cast<QToolButton*>(nullptr), "Remove fault 0"), Qt::LeftButton);
    QCOMPARE(faults(), (Texts{"hang 1 after 2"}));
    desk_->document().undoStack().undo();  // what was done to one field in a row is one step
    QCOMPARE(faults(), (Texts{"kill 0 after 3", "burn 1"}));
}

void LayoutFormTest::hostsCanBeChecked() {
    auto* editor = qobject_cast<HostsEditor*>(&row("/cluster/hosts").editor());
    QVERIFY(editor);
    const auto ask = [&]() -> QToolButton* {
        for (auto* found : editor->findChildren<QToolButton*>())
            if (found->text().startsWith("check") && found->isVisibleTo(form_.get())) return found;
        return nullptr;
    };
    const auto said = [&] {
        QStringList texts;
        for (auto* label : editor->findChildren<QLabel*>())
            if (label->isVisibleTo(form_.get())) texts << label->text();
        return texts.join('\n');
    };
    QVERIFY(!ask());  // this machine alone
    Layout layout = desk_->document().layout();
    layout.cluster.hosts = {{"localhost", 2}, {"node-b", 1}, {"node-c", 1}};
    desk_->document().replace(layout, {});
    QVERIFY(ask());

    std::atomic<bool> go = false, stopped = false;
    editor->check().setExaminer([&](const ClusterSpec& cluster, const std::string&,
                                    const std::stop_token& stop) -> Result<std::vector<MachineFinding>> {
        while (!go && !stop.stop_requested()) QThread::msleep(1);
        stopped = stop.stop_requested();
        if (cluster.agent == "none") return fail(Error{"the agent is missing", "none", "it is not in PATH", {}});
        return std::vector<MachineFinding>{{"host node-b", FindingState::Good, "cores 8", {}},
                                           {"host node-c", FindingState::Bad, "cannot be reached", "ssh keys"}};
    });
    ask()->click();
    QVERIFY(ask()->text().contains("stop"));
    ask()->click();
    QTRY_VERIFY(!editor->check().active());
    QVERIFY(stopped && said().isEmpty());

    go = true;
    ask()->click();
    QTRY_COMPARE(said(), QString("✓ cores 8\n✗ cannot be reached"));
    // Nothing is known of a host with another name.
    layout.cluster.hosts[1].name = "node-d";
    desk_->document().replace(layout, {});
    QCOMPARE(said(), QString("✗ cannot be reached"));
    layout.cluster.agent = "none";
    desk_->document().replace(layout, {});
    QVERIFY(said().isEmpty());
    // A program that the layout names is shown first, and started when that was answered.
    const auto answer = [&](const char* text) -> QToolButton* {
        for (auto* found : editor->findChildren<QToolButton*>())
            if (found->text() == text && found->isVisibleTo(form_.get())) return found;
        return nullptr;
    };
    QVERIFY(!answer("start it once") && !answer("start it, and remember"));
    for (int time = 0; time < 2; ++time) {
        ask()->click();
        QVERIFY(!editor->check().active() && said().endsWith("Start it?\nnone"));
        answer("start it once")->click();
        QTRY_VERIFY2(said().contains("the agent is missing"), qPrintable(said()));
        QVERIFY(!answer("start it once"));
    }
    ask()->click();
    answer("start it, and remember")->click();
    QTRY_VERIFY2(said().contains("the agent is missing"), qPrintable(said()));
    ask()->click();
    QVERIFY(!answer("start it once"));
    QTRY_VERIFY2(!editor->check().active() && said().contains("the agent is missing"), qPrintable(said()));
}

void LayoutFormTest::everyScheduleLeavesTheFieldsInSight() {
    const auto* area = form_->findChild<QScrollArea*>();
    QVERIFY(area);
    for (const ScheduleMethod& method : scheduleMethods()) {
        Layout layout = desk_->document().layout();
        layout.schedule.kind = std::string(method.name);
        desk_->document().replace(layout, {});
        QTest::qWait(1);
        QVERIFY2(area->widget()->minimumSizeHint().width() <= area->viewport()->width(), layout.schedule.kind.c_str());
    }
}

void LayoutFormTest::aRequestedFieldGetsTheKeyboard() {
    form_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(form_.get()));
    desk_->document().requestField(QStringLiteral("/run/steps"));
    QTRY_VERIFY(row("/run/steps").editor().control().hasFocus() && !row("/run/steps").visibleRegion().isEmpty());
}

void LayoutFormTest::aFieldIsFoundByAWord() {
    auto* wanted = form_->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(wanted);
    const auto shown = [this] {
        QStringList pointers;
        for (const FieldRow* row : form_->rows())
            if (row->isVisibleTo(form_.get())) pointers << text(row->field().pointer);
        return pointers;
    };
    const QStringList all = shown();
    QVERIFY(all.contains("/parallel/zero") && all.contains("/model/layers"));
    QTest::keyClicks(wanted, "zero");
    QVERIFY(shown().contains("/parallel/zero") && !shown().contains("/model/layers") &&
            shown().size() < all.size() / 2);
    wanted->setText("recompute");  // sections without such a field take no room
    QTRY_VERIFY(row("/memory/recompute").y() < 2 * row("/memory/recompute").height());
    // The names of its neighbours in the file find a whole section; of a field that the layout lacks nothing is shown.
    wanted->setText("RUN");
    for (const QString& pointer : all)
        if (pointer.startsWith("/run/")) QVERIFY2(shown().contains(pointer), qPrintable(pointer));
    wanted->setText("no field is called so");
    QVERIFY(shown().isEmpty());
    wanted->clear();
    QCOMPARE(shown(), all);
    // A field that somebody else asks for is shown whatever was looked for.
    wanted->setText("zero");
    desk_->document().requestField(QStringLiteral("/run/steps"));
    QVERIFY(shown().contains("/run/steps"));
}

void LayoutFormTest::aFoldedSectionStaysFoldedAndOpensForAFault() {
    QToolButton* title = nullptr;
    for (QToolButton* button : form_->findChildren<QToolButton*>())
        if (button->text() == "MODEL") title = button;
    QVERIFY(title && title->isChecked());
    title->click();
    QVERIFY(!row("/model/layers").isVisibleTo(form_.get()) && row("/run/steps").isVisibleTo(form_.get()));
    form_ = std::make_unique<LayoutForm>(desk_->workbench.context(Workspace::Design), nullptr);
    form_->show();
    QVERIFY(!row("/model/layers").isVisibleTo(form_.get()));
    const Layout before = desk_->document().layout();
    Layout faulty = before;
    faulty.model.layers = 0;
    desk_->document().change(faulty, QStringLiteral("/model/layers"));
    QVERIFY(row("/model/layers").isVisibleTo(form_.get()));
    desk_->document().change(before, QStringLiteral("/model/layers"));
    QVERIFY(!row("/model/layers").isVisibleTo(form_.get()));
    desk_->document().requestField(QStringLiteral("/model/layers"));
    QVERIFY(row("/model/layers").isVisibleTo(form_.get()));
}

QTEST_MAIN(LayoutFormTest)
#include "layout_form_test.moc"
