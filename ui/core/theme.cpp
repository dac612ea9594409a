// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/theme.h"

#include "ui/core/style_sheet.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QPalette>
#include <QStyle>
#include <QWidget>

#include <cmath>

namespace shardlab::ui {
namespace {

constexpr int bodyPixels = 13;

QFont firstInstalled(std::initializer_list<const char*> families, QFontDatabase::SystemFont fallback) {
    const QStringList installed = QFontDatabase::families();
    QFont font = QFontDatabase::systemFont(fallback);
    for (const char* family : families) {
        if (!installed.contains(QLatin1String(family))) continue;
        font = QFont(QLatin1String(family));
        break;
    }
    // Chinese that the family lacks; where none of these is installed the system chooses.
    font.setFamilies(font.families() + QStringList{"Noto Sans CJK SC", "WenQuanYi Micro Hei"});
    font.setPixelSize(bodyPixels);
    return font;
}

/// Looked for once: all families that are installed are gone through.
const QFont& bodyFont() {
    static const QFont font = firstInstalled({"Inter", "Noto Sans", "DejaVu Sans"}, QFontDatabase::GeneralFont);
    return font;
}
const QFont& monoFont() {
    static const QFont font =
        firstInstalled({"JetBrains Mono", "DejaVu Sans Mono", "Noto Sans Mono"}, QFontDatabase::FixedFont);
    return font;
}

/// Colours of what is not one of the five hues: the same role in both palettes.
struct Hues {
    QColor forward, backward, inputGrad, weightGrad, comm, optimizer, other;
};

const Hues& hues(bool dark) {
    static const Hues onDark{"#4C9BE8", "#F2B134", "#D55E00", "#A7E0E8", "#9B4F96", "#1B7F5F", "#5B6675"};
    static const Hues onLight{"#0072B2", "#E69F00", "#D55E00", "#56B4E9", "#882255", "#009E73", "#9AA3AE"};
    return dark ? onDark : onLight;
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.raised);
    palette.setColor(QPalette::AlternateBase, theme.panel);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.bad);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.dim);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.onAccent);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.dim);
    return palette;
}

}  // namespace

QColor Theme::action(EventKind kind) const {
    const Hues& hue = hues(dark);
    switch (kind) {
    case EventKind::Forward:
    case EventKind::Kernel:
    case EventKind::Recompute:
    case EventKind::Validation:
    case EventKind::Loss:
    case EventKind::GradientExponents:
    case EventKind::Fp8Flushed: return hue.forward;
    case EventKind::Backward:
    case EventKind::ValidationLoss:
    case EventKind::LossScale:
    case EventKind::Fp8Scale: return hue.backward;
    case EventKind::InputGrad:
    case EventKind::Staleness:
    case EventKind::ElasticDistance:
    case EventKind::OverwrittenUpdates:
    case EventKind::PaceOverrun: return hue.inputGrad;
    case EventKind::WeightGrad:
    case EventKind::PredictionLoss:
    case EventKind::Annotation: return hue.weightGrad;
    case EventKind::TensorAllReduce:
    case EventKind::TensorReduceScatter:
    case EventKind::TensorAllGather:
    case EventKind::Collective:
    case EventKind::RingHop:
    case EventKind::KeyValueHop:
    case EventKind::ExchangeHeads:
    case EventKind::GatherChoices:
    case EventKind::DispatchTokens:
    case EventKind::CombineTokens: return hue.comm;
    case EventKind::WeightVersions:
    case EventKind::LearningRate: return hue.optimizer;
    case EventKind::Wait: return idle;
    case EventKind::Fault:
    case EventKind::InjectedFault:
    case EventKind::Restart:
    case EventKind::Dropped:
    case EventKind::Overflow:
    case EventKind::Fp8Saturated: return bad;
    case EventKind::Mark:
    case EventKind::Command: return accent;
    default: break;
    }
    switch (workOf(actionOf(kind))) {
    case ActionWork::None: return hue.other;
    case ActionWork::Update:
    case ActionWork::WeightVersion: return hue.optimizer;
    default: return hue.comm;
    }
}

