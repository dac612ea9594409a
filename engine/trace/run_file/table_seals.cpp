// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/table_seals.h"

#include "engine/trace/run_file/run_schema.h"

#include <sqlite3.h>

namespace shardlab::trace {
namespace {

struct Keys {
    const char* table;
    const char* columns;
    int count = 1;
};

/// In the order of RunTable. Every column that a reader's conditions name is a key column.
constexpr std::array<Keys, runTableCount> keysOf{{{"meta", "key"},
                                                  {"rank", "rank"},
                                                  {"log", "id"},
                                                  {"block", "id, source, rank, lane, count, begin, end", 7},
                                                  {"note", "id"},
                                                  {"name", "id"},
                                                  {"step", "first"},
                                                  {"rank_step", "first"}}};

const Keys& keys(RunTable table) { return keysOf[static_cast<std::size_t>(table)]; }

std::string primaryKey(RunTable table) {
    const std::string columns = keys(table).columns;
    return columns.substr(0, columns.find(','));
}

std::string select(RunTable table) {
    return std::string("SELECT ") + keys(table).columns + " FROM " + keys(table).table;
}

/// The checksum of the key columns of the row at which `row` stands.
std::int64_t sumOf(RunTable table, const Statement& row) {
    RowChecksum sum;
    if (table == RunTable::Meta) return sum.add(row.text(0)).value();
    for (int column = 0; column < keys(table).count; ++column) sum.add(row.number(column));
    return sum.value();
}

/// A key that is no number reads as one and is passed over by conditions.
bool isSound(RunTable table, const Statement& row) {
    if (table == RunTable::Meta) return row.isText(0);
    for (int column = 0; column < keys(table).count; ++column)
        if (!row.isNumber(column)) return false;
    return true;
}

std::int64_t checksumOf(std::string_view table, const TableSum& sum) {
    return RowChecksum().add(table).add(sum.rows).add(sum.keys).value();
}

/// The sum over all rows that the table holds now. Error: the rest of a sentence that begins with the table's name.
tl::expected<TableSum, Sentence> added(Database& database, RunTable table) {
    auto rows = database.prepare((select(table) + " ORDER BY " + primaryKey(table)).c_str());
    if (!rows) return tl::unexpected(say("cannot be read: {}", rows.error().why));
    TableSum sum;
    std::optional<std::int64_t> lastNumber;
    std::optional<std::string> lastText;
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) {
        if (!isSound(table, *rows)) return tl::unexpected(say("has a row whose key is damaged"));
        // A damaged tree of pages may lead in circles.
        const bool ascends = table == RunTable::Meta ? !lastText || *lastText < rows->text(0)
                                                     : !lastNumber || *lastNumber < rows->number(0);
        if (!ascends) return tl::unexpected(say("has rows that are out of order"));
        if (table == RunTable::Meta) lastText = rows->text(0);
        else lastNumber = rows->number(0);
        ++sum.rows;
        sum.keys += sumOf(table, *rows);
    }
    if (code != SQLITE_DONE) return tl::unexpected(say("cannot be read: {}", database.error("").why));
    return sum;
}

tl::expected<TableSum, Sentence> stored(Database& database, RunTable table) {
    auto row = database.prepare("SELECT rows, keys, crc FROM seal WHERE name = ?");
    if (!row || row->bind(name(table)).next() != SQLITE_ROW) return tl::unexpected(say("has no seal"));
    const TableSum sum{row->number(0), row->number(1)};
    if (row->number(2) != checksumOf(name(table), sum))
        return tl::unexpected(say("has a seal that fails its checksum"));
    return sum;
}

bool store(Database& database, RunTable table, const TableSum& sum) {
    auto row = database.prepare("INSERT OR REPLACE INTO seal VALUES(?, ?, ?, ?)");
    return row &&
           row->bind(name(table)).bind(sum.rows).bind(sum.keys).bind(checksumOf(name(table), sum)).run() == SQLITE_OK;
}

}  // namespace

std::string_view name(RunTable table) { return keys(table).table; }

