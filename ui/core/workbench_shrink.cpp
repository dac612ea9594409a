// SPDX-License-Identifier: GPL-3.0-or-later
// What the workbench does with a design for machines that may not be there.
#include "ui/core/shrinking.h"
#include "ui/core/text.h"
#include "ui/core/workbench.h"

namespace shardlab::ui {

void Workbench::askWhereToRun(const Layout& layout) {
    const std::vector<HostSpec>& hosts = layout.cluster.hosts;
    const QString named = hosts.size() == 1
                              ? text(hosts.front().name)
                              : text(hosts.front().name) + QStringLiteral(" … ") + text(hosts.back().name);
    const auto runThere = [this, layout] {
        meantHosts_ = layout.cluster.hosts;
        startRun(layout, {});
    };
    messages_.post(
        {.level = MessageLevel::Warning,
         .title = tr("This design is for %1, %2")
                      .arg(counted(hosts.size(), tr("another host"), tr("%1 other hosts")), named),
         .detail = tr("A smaller twin with the same schedule trains on this machine. A run of the design itself calls "
                      "those hosts by ssh."),
         .choices = {{tr("Shrink to this machine"), [this, layout] { shrink(layout); }},
                     {tr("Run on those hosts"), runThere}},
         .topic = "run",
         .holds = [this, hosts] { return document_.layout().cluster.hosts == hosts; }});
}

void Workbench::shrink(const Layout& layout) {
    const auto changed = shrinkToThisMachine(document_, layout);
    if (!changed) return messages_.post(tr("The design was not shrunk"), changed.error(), "run");
    Q_EMIT workspaceRequested(Workspace::Design);
    messages_.post({.level = MessageLevel::Info,
                    .title = tr("This twin of the design trains on this machine; Ctrl+Z takes the design back"),
                    .detail = *changed,
                    .topic = "run",
                    .holds = [this, twin = document_.layout()] { return document_.layout() == twin; }});
}

}  // namespace shardlab::ui
