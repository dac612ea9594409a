// SPDX-License-Identifier: Apache-2.0
// The programs as they are linked: at addresses that nobody knows beforehand, with tables of addresses that are
// read-only once they are loaded, stacks that carry no code; and, where the build optimises, with checked stacks and
// copies.
#include "engine/base/file.h"
#include "tests/support/places.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTest>

#include <cstring>
#include <elf.h>

using namespace shardlab::test;

class HardeningTest : public QObject {
    Q_OBJECT
private:
    template <class T>
    static std::vector<T> table(const std::string& file, std::size_t at, std::size_t count) {
        std::vector<T> rows(count);
        if (at + count * sizeof(T) > file.size()) return {};
        std::memcpy(rows.data(), file.data() + at, count * sizeof(T));
        return rows;
    }

private Q_SLOTS:
    void everyProgram_data() {
        QTest::addColumn<QString>("path");
        for (const QFileInfo& program :
             QDir(QStringLiteral(SHARDLAB_BIN_DIR)).entryInfoList({"shardlab*"}, QDir::Files))
            QTest::newRow(qPrintable(program.fileName())) << program.filePath();
    }
    void everyProgram() {
        QFETCH(QString, path);
        const auto read = readFile(path.toStdString());
        QVERIFY(read);
        const std::string& file = *read;
        const auto header = table<Elf64_Ehdr>(file, 0, 1);
        QVERIFY(!header.empty() && std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) == 0);
        QCOMPARE(header[0].e_type, ET_DYN);
        bool readOnly = false, stack = false, now = false, anywhere = path.endsWith(".so");
        for (const Elf64_Phdr& part : table<Elf64_Phdr>(file, header[0].e_phoff, header[0].e_phnum)) {
            readOnly |= part.p_type == PT_GNU_RELRO;
            if (part.p_type == PT_GNU_STACK) stack = (part.p_flags & PF_X) == 0;
            QVERIFY2((part.p_flags & (PF_W | PF_X)) != (PF_W | PF_X), "a part is written and carried out");
            if (part.p_type != PT_DYNAMIC) continue;
            for (const Elf64_Dyn& entry : table<Elf64_Dyn>(file, part.p_offset, part.p_filesz / sizeof(Elf64_Dyn))) {
                now |= entry.d_tag == DT_BIND_NOW ||
                       (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0) ||
                       (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0);
                anywhere |= entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0;
            }
        }
        QVERIFY(readOnly);
        QVERIFY(stack);
        QVERIFY(now);
        QVERIFY(anywhere);
        if (SHARDLAB_HARDENED == 0 || path.endsWith(".so")) return;
        QVERIFY(file.find("__stack_chk_fail") != std::string::npos);
        constexpr std::string_view checked{"_chk\0", 5};  // the end of a function's name: __fprintf_chk
        QVERIFY(file.find(checked) != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(HardeningTest)
#include "hardening_test.moc"
