// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs in a lesson: sliders that a picture, a formula and a sentence follow, without a run.
#include "engine/launch/lesson/what_if_picture.h"
#include "tests/ui/classroom.h"
#include "ui/core/document.h"
#include "ui/core/lesson_session.h"
#include "ui/core/text.h"
#include "ui/views/lesson/lesson_drawing.h"
#include "ui/views/lesson/presenter.h"
#include "ui/views/lesson/what_if_part.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTest>

#include <algorithm>
#include <utility>

using namespace shardlab::test;

namespace {

struct WhatIfRoom : Classroom {
    WhatIfRoom() : Classroom(startFake(std::make_shared<FakeJobs>())) {}
    WhatIfSession& session() { return lessons().whatIfs(); }
    /// Answers all questions, and opens what they kept back.
    void open() {
        passAll();
        button("whatIfShow.bubble").click();
    }
    bool settled() { return session().isCurrent(0); }
    QSlider& slider(int index) { return *view().findChild<QSlider*>(QStringLiteral("whatIf.bubble.%1").arg(index)); }
    QString words() {
        return view()
            .findChild<QWidget*>(QStringLiteral("whatIfWords.bubble"))
            ->findChild<QTextBrowser*>()
            ->toPlainText();
    }
    LessonDrawing& drawing() { return *slider(0).parentWidget()->parentWidget()->findChild<LessonDrawing*>(); }
};

}  // namespace

class WhatIfPartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsAndPictureFollowTheSlider() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        // The what-if would give away what is asked above it.
        QLabel& refusal = *room.view().findChild<QLabel*>("refusal.bubble");
        QVERIFY(!room.slider(0).isVisible() && refusal.text().contains("gpipe"));
        QVERIFY(!room.button("whatIfShow.bubble").isEnabled());
        room.open();
        QTRY_VERIFY(room.settled() && room.slider(0).isVisible() && room.drawing().isVisible());
        QVERIFY(!refusal.isVisible());
        QVERIFY2(room.words().contains("With m = 4,"), qPrintable(room.words()));
        const QString first = room.drawing().accessibleName();
        QVERIFY2(first.contains("bubble"), qPrintable(first));
        room.slider(0).setFocus();
        QTest::keyClick(&room.slider(0), Qt::Key_End);
        QTRY_VERIFY(room.settled() && room.words().contains("With m = 32,"));
        QVERIFY(room.drawing().accessibleName() != first);
        QVERIFY(room.slider(0).accessibleName().contains("64 samples"));
        QVERIFY2(room.view().asTable().contains("Global batch 64 samples"), qPrintable(room.view().asTable()));
        // Whatever a drag passes, the last position is the one that is answered.
        for (int value = 0; value < 20; ++value) room.slider(0).setValue(value);
        QTRY_VERIFY(room.settled());
        QVERIFY(room.words().contains("With m = 20,"));
        const QImage dark = room.drawing().grab().toImage();
        room.workbench.theme().setDark(false);
        QTRY_VERIFY(room.drawing().grab().toImage() != dark);
    }

    void anIllegalPositionNamesTheNearestLegal() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.open();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        const int height = room.drawing().height();
        room.slider(1).setValue(2);  // three stages of eight layers
        QLabel& refusal = *room.view().findChild<QLabel*>("refusal.bubble");
        QTRY_VERIFY(room.settled() && refusal.isVisible());
        QVERIFY2(refusal.text().contains("Nearest legal: ") && refusal.text().contains("Pipeline"),
                 qPrintable(refusal.text()));
        QVERIFY(!room.drawing().isVisible());
        QTRY_VERIFY(refusal.height() >= height);
        room.button("nearest.bubble").click();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        QVERIFY(!refusal.isVisible());
        QCOMPARE(room.session().answer(0)->faults.size(), std::size_t{0});
        QVERIFY(room.slider(1).value() == 1 || room.slider(1).value() == 3);
    }

    void thePictureIsATableToo() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.open();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        room.button("whatIfTable.bubble").click();
        auto* rows = room.view().findChild<QWidget*>("whatIfRows.bubble");
        QVERIFY(rows->isVisible() && !room.drawing().isVisible());
        QVERIFY(rows->findChild<QTextBrowser*>()->toPlainText().contains("computing"));
        room.button("whatIfTable.bubble").click();
        QVERIFY(!rows->isVisible() && room.drawing().isVisible());
    }

    void thePositionIsOpenedInDesign() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.open();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        room.slider(1).setValue(7);
        QTRY_VERIFY(room.settled());
        room.button("whatIfDesign.bubble").click();
        QCOMPARE(room.workbench.document().layout().parallel.pipeline, 8);
        QVERIFY(room.workbench.document().faults().empty());
        QCOMPARE(room.window.workspace(), Workspace::Design);
    }

    void thePresenterMovesTheSliders() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.passAll();
        room.window.commands()["lesson.present"].trigger();
        auto* presenter = room.view().findChild<Presenter*>();
        QVERIFY(presenter && QTest::qWaitForWindowActive(presenter));
        const auto part = [&] { return presenter->findChild<WhatIfPart*>(); };
        for (int screen = 0; screen < presenter->screens() && !part(); ++screen) presenter->go(screen);
        QVERIFY(part() != nullptr);
        QTRY_VERIFY(room.settled() && part()->findChild<LessonDrawing*>()->isVisible());
        const WhatIfPosition start = room.session().position(0);
        for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Up, Qt::Key_Down}) QTest::keyClick(presenter, key);
        QCOMPARE(room.session().position(0), (WhatIfPosition{start[0] + 1, start[1]}));
        QTest::keyClick(presenter, Qt::Key_Return);
        QTest::keyClick(presenter, Qt::Key_Down);
        QTest::keyClick(presenter, Qt::Key_Down);
        QTRY_VERIFY(room.settled());
        QCOMPARE(room.session().position(0), (WhatIfPosition{start[0] + 1, start[1] - 2}));
        // The window behind shows the same.
        QCOMPARE(room.slider(1).value(), static_cast<int>(start[1]) - 2);
        QTest::keyClick(presenter, Qt::Key_Escape);
    }

    /// A lesson that is presented no more may be followed by one whose what-if has other sliders, or by one with none.
    void whatWasPresentedFollowsNoOtherLesson() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        const auto lessonWith = [&](std::size_t sliders) {
            const auto& all = room.lessons().lessons();
            const auto found = std::ranges::find_if(all, [&](const Lesson& lesson) {
                return sliders == 0 ? lesson.whatIfs.empty()
                                    : !lesson.whatIfs.empty() && lesson.whatIfs[0].sliders.size() == sliders;
            });
            return static_cast<int>(found - all.begin());
        };
        for (const std::size_t other : {std::size_t{1}, std::size_t{0}}) {
            room.lessons().choose(lessonWith(2));
            room.passAll();
            room.window.commands()["lesson.present"].trigger();
            auto* presenter = room.view().findChild<Presenter*>();
            QVERIFY(presenter && QTest::qWaitForWindowActive(presenter));
            const auto part = [&] { return presenter->findChild<WhatIfPart*>(); };
            for (int screen = 0; screen < presenter->screens() && !part(); ++screen) presenter->go(screen);
            QVERIFY(part() != nullptr);
            presenter->close();
            room.lessons().choose(lessonWith(other));
            room.workbench.theme().setDark(!room.workbench.theme().theme().dark);
            if (other > 0) QTRY_VERIFY(room.settled());
            QTRY_VERIFY(part() == nullptr);
        }
    }

    /// What goes on in the lesson around it makes no new picture.
    void aPictureIsDrawnOnce() {
        struct Counter : QObject {
            int pictures = 0;
            bool eventFilter(QObject*, QEvent* event) override {
                pictures += event->type() == QEvent::ToolTipChange ? 1 : 0;  // each is told in words, too
                return false;
            }
        };
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.open();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        QWidget& drawing = room.drawing();
        Counter counter;
        drawing.installEventFilter(&counter);
        for (int turn = 0; turn < 3; ++turn) {
            Q_EMIT room.lessons().changed();
            QTest::qWait(50);
        }
        QCOMPARE(counter.pictures, 0);
        room.slider(0).setValue(room.slider(0).value() + 1);
        QTRY_VERIFY(room.settled() && counter.pictures > 0);
        const int before = counter.pictures;
        room.workbench.theme().setDark(!room.workbench.theme().theme().dark);
        QTRY_VERIFY(counter.pictures > before);
    }

    /// A slider is as long whatever it stands at, and begins and ends where the other one does.
    void slidersStandBelowEachOther() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        room.open();
        QTRY_VERIFY(room.settled() && room.drawing().isVisible());
        const auto across = [&] { return std::pair(room.slider(0).x(), room.slider(0).width()); };
        const std::pair<int, int> first = across();
        for (const int place : {0, room.slider(0).maximum()}) {
            room.slider(0).setValue(place);
            QTRY_VERIFY(room.settled());
            QTest::qWait(20);
            QVERIFY(across() == first);
            QCOMPARE(room.slider(1).x(), first.first);
            QCOMPARE(room.slider(1).width(), first.second);
        }
    }

    /// Before an audience the whole of it is in sight: the picture gives way.
    void aPresentedOneFitsTheScreen() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        int formulas = 0;
        for (int lesson = 0; lesson < static_cast<int>(room.lessons().lessons().size()); ++lesson) {
            room.lessons().choose(lesson);
            if (room.lessons().lesson()->whatIfs.empty() || !room.lessons().lesson()->whatIfs[0].formula) continue;
            ++formulas;
            room.passAll();
            room.window.commands()["lesson.present"].trigger();
            auto* presenter = room.view().findChild<Presenter*>();
            QVERIFY(presenter && QTest::qWaitForWindowActive(presenter));
            const auto part = [&] { return presenter->findChild<WhatIfPart*>(); };
            const QScrollBar& bar = *presenter->findChild<QScrollArea*>()->verticalScrollBar();
            for (int screen = 0; screen < presenter->screens() && !part(); ++screen) presenter->go(screen);
            QVERIFY(part() != nullptr);
            auto* show =
                part()->findChild<QPushButton*>("whatIfShow." + text(room.lessons().lesson()->whatIfs[0].name));
            if (show->isVisible()) show->click();
            for (const QSize size : {QSize(1600, 1000), QSize(1280, 720)}) {
                presenter->resize(size);
                for (QSlider* slider : part()->findChildren<QSlider*>()) slider->setValue(slider->maximum());
                QTRY_VERIFY(room.settled() && part()->findChild<LessonDrawing*>()->isVisible());
                QTRY_COMPARE(bar.maximum(), 0);
            }
            presenter->close();
            QTRY_VERIFY(part() == nullptr);
        }
        QVERIFY(formulas >= 4);
    }

    /// Answers of a lesson that was left are dropped.
    void anotherLessonHasItsOwn() {
        WhatIfRoom room;
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        for (int turn = 0; turn < 2; ++turn) {
            const auto count = static_cast<int>(room.lessons().lessons().size());
            for (int lesson = count - 1; lesson >= 0; --lesson) room.lessons().choose(lesson);
        }
        QTRY_VERIFY(room.settled());
        QCOMPARE(room.session().answer(0)->position, room.lessons().lesson()->whatIfs[0].start());
    }
};

QTEST_MAIN(WhatIfPartTest)
#include "what_if_part_test.moc"