QColor Theme::memory(MemoryCategory category) const {
    const Hues& hue = hues(dark);
    switch (category) {
    case MemoryCategory::Parameters: return hue.forward;
    case MemoryCategory::Gradients: return hue.backward;
    case MemoryCategory::Optimizer: return hue.optimizer;
    case MemoryCategory::Activations: return hue.weightGrad;
    case MemoryCategory::Buffers: return hue.comm;
    case MemoryCategory::Temporary: return hue.other;
    }
    return hue.other;
}

Theme Theme::darkTheme() {
    Theme theme;
    theme.dark = true;
    theme.window = "#0F1115";
    theme.panel = "#15181E";
    theme.raised = "#1E232B";
    theme.border = "#2B313B";
    theme.grid = "#222730";
    theme.text = "#E6E9EE";
    theme.dim = "#98A1AE";
    theme.accent = "#4C9BE8";
    theme.onAccent = "#0B1118";
    theme.good = "#3CC48F";
    theme.warning = "#F2B134";
    theme.bad = "#F0742A";
    theme.idle = "#2B313B";
    theme.body = bodyFont();
    theme.mono = monoFont();
    return theme;
}

Theme Theme::lightTheme() {
    Theme theme = darkTheme();
    theme.dark = false;
    theme.window = "#ECEFF3";
    theme.panel = "#FFFFFF";
    theme.raised = "#F1F4F7";
    theme.border = "#CDD4DC";
    theme.grid = "#E4E8ED";
    theme.text = "#171C23";
    theme.dim = "#586371";
    theme.accent = "#0067A3";
    theme.onAccent = "#FFFFFF";
    theme.good = "#007A58";
    theme.warning = "#8A5A00";
    theme.bad = "#B54A00";
    theme.idle = "#D9D9D9";
    return theme;
}

double Theme::letters() const { return static_cast<double>(body.pixelSize()) / bodyPixels; }

int Theme::scaled(int pixels) const { return static_cast<int>(std::lround(pixels * letters())); }

QFont Theme::at(QFont font, int pixels) const {
    font.setPixelSize(scaled(pixels));
    return font;
}

ThemeSource::ThemeSource(QObject* parent) : QObject(parent), theme_(Theme::darkTheme()) {}

void ThemeSource::setDark(bool dark) {
    theme_ = dark ? Theme::darkTheme() : Theme::lightTheme();
    // Style, font and sheet each polish every widget there is: only what becomes another one is set.
    if (qApp->styleSheet().isEmpty()) {
        QApplication::setStyle(QStringLiteral("Fusion"));
        QApplication::setFont(theme_.body);
    }
    QApplication::setPalette(paletteOf(theme_));
    recolour(styleSheet(theme_));
    Q_EMIT changed();
}

/// The sheets of both themes differ in colours alone: no widget has to measure itself again because of another style,
/// and what lies out of sight in a window can get its colours when it comes into sight.
void ThemeSource::recolour(const QString& sheet) {
    for (QWidget* widget : QApplication::allWidgets())
        if (!widget->isVisible() && widget->window()->isVisible()) widget->setAttribute(Qt::WA_WState_Polished, false);
    qApp->installEventFilter(this);
    recolouring_ = !qApp->styleSheet().isEmpty();
    // Another sheet in the place of one polishes each widget as often as it has widgets around it; a first one once.
    qApp->setStyleSheet(QString());
    qApp->setStyleSheet(sheet);
    recolouring_ = false;
}

bool ThemeSource::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::StyleChange) return recolouring_;
    if (event->type() != QEvent::Show || !watched->isWidgetType()) return false;
    auto* widget = static_cast<QWidget*>(watched);
    if (widget->testAttribute(Qt::WA_WState_Polished)) return false;
    widget->style()->unpolish(widget);
    widget->setPalette(QPalette());  // without the colours of the sheet before
    widget->style()->polish(widget);
    widget->setAttribute(Qt::WA_WState_Polished);
    return false;
}

QColor mixed(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

QColor readableOn(const QColor& back) {
    const double luminance = 0.2126 * back.redF() + 0.7152 * back.greenF() + 0.0722 * back.blueF();
    return luminance > 0.42 ? QColor("#0B1118") : QColor("#FFFFFF");
}

}  // namespace shardlab::ui