Status sealAll(Database& database) {
    for (std::size_t i = 0; i < runTableCount; ++i) {
        const auto table = static_cast<RunTable>(i);
        const auto sum = added(database, table);
        if (!sum) return fail({say("cannot seal the run"), "", say("its table {} {}", name(table), sum.error()), ""});
        if (!store(database, table, *sum)) return fail(database.error(say("cannot seal the run")));
    }
    return {};
}

std::optional<Sentence> brokenSeal(Database& database, RunTable table) {
    const auto written = stored(database, table);
    if (!written) return written.error();
    const auto found = added(database, table);
    if (!found) return found.error();
    if (found->rows != written->rows) return say("has {} rows where {} were written", found->rows, written->rows);
    if (found->keys != written->keys) return say("has other rows than were written");
    if (table != RunTable::Step && table != RunTable::RankStep) return std::nullopt;
    // These rows are looked up, which takes a way through the table's pages that going through all of them does not
    // take.
    const std::string itself = "SELECT count(*) FROM " + std::string(name(table)) + " AS each CROSS JOIN " +
                               std::string(name(table)) + " AS found ON found.first = each.first";
    const auto reached = database.number(itself.c_str());
    if (!reached || *reached != found->rows) return say("has rows that cannot be found by their key");
    return std::nullopt;
}

TableSeals::Sealed* TableSeals::sealed(RunTable table) {
    Sealed& sealed = tables_[static_cast<std::size_t>(table)];
    if (sealed.known) return &sealed;
    const auto sum = stored(database_, table);
    if (!sum) return nullptr;
    if (!sealed.find) {
        auto find = database_.prepare((select(table) + " WHERE " + primaryKey(table) + " = ?").c_str());
        if (!find) return nullptr;
        sealed.find.emplace(std::move(*find));
    }
    sealed.sum = *sum;
    sealed.known = true;
    return &sealed;
}

/// The row that `find` is bound to, where there is one.
bool TableSeals::takeOut(Sealed& sealed) {
    const int code = sealed.find->next();
    if (code == SQLITE_ROW) {
        --sealed.sum.rows;
        sealed.sum.keys -= sumOf(static_cast<RunTable>(&sealed - tables_.data()), *sealed.find);
        sealed.changed = true;
    }
    sealed.find->reset();
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

bool TableSeals::put(RunTable table, std::string_view key) {
    Sealed* const one = sealed(table);
    if (one == nullptr) return false;
    one->find->bind(key);
    if (!takeOut(*one)) return false;
    ++one->sum.rows;
    one->sum.keys += RowChecksum().add(key).value();
    return one->changed = true;
}

bool TableSeals::put(RunTable table, std::initializer_list<std::int64_t> key) {
    Sealed* const one = sealed(table);
    if (one == nullptr) return false;
    one->find->bind(*key.begin());
    if (!takeOut(*one)) return false;
    RowChecksum sum;
    for (const std::int64_t number : key) sum.add(number);
    ++one->sum.rows;
    one->sum.keys += sum.value();
    return one->changed = true;
}

bool TableSeals::drop(RunTable table, std::int64_t key) {
    Sealed* const one = sealed(table);
    if (one == nullptr) return false;
    one->find->bind(key);
    return takeOut(*one);
}

bool TableSeals::dropFrom(RunTable table, std::int64_t key) {
    Sealed* const one = sealed(table);
    auto rows = database_.prepare((select(table) + " WHERE " + primaryKey(table) + " >= ?").c_str());
    if (one == nullptr || !rows) return false;
    rows->bind(key);
    int code = 0;
    while ((code = rows->next()) == SQLITE_ROW) {
        --one->sum.rows;
        one->sum.keys -= sumOf(table, *rows);
        one->changed = true;
    }
    return code == SQLITE_DONE;
}

bool TableSeals::store() {
    for (std::size_t i = 0; i < runTableCount; ++i) {
        Sealed& one = tables_[i];
        if (!one.changed) continue;
        if (!trace::store(database_, static_cast<RunTable>(i), one.sum)) return false;
        one.changed = false;
    }
    return true;
}

void TableSeals::forget() {
    for (Sealed& one : tables_) one.known = one.changed = false;
}

}  // namespace shardlab::trace
