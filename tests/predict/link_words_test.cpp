// SPDX-License-Identifier: Apache-2.0
// What published runs say of their links.
#include "engine/predict/evidence/link_words.h"
#include "tests/support/wings.h"

#include <QTest>

using namespace shardlab::test;

class LinkWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Gbit/s for each of eight devices of a host.
    void networks_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("wanted");
        const auto row = [](const char* text, double wanted) { QTest::addRow("%s", text) << QString(text) << wanted; };
        row("400 Gbps per GPU", 400);
        row("RoCE RDMA 400Gb/s per GPU (CX-7)", 400);
        row("ConnectX-7 400 Gb/s per GPU", 400);
        row("InfiniBand 50 GB/s per GPU", 400);
        row("12.5 GB/s per GPU", 100);
        row("0.4 Tb/s per GPU", 400);
        row("1600 Gbps node-node (RoCE)", 200);
        row("800 Gbps (as printed; per node)", 100);
        row("3.2 Tbps EFA per node", 400);
        row("EFA 3,200 Gbps per node", 400);
        row("25 GbE per node", 3.125);
        row("4 x 100Gb RoCE per node", 50);
        row("8x200 Gb/s NICs", 200);
        row("8 \xc3\x97 400 Gbit/s", 400);
        row("InfiniBand 8x400Gb/s", 400);
        row("4x Omni-Path links per node", 50);
        row("8x HDR InfiniBand", 200);
        for (const char* text : {"", "NVLink", "RoCE RDMA", "InfiniBand HCAs (per paper)", "HDR InfiniBand", "H100"})
            row(text, 0);
    }
    void networks() {
        QFETCH(QString, text);
        QFETCH(double, wanted);
        QCOMPARE(networkOf(text.toStdString(), 8), wanted);
    }

    /// GB/s of one direction on a device whose own link has 300.
    void linksWithinHosts_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("wanted");
        const auto row = [](const char* text, double wanted) { QTest::addRow("%s", text) << QString(text) << wanted; };
        row("50 GBps intra-node (jz/frameworks/megatron-lm.md)", 50);
        row("NVLink 300 GB/s", 300);
        row("NVLink 3.0 300 GB/s", 300);
        row("NVLink 600 GB/s", 300);
        row("NVLink 400 GB/s bidirectional", 200);
        row("PCIe 32 gb/s", 32);
        row("400 Gbps", 50);
        row("NVLink 0.6 TB/s", 300);
        for (const char* text : {"", "NVLink", "NVLink/NVSwitch", "NVLink (single node)"}) row(text, 0);
    }
    void linksWithinHosts() {
        QFETCH(QString, text);
        QFETCH(double, wanted);
        QCOMPARE(nodeLinkOf(text.toStdString(), 300), wanted);
    }
};

QTEST_GUILESS_MAIN(LinkWordsTest)
#include "link_words_test.moc"
