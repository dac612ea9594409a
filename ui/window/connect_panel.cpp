// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/connect_panel.h"

#include "engine/base/token.h"
#include "engine/launch/tls/tls_pass.h"
#include "ui/core/child.h"
#include "ui/core/words.h"
#include "ui/core/workbench.h"

#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr auto recentKey = "live/recent";  ///< "ADDRESS" or "ADDRESS<tab>TOKEN FILE", newest first
constexpr int kept = 8;
constexpr int fileRole = Qt::UserRole;

/// No token has a slash.
bool isFile(const QString& text) { return text.contains(QLatin1Char('/')); }

}  // namespace

ConnectPanel::ConnectPanel(Workbench& workbench, QWidget* window)
    : Overlay(window), workbench_(workbench), address_(child<QLineEdit>(this)), token_(child<QLineEdit>(this)),
      note_(child<QLabel>(this)), recentTitle_(child<QLabel>(tr("Watched recently"), this)),
      recent_(child<QListWidget>(this)), go_(child<QPushButton>(tr("Connect"), this)) {
    setObjectName(QStringLiteral("connectPanel"));
    QVBoxLayout* column = explained(tr("Watch a run that another machine serves"),
                                    tr("On the other machine, “shardlab run LAYOUT --serve 7000” prints the address "
                                       "and writes the token to a file. With HOST:7000 the run can be reached from "
                                       "here; else bring the port here with “ssh -L 7000:localhost:7000 HOST”, and "
                                       "connect to 7000."));

    auto* form = child<QFormLayout>();
    column->addLayout(form);
    address_->setPlaceholderText(tr("[HOST:]PORT"));
    address_->setAccessibleName(tr("Address"));
    form->addRow(tr("Address"), address_);
    auto* row = child<QHBoxLayout>();
    token_->setPlaceholderText(tr("the token, or the file that holds it"));
    token_->setAccessibleName(tr("Token, or the file that holds it"));
    row->addWidget(token_, 1);
    auto* file = child<QPushButton>(tr("File …"), this);
    file->setToolTip(tr("Choose the file with the token, or a copy of it"));
    row->addWidget(file);
    form->addRow(tr("Token"), row);

    recentTitle_->setProperty("role", "small");
    column->addWidget(recentTitle_);
    recent_->setAccessibleName(tr("Watched recently"));
    column->addWidget(recent_, 1);
    note_->setProperty("role", "small");
    note_->setWordWrap(true);
    column->addWidget(note_);
    auto* buttons = child<QHBoxLayout>();
    column->addLayout(buttons);
    column->addStretch();
    buttons->addStretch(1);
    go_->setProperty("role", "primary");
    buttons->addWidget(go_);
    setFocusProxy(address_);

    connect(file, &QPushButton::clicked, this, &ConnectPanel::askFile);
    connect(go_, &QPushButton::clicked, this, &ConnectPanel::connectNow);
    for (QLineEdit* field : {address_, token_})
        connect(field, &QLineEdit::returnPressed, this, &ConnectPanel::connectNow);
    connect(token_, &QLineEdit::textChanged, this, [this](const QString& text) {
        token_->setEchoMode(text.isEmpty() || isFile(text) ? QLineEdit::Normal : QLineEdit::Password);
    });
    connect(recent_, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) {
        address_->setText(item->text());
        token_->setText(item->data(fileRole).toString());
        token_->setFocus();
    });
}

QRect ConnectPanel::place(const QSize& window) const {
    const int width = std::min(620, window.width() - 40);
    const int list = recent_->count() > 0 ? 30 + 26 * std::min(recent_->count(), 5) : 0;
    const int height = std::min(250 + list, window.height() - 60);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

void ConnectPanel::opened() {
    note_->clear();
    showRecent();
    setGeometry(place(window()->size()));
}

void ConnectPanel::showRecent() {
    recent_->clear();
    for (const QString& entry : QSettings().value(recentKey).toStringList()) {
        auto* item = child<QListWidgetItem>(entry.section(QLatin1Char('\t'), 0, 0), recent_);
        item->setData(fileRole, entry.section(QLatin1Char('\t'), 1));
        item->setToolTip(item->data(fileRole).toString());
    }
    for (QWidget* part : std::initializer_list<QWidget*>{recentTitle_, recent_}) part->setVisible(recent_->count() > 0);
    if (address_->text().isEmpty() && recent_->count() > 0) {
        address_->setText(recent_->item(0)->text());
        token_->setText(recent_->item(0)->data(fileRole).toString());
    }
}

void ConnectPanel::remember() {
    const QString file = isFile(token_->text()) ? token_->text() : QString();
    QStringList entries = QSettings().value(recentKey).toStringList();
    entries.removeIf(
        [this](const QString& entry) { return entry.section(QLatin1Char('\t'), 0, 0) == address_->text(); });
    entries.prepend(file.isEmpty() ? address_->text() : address_->text() + QLatin1Char('\t') + file);
    QSettings().setValue(recentKey, entries.mid(0, kept));
}

void ConnectPanel::connectNow() {
    const auto wrong = [this](const Error& error) { note_->setText(told(error)); };
    const auto address = parseTcpAddress(address_->text().trimmed().toStdString());
    if (!address) return wrong(address.error());
    const QString given = token_->text().trimmed();
    if (given.isEmpty())
        return wrong({tr("the token is missing").toStdString(), "",
                      tr("nobody can watch a run without its token").toStdString(),
                      tr("The token that run --serve has printed").toStdString()});
    Result<std::string> token = given.toStdString();
    if (isFile(given)) token = readToken(given.toStdString());
    const auto pass = token.and_then(readPass);
    if (!pass) return wrong(pass.error());
    remember();
    if (!isFile(given)) token_->clear();
    dismiss();
    workbench_.connectTo(*address, *pass);
}

void ConnectPanel::askFile() {
    dialog_ = child<QFileDialog>(window(), tr("The file with the run's token"), QString(),
                                 tr("Tokens (*.token);;All files (*)"));
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setFileMode(QFileDialog::ExistingFile);
    dismiss();
    connect(dialog_, &QFileDialog::fileSelected, this, [this](const QString& file) {
        open();
        token_->setText(file);
    });
    dialog_->open();
}

}  // namespace shardlab::ui
