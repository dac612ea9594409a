// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/share_panel.h"

#include "ui/core/child.h"
#include "ui/core/words.h"
#include "ui/core/workbench.h"

#include <QClipboard>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr auto addressKey = "share/address";
constexpr auto usualAddress = "7000";

}  // namespace

SharePanel::SharePanel(Workbench& workbench, QWidget* window)
    : Overlay(window), workbench_(workbench), address_(child<QLineEdit>(this)), token_(child<QLineEdit>(this)),
      note_(child<QLabel>(this)), copy_(child<QPushButton>(tr("Copy"), this)), go_(child<QPushButton>(this)) {
    setObjectName(QStringLiteral("sharePanel"));
    QVBoxLayout* column =
        explained(tr("Let others watch the runs that start here"),
                  tr("Viewers choose File → Connect …, or type “shardlab watch ADDRESS --token-file FILE” with the "
                     "token in that file, and see each run from its start. They cannot change the run. The connection "
                     "is encrypted, and only who has the token can watch: a port alone can be reached from this "
                     "machine, 0.0.0.0:7000 from every network."));

    auto* form = child<QFormLayout>();
    column->addLayout(form);
    address_->setPlaceholderText(tr("[HOST:]PORT"));
    address_->setAccessibleName(tr("Address"));
    form->addRow(tr("Address"), address_);
    auto* row = child<QHBoxLayout>();
    token_->setReadOnly(true);
    token_->setPlaceholderText(tr("made when sharing begins"));
    token_->setAccessibleName(tr("Token that viewers need"));
    row->addWidget(token_, 1);
    copy_->setToolTip(tr("Copy the token, to give it to those who may watch"));
    row->addWidget(copy_);
    form->addRow(tr("Token"), row);

    note_->setProperty("role", "small");
    note_->setWordWrap(true);
    column->addWidget(note_);
    column->addStretch(1);
    auto* buttons = child<QHBoxLayout>();
    column->addLayout(buttons);
    buttons->addStretch(1);
    go_->setProperty("role", "primary");
    buttons->addWidget(go_);
    setFocusProxy(address_);

    connect(go_, &QPushButton::clicked, this, &SharePanel::toggle);
    connect(address_, &QLineEdit::returnPressed, this, &SharePanel::toggle);
    connect(copy_, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(token_->text()); });
    connect(&workbench_.sharing(), &Sharing::changed, this, &SharePanel::refresh);
    refresh();
}

QRect SharePanel::place(const QSize& window) const {
    const int width = std::min(620, window.width() - 40);
    const int height = std::min(256, window.height() - 60);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

void SharePanel::opened() {
    note_->clear();
    refresh();
}

void SharePanel::refresh() {
    const Sharing& sharing = workbench_.sharing();
    const RunServer* const server = workbench_.run().active() ? workbench_.run().server() : nullptr;
    if (sharing.on())
        address_->setText(QString::fromStdString((server ? server->address() : sharing.options()->address).text()));
    else if (address_->isReadOnly() || address_->text().isEmpty())
        address_->setText(QSettings().value(addressKey, usualAddress).toString());
    address_->setReadOnly(sharing.on());
    token_->setText(sharing.on() ? QString::fromStdString(sharing.options()->pass.token) : QString());
    copy_->setEnabled(sharing.on());
    go_->setText(sharing.on() ? tr("Stop sharing") : tr("Share"));
    if (!sharing.on()) return note_->clear();
    note_->setText(workbench_.run().active() && !server ? tr("The run under way is not shared; the next run will be.")
                                                        : tr("Runs that start from now on are shared."));
}

void SharePanel::toggle() {
    Sharing& sharing = workbench_.sharing();
    if (sharing.on()) return sharing.end();
    const QString given = address_->text().trimmed();
    const auto address = parseTcpAddress(given.toStdString());
    if (address) QSettings().setValue(addressKey, given);
    const Status begun = address ? sharing.begin(*address) : Status(fail(address.error()));
    if (!begun) note_->setText(told(begun.error()));
}

}  // namespace shardlab::ui
