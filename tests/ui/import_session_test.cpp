// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs' traces in the desktop: imported in the background, then a run that every view of Replay shows.
#include "desktop_fixture.h"

#include "engine/trace/run_file/run_file.h"
#include "tests/support/places.h"
#include "tests/support/reference_python.h"
#include "tests/support/wings.h"
#include "ui/timeline/event_text.h"
#include "ui/timeline/gantt_scene.h"
#include "ui/views/figures/figures.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QToolTip>
#include <QtTest>

#include <algorithm>
#include <fstream>

using namespace shardlab::test;

namespace {

const std::filesystem::path traces = std::filesystem::path(SHARDLAB_SOURCE_DIR) / "tests/trace/traces";

/// A trace of so many spans that importing it lasts.
void writeLong(const std::filesystem::path& file, int spans) {
    std::ofstream out(file);
    out << "[";
    for (int i = 0; i < spans; ++i)
        out << (i == 0 ? "" : ",\n") << R"({"name": "work )" << i % 50 << R"(", "ph": "X", "ts": )" << i * 10
            << R"(, "dur": 9, "pid": 1, "tid": 1})";
    out << "]";
}

bool importAll(Desk& desk, std::vector<std::filesystem::path> files) {
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.importTraces(std::move(files));
    return finished.wait(20000);
}

}  // namespace

class ImportSessionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tracesBecomeTheOpenRun();
    void openingATraceImportsIt();
    void eventsAreCalledByTheirNames();
    void viewsSayWhatATraceLacks();
    void aBadTraceIsOneMessage();
    void cancellingLeavesNothing();
    void windowsShowIt();
    void namesAreNoMarkup();
    void aLayoutIsPutBesideATrace();
    void aLogOffersItsLayout();
    void dumpsOfAHangAreAnswered();
};

/// What looks like markup in a name is shown as it is written: in labels, and in tooltips, which are labels of Qt's
/// own.
void ImportSessionTest::namesAreNoMarkup() {
    Desk desk;
    const QString name = QStringLiteral("<b>bold</b><img src='file:///etc/hostname'>");
    const QString trace = QStringLiteral(R"([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "%1"}},
                                       {"name": "%1", "ph": "X", "ts": 1, "dur": 9, "pid": 1, "tid": 1}])");
    std::ofstream(desk.path("trace.json")) << trace.arg(name).toStdString();
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.show();
    QVERIFY(importAll(desk, {desk.path("trace.json")}));
    desk.workbench.messages().post({.level = MessageLevel::Error, .title = name, .detail = name, .topic = name});
    QLabel label(name, &window);
    label.show();
    QCOMPARE(label.textFormat(), Qt::PlainText);
    for (QLabel* each : window.findChildren<QLabel*>()) {
        each->ensurePolished();
        QVERIFY2(each->textFormat() != Qt::AutoText, qPrintable(each->text()));
        QVERIFY2(each->textFormat() == Qt::PlainText || !each->text().contains(QStringLiteral("<img")),
                 qPrintable(each->text()));
    }
    QToolTip::showText(window.mapToGlobal(QPoint(5, 5)), name, &window);
    const auto tip = [] {
        const QWidgetList all = QApplication::topLevelWidgets();
        const auto found = std::ranges::find_if(all, [](QWidget* each) { return each->inherits("QTipLabel"); });
        return found == all.end() ? nullptr : qobject_cast<QLabel*>(*found);
    };
    QTRY_VERIFY(tip());
    QCOMPARE(tip()->text(), name);
    QCOMPARE(tip()->textFormat(), Qt::PlainText);
}

void ImportSessionTest::tracesBecomeTheOpenRun() {
    Desk desk;
    QSignalSpy imported(&desk.workbench.imports(), &ImportSession::imported);
    QSignalSpy posted(&desk.workbench.messages(), &Messages::posted);
    QVERIFY(importAll(desk, {traces / "kineto-rank0.json", traces / "kineto-rank1.json"}));
    QCOMPARE(imported.size(), 1);
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    QVERIFY(!model.header().hasLayout());
    QCOMPARE(model.ranks(), 2);
    QCOMPARE(model.recorded().events, qint64{64});
    QCOMPARE(placeOf(model, 1), std::string("node-1"));
    QCOMPARE(model.steps().all().size(), std::size_t{2});
    QVERIFY(model.file().string().starts_with(desk.path("runs").string()));
    bool told = false;
    for (const auto& arguments : posted)
        told = told || arguments[0].value<Message>().detail.contains(QStringLiteral("10 entries were not understood"));
    QVERIFY(told);
}

