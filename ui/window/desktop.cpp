// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/desktop.h"

#include "ui/core/handout_file.h"
#include "ui/core/workbench.h"
#include "ui/window/end_signals.h"
#include "ui/window/file_actions.h"
#include "ui/window/language.h"
#include "ui/window/main_window.h"
#include "ui/window/picture.h"

#include "engine/base/file.h"
#include "engine/base/visible_text.h"
#include "engine/layout/presets.h"

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <cstdio>
#include <cstdlib>

namespace shardlab::ui {
namespace {

/// Qt ends the program where it finds no display: better said before it is asked.
bool haveDisplay() {
    return qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || !qEnvironmentVariableIsEmpty("DISPLAY") ||
           !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

void nameProgram() {
    QCoreApplication::setOrganizationName(QStringLiteral("Shardlab"));
    QCoreApplication::setApplicationName(QStringLiteral("shardlab-desktop"));
    QCoreApplication::setApplicationVersion(QStringLiteral(SHARDLAB_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("shardlab"));
}

int complain(const std::string& text) {
    std::fprintf(stderr, "shardlab-desktop: %s\n", visible(text).c_str());
    return 1;
}

/// Where a display is named but does not answer, Qt says so at length and aborts.
void endWhereNoDisplayAnswers(QtMsgType type, const QMessageLogContext&, const QString&) {
    if (type != QtFatalMsg) return;
    const QByteArray display = qgetenv("DISPLAY") + qgetenv("WAYLAND_DISPLAY");
    std::_Exit(complain("the display \"" + display.toStdString() +
                        "\" does not answer. Use the command line (shardlab run), "
                        "or draw a picture of a run (--render RUN --out FILE.png)"));
}

std::filesystem::path runFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation).toStdString() + "/runs";
}

Status printPage(const std::filesystem::path& page, const std::filesystem::path& paper) {
    const Result<std::string> html = readFile(page);
    if (!html) return fail(html.error());
    return saveHandout(QString::fromStdString(*html), paper);
}

void runAtOnce(Workbench& workbench, const std::string& which) {
    std::error_code code;
    if (std::filesystem::exists(which, code)) {
        if (!workbench.openLayout(which)) return;
    } else {
        const auto preset = findPreset(which);
        if (!preset) return workbench.messages().post(MainWindow::tr("Nothing was run"), preset.error(), "file");
        workbench.newFromPreset(preset->layout);
    }
    workbench.startRun();
}

}  // namespace

QSize parseSize(const std::string& text) {
    const QStringList parts = QString::fromStdString(text).split(QLatin1Char('x'));
    if (parts.size() != 2) return {};
    bool width = false, height = false;
    const QSize size(parts[0].toInt(&width), parts[1].toInt(&height));
    const bool sane = width && height && size.width() >= 320 && size.height() >= 240 && size.width() <= 16384 &&
                      size.height() <= 16384;
    return sane ? size : QSize();
}

int runDesktop(const DesktopOptions& options, int argc, char** argv) {
    nameProgram();
    const bool rendering = !options.render.empty(), printing = !options.print.empty();
    if (rendering || printing) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!haveDisplay())
        return complain("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). Use the command line "
                        "(shardlab run), draw a picture of a run (--render RUN --out FILE.png), or set "
                        "QT_QPA_PLATFORM=offscreen");
    const QtMessageHandler before = qInstallMessageHandler(endWhereNoDisplayAnswers);
    QApplication application(argc, argv);
    qInstallMessageHandler(before);
    speak(QString::fromStdString(options.language));
    if (rendering || printing) {
        const Status drawn = rendering ? renderRun(options.render, options.picture, options.size, options.light)
                                       : printPage(options.print, options.picture);
        return drawn ? 0 : complain(drawn.error().text());
    }
    Workbench workbench(Job::start, runFolder());
    workbench.document().setMeasurements(measurementsOfThisMachine());
    workbench.theme().setDark(!(options.light || QSettings().value(QStringLiteral("window/light")).toBool()));
    MainWindow window(workbench);
    if (options.file.empty() && options.run.empty()) window.showWorkspace(Workspace::Home);
    window.show();
    EndSignals signals;
    QObject::connect(&signals, &EndSignals::asked, &window, &MainWindow::endAndClose);
    QTimer::singleShot(0, &window, [&] {
        if (!options.run.empty()) runAtOnce(workbench, options.run);
        else if (!options.file.empty()) window.files().openNamed(QString::fromStdString(options.file));
        else if (const auto first = findPreset("default")) workbench.document().replace(first->layout, {});
    });
    return QApplication::exec();
}

}  // namespace shardlab::ui
