// SPDX-License-Identifier: GPL-3.0-or-later
// What of the form is in sight: the fields that change something, in full, and one that somebody is led to; the others
// are counted, and come by a click, a search or a link.
#include "desktop_fixture.h"

#include "ui/views/layout_form/field_row.h"
#include "ui/views/layout_form/layout_form.h"
#include "ui/views/layout_form/section_notes.h"

#include "engine/layout/fields.h"
#include "tests/support/wings.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

using namespace shardlab::test;

class IdleFieldsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fieldsWithoutEffectWaitBehindAButton() {
        Desk desk;
        LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
        form.resize(320, 700);
        form.show();
        const auto shown = [&](const char* pointer) {
            return form.row(QString::fromLatin1(pointer))->isVisibleTo(&form);
        };
        const auto button = [&](const QString& text) -> QToolButton* {
            for (auto* found : form.findChildren<QToolButton*>())
                if (found->isVisibleTo(&form) && found->accessibleName() == QStringLiteral("OPTIMIZER: ") + text)
                    return found;
            return nullptr;
        };
        const auto without = [&] {
            int count = 0;
            for (const auto* row : form.rows())
                if (row->field().pointer.starts_with("/optimizer/") && !row->hasEffect()) ++count;
            return count;
        };
        QVERIFY(!shown("/optimizer/momentum") && shown("/optimizer/betas"));
        const int idle = without();
        QVERIFY(idle > 1);
        QToolButton* more = button(QStringLiteral("%1 more fields, without effect here").arg(idle));
        QVERIFY(more);
        more->click();
        QVERIFY(shown("/optimizer/momentum") && shown("/optimizer/betas"));
        QCOMPARE(more->text(), QStringLiteral("hide %1 fields without effect").arg(idle));
        more->click();
        QVERIFY(!shown("/optimizer/momentum"));
        // What changes something by another choice comes into sight by itself, and what changes nothing any more goes.
        Layout layout = desk.document().layout();
        layout.optimizer.kind = OptimizerKind::Sgd;
        desk.document().change(layout, QStringLiteral("test"));
        QVERIFY(shown("/optimizer/momentum") && !shown("/optimizer/betas"));
        // Who looks for a field finds it all the same, and who is led to one sees it.
        auto* wanted = form.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        wanted->setText(QStringLiteral("betas"));
        QVERIFY(shown("/optimizer/betas"));
        wanted->clear();
        QVERIFY(!shown("/optimizer/betas"));
        desk.document().requestField(QStringLiteral("/optimizer/betas"));
        QVERIFY(shown("/optimizer/betas"));
    }

    /// The form once was blank; and of a cluster's two links the word found one, and InfiniBand none.
    void whoFindsNothingIsToldSo() {
        Desk desk;
        Layout paced = desk.document().layout();
        paced.cluster.pace = PaceSpec{"h100-sxm", 1};
        desk.document().change(paced, QStringLiteral("paced"));
        LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
        form.show();
        auto* wanted = form.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        const auto toldOfNone = [&] {
            return std::ranges::any_of(form.findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->text() == QStringLiteral("No field has all of these words.") && label->isVisible();
            });
        };
        const auto shown = [&](const char* pointer) { return form.row(QString::fromLatin1(pointer))->isVisible(); };
        QVERIFY(!toldOfNone());
        wanted->setText(QStringLiteral("no field is called so"));
        QVERIFY(toldOfNone());
        wanted->setText(QStringLiteral("link"));
        QVERIFY(!toldOfNone() && shown("/cluster/pace/node_link") && shown("/cluster/pace/network"));
        wanted->setText(QStringLiteral("InfiniBand"));
        QVERIFY(!toldOfNone() && !shown("/cluster/pace/node_link") && shown("/cluster/pace/network"));
    }

    /// After a search, which had left few rows, the form stayed at its top and the field out of sight.
    void whoIsLedToAFieldSeesItAfterASearch() {
        Desk desk;
        LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
        form.resize(320, 700);
        form.show();
        auto* wanted = form.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        wanted->setText(QStringLiteral("steps"));
        QTest::qWait(20);
        desk.document().requestField(QStringLiteral("/run/steps"));
        QVERIFY(wanted->text().isEmpty());
        const auto& row = *form.row(QStringLiteral("/run/steps"));
        const auto inSight = [&] { return row.visibleRegion().boundingRect().size() == row.size(); };
        QTRY_VERIFY(inSight());
        QTest::qWait(20);
        QVERIFY(inSight());
    }

    void aNarrowWindowCutsNoFieldOff() {
        Desk desk;
        LayoutForm form(desk.workbench.context(Workspace::Design), nullptr);
        form.show();
        form.resize(1, 700);
        QTest::qWait(20);
        QVERIFY(form.width() < 400);
        const auto* area = form.findChild<QScrollArea*>();
        for (const auto* row : form.rows())
            if (row->isVisible())
                QVERIFY(row->mapTo(area->viewport(), row->rect().topRight()).x() < area->viewport()->width());
    }

    /// Three ranks on four devices had a green tick beside the fault that a device would be idle.
    void theTickOfTheRanksIsThatOfTheCheck() {
        Desk desk;
        Layout layout = desk.document().layout();
        layout.cluster.hosts[0].devices = 4;
        layout.parallel.pipeline = 1;
        for (int ranks = 1; ranks <= 6; ++ranks) {
            layout.parallel.data = ranks;
            desk.document().replace(layout, {});
            const SectionNote note = sectionNote(QStringLiteral("parallel"), desk.document());
            const bool idle = std::ranges::any_of(desk.document().faults(), [](const Fault& fault) {
                return toText(fault).find("devices") != std::string::npos;
            });
            QCOMPARE(QString::fromLatin1(note.role), QString::fromLatin1(idle ? "bad" : "good"));
            QCOMPARE(note.text.endsWith(QStringLiteral("✓")), !idle);
            QCOMPARE(idle, ranks != 4);
        }
    }
};

QTEST_MAIN(IdleFieldsTest)
#include "idle_fields_test.moc"