void ImportSessionTest::openingATraceImportsIt() {
    Desk desk;
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.open(traces / "chrome-list.json");
    QVERIFY(desk.workbench.imports().active());
    QVERIFY(finished.wait(20000));
    QCOMPARE(desk.workbench.model(Workspace::Replay).header().origin, std::string("Chrome trace"));
    // A layout is JSON as well.
    QVERIFY(desk.workbench.saveLayout(desk.path("a.layout.json")));
    desk.workbench.open(desk.path("a.layout.json"));
    QVERIFY(!desk.workbench.imports().active());
}

void ImportSessionTest::eventsAreCalledByTheirNames() {
    Desk desk;
    QVERIFY(importAll(desk, {traces / "kineto-rank0.json"}));
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    const Event kernel = model.store().lane(0, Lane::Compute).all().front();
    QCOMPARE(actionText(model, kernel), QStringLiteral("ampere_sgemm_128x64_tn"));
    QCOMPARE(whatText(model, kernel), QStringLiteral("Kernel · ampere_sgemm_128x64_tn"));
    QVERIFY(hoverText(model, kernel).startsWith(QStringLiteral("Kernel · ampere_sgemm_128x64_tn · rank 0\n200 µs")));
}

void ImportSessionTest::viewsSayWhatATraceLacks() {
    Desk desk;
    QVERIFY(importAll(desk, {traces / "kineto-rank0.json"}));
    const ViewContext context = desk.workbench.context(Workspace::Replay);
    int shown = 0;
    for (const ViewKind& kind : viewKinds()) {
        if (!kind.appearsIn(Workspace::Replay)) continue;
        const std::unique_ptr<QWidget> parent = std::make_unique<QWidget>();
        View* view = kind.create(context, parent.get());
        const QString empty = view->emptyText();
        const QByteArray id = kind.id;
        if (id == "loss" || id == "loss_scale" || id == "scales" || id == "exchange" || id == "gradients" ||
            id == "experts" || id == "critical_path" || id == "memory_over_time") {
            QVERIFY2(empty.contains(QStringLiteral("comes from another program (PyTorch profiler)")), id);
        } else if (id == "timeline" || id == "memory_per_rank" || id == "mesh" || id == "figures" || id == "events" ||
                   id == "counters") {
            QVERIFY2(empty.isEmpty(), id);
            ++shown;
        }
        const QString table = view->asTable();
        if (id == "counters") QVERIFY2(table.contains(QStringLiteral("memory allocated, ")), qPrintable(table));
        if (id == "timeline") {
            for (const char* name :
                 {"ampere_sgemm_128x64_tn", "ncclDevKernel_AllReduce", "Memcpy HtoD", "aten::linear", "forward"})
                QVERIFY2(table.contains(QLatin1String(name)), name);
            QVERIFY(view->subtitle().contains(QStringLiteral("from PyTorch profiler")));
        }
        if (id == "figures")
            QVERIFY2(table.contains(QStringLiteral("Tokens/s\t—")) && table.contains(QStringLiteral("Idle")),
                     qPrintable(table));
    }
    QCOMPARE(shown, 6);
}

/// What was imported is compared with the layout in Design, where that has as many ranks.
void ImportSessionTest::aLayoutIsPutBesideATrace() {
    Desk desk;
    QSignalSpy posted(&desk.workbench.messages(), &Messages::posted);
    const auto choices = [&] {
        std::vector<MessageChoice> all;
        for (const auto& arguments : posted)
            if (const auto message = arguments[0].value<Message>(); message.topic == QStringLiteral("import"))
                all = message.choices;
        return all;
    };
    Layout layout = desk.workbench.document().layout();
    layout.name = "mine";
    layout.parallel.data = 3;
    layout.parallel.pipeline = 1;
    layout.cluster.hosts.front().devices = 3;
    layout.batch.global = 6 * layout.batch.micro;
    desk.workbench.newFromPreset(layout);
    QVERIFY(importAll(desk, {traces / "kineto-rank0.json", traces / "kineto-rank1.json"}));
    QVERIFY(choices().empty());
    layout.parallel.data = 2;
    layout.cluster.hosts.front().devices = 2;
    desk.workbench.newFromPreset(layout);
    QVERIFY(desk.workbench.document().faults().empty());
    QVERIFY(importAll(desk, {traces / "kineto-rank0.json", traces / "kineto-rank1.json"}));
    QCOMPARE(choices().size(), std::size_t{1});
    QCOMPARE(choices()[0].label, QStringLiteral("Compare with the layout “mine”"));
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    choices()[0].act();
    QVERIFY(finished.wait(20000));
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    QVERIFY(model.header().hasLayout());
    QCOMPARE(model.header().layout.name, std::string("mine"));
    QCOMPARE(model.header().origin, std::string("PyTorch profiler"));
    QVERIFY(model.header().predictedStepSeconds > 0);
    QVERIFY(choices().empty());
}

