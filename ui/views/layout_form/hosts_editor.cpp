// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/hosts_editor.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/style_sheet.h"
#include "ui/core/words.h"
#include "ui/views/layout_form/calm_controls.h"
#include "ui/views/layout_form/hosts_check.h"

#include "engine/launch/hosts/allowed_agents.h"
#include "engine/launch/hosts/this_machine.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostHostLines = 64;

QString hostWords(const std::vector<HostSpec>& hosts) {
    QStringList parts;
    for (const HostSpec& host : hosts)
        parts << QStringLiteral("%1 × %2").arg(QString::fromStdString(host.name)).arg(host.devices);
    return parts.join(QStringLiteral(", "));
}

}  // namespace

HostsEditor::HostsEditor(const Field& field, HostListField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), column_(child<QVBoxLayout>(this)),
      add_(child<QToolButton>(this)), ask_(child<QToolButton>(this)), failure_(child<QLabel>(this)),
      once_(child<QToolButton>(this)), remember_(child<QToolButton>(this)), check_(child<HostsCheck>(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(4);
    add_->setText(tr("+ host"));
    add_->setProperty("role", "flat");
    add_->setFocusPolicy(Qt::StrongFocus);
    name(*add_);
    add_->setAccessibleName(tr("Add a host"));
    ask_->setProperty("role", "flat");
    ask_->setFocusPolicy(Qt::StrongFocus);
    ask_->setToolTip(tr(
        "Check every host as a run would: its program, its connection back to this machine, its clock and its GPUs"));
    failure_->setWordWrap(true);
    failure_->setTextFormat(Qt::PlainText);
    failure_->setVisible(false);
    setRole(*failure_, "bad");
    auto* answers = child<QHBoxLayout>();
    once_->setText(tr("start it once"));
    remember_->setText(tr("start it, and remember"));
    for (QToolButton* answer : {once_, remember_}) {
        answer->setProperty("role", "flat");
        answer->setFocusPolicy(Qt::StrongFocus);
        answer->setVisible(false);
        answers->addWidget(answer);
    }
    answers->addStretch(1);
    connect(once_, &QToolButton::clicked, this, [this] { startCheck(checked_.agent); });
    connect(remember_, &QToolButton::clicked, this, &HostsEditor::rememberAgent);
    auto* below = child<QHBoxLayout>();
    below->addStretch(1);
    below->addWidget(ask_);
    below->addWidget(add_);
    column_->addWidget(failure_);
    column_->addLayout(answers);
    column_->addLayout(below);
    addLine();
    setFocusProxy(lines_.front().host);
    connect(ask_, &QToolButton::clicked, this, [this] {
        if (check_->active()) check_->cancel();
        else startCheck({});
    });
    connect(check_, &HostsCheck::stateChanged, this, &HostsEditor::showCheck);
    connect(check_, &HostsCheck::found, this, [this](const std::vector<MachineFinding>& findings) {
        findings_ = findings;
        showFindings();
    });
    connect(check_, &HostsCheck::failed, this, [this](const Error& error) {
        problem_ = told(error);
        showFindings();
    });
    connect(add_, &QToolButton::clicked, this, [this] {
        change([](std::vector<HostSpec>& hosts) {
            HostSpec next = hosts.empty() ? HostSpec{} : hosts.back();
            next.name = "host" + std::to_string(hosts.size());
            hosts.push_back(next);
        });
    });
}

/// `agent`: what the user has allowed for this once. An agent that is not allowed is shown instead, and asked for.
void HostsEditor::startCheck(const std::string& agent) {
    checked_ = document().layout().cluster;
    findings_.clear();
    problem_.clear();
    asking_ = false;
    const auto allowed = agent.empty() ? agentIsAllowed(checked_.agent) : Result<bool>(agent == checked_.agent);
    if (!allowed) {
        problem_ = told(allowed.error());
    } else if (!*allowed) {
        asking_ = true;
        problem_ = tr("To reach the hosts, the layout asks for this program to be started. Start it?\n%1")
                       .arg(QString::fromStdString(checked_.agent));
    } else {
        check_->start(checked_, agent);
    }
    showFindings();
}

void HostsEditor::rememberAgent() {
    if (const Status remembered = allowAgent(checked_.agent); remembered) return startCheck({});
    else problem_ = told(remembered.error());
    asking_ = false;
    showFindings();
}

void HostsEditor::showCheck() {
    ask_->setText(check_->active() ? tr("checking … stop") : tr("check"));
    // This machine alone is what doctor is for.
    ask_->setVisible(check_->active() || !allOwnNames(document().layout().cluster.hosts));
}

/// What was found of other hosts, or with another agent or network, says nothing of these.
void HostsEditor::showFindings() {
    const ClusterSpec& cluster = document().layout().cluster;
    const bool current = cluster.agent == checked_.agent && cluster.network == checked_.network;
    failure_->setText(problem_);
    failure_->setVisible(current && !problem_.isEmpty());
    for (QToolButton* answer : {once_, remember_}) answer->setVisible(current && asking_);
    for (std::size_t index = 0; index < lines_.size(); ++index) {
        QLabel& label = *lines_[index].finding;
        const auto found = std::ranges::find_if(findings_, [&](const MachineFinding& finding) {
            return index < cluster.hosts.size() && finding.subject == "host " + cluster.hosts[index].name;
        });
        const bool shown = current && found != findings_.end();
        label.setVisible(shown);
        if (!shown) continue;
        const bool good = found->state == FindingState::Good;
        label.setText((good ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + QString::fromStdString(found->detail));
        label.setToolTip(QString::fromStdString(found->advice));
        setRole(label, good ? "small" : "bad");
    }
}

void HostsEditor::change(const std::function<void(std::vector<HostSpec>&)>& apply) {
    Layout changed = document().layout();
    apply(access_(changed));
    const std::vector<HostSpec> hosts = access_(changed);
    edit([&](Layout& layout) { access_(layout) = hosts; }, hostWords(hosts));
}

void HostsEditor::addLine() {
    const std::size_t index = lines_.size();
    Line line{child<QWidget>(this), nullptr, nullptr, nullptr, nullptr};
    auto* whole = child<QVBoxLayout>(line.row);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(2);
    auto* row = child<QHBoxLayout>();
    row->setSpacing(4);
    whole->addLayout(row);
    whole->addWidget(line.finding = child<QLabel>(line.row));
    line.finding->setWordWrap(true);
    line.finding->setTextFormat(Qt::PlainText);
    line.finding->setVisible(false);
    line.finding->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(line.host = child<QLineEdit>(line.row), 1);
    row->addWidget(line.devices = child<CalmSpinBox>(line.row));
    row->addWidget(line.remove = child<QToolButton>(line.row));
    line.devices->setMaximumWidth(58);
    name(*line.host);
    name(*line.devices);
    line.host->setAccessibleName(tr("Name of host %1").arg(index));
    line.host->setToolTip(tr("The name or address of the machine"));
    line.devices->setAccessibleName(tr("Devices of host %1").arg(index));
    line.devices->setToolTip(tr("The number of devices, and so of ranks that may run there"));
    line.remove->setText(QStringLiteral("✕"));
    line.remove->setProperty("role", "flat");
    line.remove->setAccessibleName(tr("Remove host %1").arg(index));
    line.remove->setToolTip(tr("Remove this host"));
    line.remove->setFocusPolicy(Qt::StrongFocus);
    connect(line.host, &QLineEdit::textEdited, this, [this, index](const QString& text) {
        change([&](std::vector<HostSpec>& hosts) {
            if (index < hosts.size()) hosts[index].name = text.toStdString();
        });
    });
    connect(line.devices, &QSpinBox::valueChanged, this, [this, index](int devices) {
        change([&](std::vector<HostSpec>& hosts) {
            if (index < hosts.size()) hosts[index].devices = devices;
        });
    });
    connect(line.remove, &QToolButton::clicked, this, [this, index] {
        change([&](std::vector<HostSpec>& hosts) {
            if (index < hosts.size() && hosts.size() > 1)
                hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(index));
        });
    });
    column_->insertWidget(static_cast<int>(index), line.row);
    lines_.push_back(line);
}

void HostsEditor::display(const Layout& layout) {
    const std::vector<HostSpec> hosts = value(layout, access_);
    const std::size_t shown = std::min(hosts.size(), mostHostLines);
    while (lines_.size() < shown) addLine();
    for (std::size_t index = 0; index < lines_.size(); ++index) {
        const Line& line = lines_[index];
        line.row->setVisible(index < shown);
        if (index >= shown) continue;
        const QString name = QString::fromStdString(hosts[index].name);
        if (line.host->text() != name) {
            line.host->setText(name);
            line.host->setCursorPosition(0);
        }
        const QSignalBlocker quiet(line.devices);
        if (line.devices->value() != hosts[index].devices) line.devices->setValue(hosts[index].devices);
        line.remove->setVisible(hosts.size() > 1);
    }
    add_->setEnabled(hosts.size() < mostHostLines);
    showCheck();
    showFindings();
}

QWidget& HostsEditor::control() { return *lines_.front().host; }

}  // namespace shardlab::ui