/// A training's log becomes a run, and what it lists of its program's arguments the layout that it is compared with.
void ImportSessionTest::aLogOffersItsLayout() {
    Desk desk;
    std::ofstream log(desk.path("train.log"));
    log << "------------------------ arguments ------------------------\n";
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, const char*>>{{"bf16", "True"},
                                                                    {"global_batch_size", "8"},
                                                                    {"hidden_size", "64"},
                                                                    {"micro_batch_size", "2"},
                                                                    {"num_attention_heads", "4"},
                                                                    {"num_layers", "4"},
                                                                    {"padded_vocab_size", "512"},
                                                                    {"pipeline_model_parallel_size", "2"},
                                                                    {"seq_length", "32"},
                                                                    {"train_iters", "100"},
                                                                    {"world_size", "4"}})
        log << "  " << name << " ........ " << value << '\n';
    log << "-------------------- end of arguments ---------------------\n";
    for (int step = 1; step <= 4; ++step)
        log << " iteration " << step << "/ 100 | elapsed time per iteration (ms): 250.0 | lm loss: " << 7 - step
            << " | global batch size: 8 |\n";
    log.close();
    QSignalSpy posted(&desk.workbench.messages(), &Messages::posted);
    const auto choice = [&](const char* begin) {
        for (const MessageChoice& each : posted.back()[0].value<Message>().choices)
            if (each.label.startsWith(QString::fromUtf8(begin))) return each;
        return MessageChoice{};
    };
    Layout other;
    other.parallel.data = other.cluster.hosts.front().devices = 3;
    other.batch.global = 3 * other.batch.micro;
    desk.workbench.newFromPreset(other);
    QSignalSpy finished(&desk.workbench.replay(), &ReplaySession::finished);
    desk.workbench.open(desk.path("train.log"));
    QVERIFY(finished.wait(20000));
    const RunModel& model = desk.workbench.model(Workspace::Replay);
    QCOMPARE(model.ranks(), 1);
    QCOMPARE(model.steps().all().size(), std::size_t{4});
    QVERIFY2(!choice("Compare with").act, "the layout of Design has other ranks");
    QCOMPARE(cardFigures(model, -1).front().value, QStringLiteral("1.02 k"));  // 8 × 32 tokens in 250 ms

    choice("Open the layout of its arguments").act();
    QCOMPARE(rankCount(desk.workbench.document().layout()), 4);
    QCOMPARE(desk.workbench.document().layout().model.hidden, 64);
    QVERIFY(importAll(desk, {desk.path("train.log")}));
    choice("Compare with the layout “train”").act();
    QVERIFY(finished.wait(20000));
    QCOMPARE(model.ranks(), 4);
    QVERIFY(model.header().hasLayout() && model.header().predictedStepSeconds > 0);
    QVERIFY(model.steps().all().front().complete);
}

/// The flight recorder's dumps of two ranks become a message that says who keeps the other waiting.
void ImportSessionTest::dumpsOfAHangAreAnswered() {
    Desk desk;
    QSignalSpy posted(&desk.workbench.messages(), &Messages::posted);
    const std::string dumps =
        R"([{"file": "trace_rank_0", "protocol": 2, "groups": {"0": ["default_pg", [0, 1]]},
             "calls": [["0", "all_reduce", 7, "started", ["train.py", 41, "step"]]]},
            {"file": "trace_rank_1", "protocol": 2, "groups": {"0": ["default_pg", [0, 1]]},
             "calls": [["0", "all_reduce", 6, "completed", ["save.py", 8, "save"]]]}])";
    pythonPrints({QStringLiteral(SHARDLAB_SOURCE_DIR "/tests/trace/flight_dumps.py"),
                  QString::fromStdString(desk.path("").string())},
                 dumps);
    desk.workbench.importTraces({desk.path("trace_rank_0"), desk.path("trace_rank_1")});
    QCOMPARE(posted.size(), 1);
    const auto message = posted.front()[0].value<Message>();
    QCOMPARE(message.level, MessageLevel::Warning);
    QCOMPARE(message.title, QStringLiteral("The others wait for rank 1, which waits for nobody."));
    QVERIFY2(message.detail.contains(QStringLiteral("not asked for, the last was all_reduce 6")),
             qPrintable(message.detail));
    QVERIFY(!desk.workbench.imports().active());
    message.choices.at(0).act();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(message.title));
    // A dump alone, opened as any file is.
    desk.workbench.open(desk.path("trace_rank_0"));
    QCOMPARE(posted.size(), 2);
    QVERIFY(posted.back()[0].value<Message>().title.contains(QStringLiteral("no dump")));
}

void ImportSessionTest::aBadTraceIsOneMessage() {
    Desk desk;
    QFile bad(QString::fromStdString(desk.path("bad.json").string()));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write(R"({"traceEvents": [{"ph": "X", "ts": 1, }]})");
    bad.close();
    QSignalSpy failed(&desk.workbench.imports(), &ImportSession::failed);
    QSignalSpy posted(&desk.workbench.messages(), &Messages::posted);
    desk.workbench.importTraces({desk.path("bad.json")});
    QVERIFY(failed.wait(20000));
    QCOMPARE(posted.size(), 1);
    const auto message = posted.front()[0].value<Message>();
    QCOMPARE(message.level, MessageLevel::Error);
    QVERIFY2(message.detail.contains(QStringLiteral("byte 39")), qPrintable(message.detail));
    QVERIFY(desk.workbench.model(Workspace::Replay).empty());
}

void ImportSessionTest::cancellingLeavesNothing() {
    Desk desk;
    writeLong(desk.path("long.json"), 600'000);
    ImportSession& imports = desk.workbench.imports();
    QSignalSpy cancelled(&imports, &ImportSession::cancelled);
    QSignalSpy progressed(&imports, &ImportSession::progressChanged);
    desk.workbench.importTraces({desk.path("long.json")});
    while (imports.active() && progressed.size() < 3) QVERIFY(progressed.wait(20000));
    QVERIFY(imports.progress() > 0 && imports.progress() < 1);
    imports.cancel();
    QVERIFY(cancelled.wait(20000));
    QVERIFY(std::filesystem::is_empty(desk.path("runs")));
}

void ImportSessionTest::windowsShowIt() {
    const QString folder = QCoreApplication::applicationDirPath() + QStringLiteral("/pictures");
    QVERIFY(QDir().mkpath(folder));
    for (const bool dark : {true, false}) {
        Desk desk;
        desk.workbench.theme().setDark(dark);
        MainWindow window(desk.workbench, MainWindow::Memory::Forget);
        window.resize(1280, 720);
        window.show();
        QVERIFY(window.commands()["file.import"].isEnabled());
        QVERIFY(importAll(desk, {traces / "kineto-rank0.json", traces / "kineto-rank1.json"}));
        const RunModel& model = desk.workbench.model(Workspace::Replay);
        QTest::qWait(300);
        desk.workbench.selection(Workspace::Replay).select(model.store().lane(1, Lane::Comm).all().front());
        QTest::qWait(300);
        QVERIFY(window.grab().save(folder + QStringLiteral("/imported-%1.png").arg(dark ? "dark" : "light")));
    }
    Desk desk;
    writeLong(desk.path("long.json"), 600'000);
    desk.workbench.theme().setDark(true);
    MainWindow window(desk.workbench, MainWindow::Memory::Forget);
    window.resize(1280, 720);
    window.show();
    ImportSession& imports = desk.workbench.imports();
    desk.workbench.importTraces({desk.path("long.json")});
    const QAction& import = window.commands()["file.import"];
    QAction& cancel = window.commands()["replay.cancel"];
    QVERIFY(!import.isEnabled() && cancel.isEnabled());
    QTRY_VERIFY(imports.progress() > 0.2);
    QVERIFY(window.grab().save(folder + QStringLiteral("/importing.png")));
    QSignalSpy cancelled(&imports, &ImportSession::cancelled);
    cancel.trigger();
    QVERIFY(cancelled.wait(20000));
    QVERIFY(import.isEnabled());
}

QTEST_MAIN(ImportSessionTest)
#include "import_session_test.moc"
