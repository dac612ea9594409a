// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/trunk_frames.h"

namespace shardlab {
namespace {

tl::unexpected<Error> damaged(const char* what) {
    return fail({std::string("damaged ") + what, "", "its fields do not fill it exactly", ""});
}

}  // namespace

Bytes encode(const TrunkGreeting& greeting) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(greeting.protocol);
    writer.fixed(greeting.host);
    writer.fixed(greeting.pid);
    writer.fixed(greeting.cores);
    writer.fixed(static_cast<std::uint8_t>(greeting.again));
    writer.text(greeting.name);
    writer.text(greeting.token);
    return body;
}

Result<TrunkGreeting> decodeTrunkGreeting(std::span<const std::byte> body) {
    ByteReader reader(body);
    TrunkGreeting greeting;
    greeting.protocol = reader.fixed<std::uint32_t>();
    greeting.host = reader.fixed<std::int32_t>();
    greeting.pid = reader.fixed<std::int32_t>();
    greeting.cores = reader.fixed<std::int32_t>();
    greeting.again = reader.fixed<std::uint8_t>() != 0;
    greeting.name = reader.text();
    greeting.token = reader.text();
    if (!reader.atEnd()) return damaged("greeting");
    return greeting;
}

Bytes encode(const Orders& orders) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(orders.attempt);
    writer.text(orders.layout);
    writer.varint(orders.files.size());
    for (const SharedFile& file : orders.files) {
        writer.fixed(file.need);
        writer.text(file.path);
        writer.fixed(file.checksum);
    }
    return body;
}

Result<Orders> decodeOrders(std::span<const std::byte> body) {
    ByteReader reader(body);
    Orders orders;
    orders.attempt = reader.fixed<std::uint32_t>();
    orders.layout = reader.text();
    for (std::uint64_t left = reader.varint(); left > 0 && reader.ok(); --left) {
        SharedFile file;
        file.need = reader.fixed<SharedFile::Need>();
        file.path = reader.text();
        file.checksum = reader.fixed<std::uint32_t>();
        orders.files.push_back(std::move(file));
    }
    if (!reader.atEnd()) return damaged("orders");
    return orders;
}

Bytes encode(const RankReport& report) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(report.rank);
    writer.fixed(report.state);
    writer.fixed(std::int32_t{report.status.pid});
    writer.fixed(report.status.phase);
    writer.fixed(report.status.step);
    writer.fixed(report.status.action);
    writer.fixed(std::int32_t{report.status.peer});
    writer.fixed(report.status.heartbeat);
    writer.fixed(report.status.pulse);
    return body;
}

Result<RankReport> decodeRankReport(std::span<const std::byte> body) {
    ByteReader reader(body);
    RankReport report;
    report.rank = reader.fixed<std::int32_t>();
    report.state = reader.fixed<RankReport::State>();
    report.status.pid = reader.fixed<std::int32_t>();
    report.status.phase = reader.fixed<RankPhase>();
    report.status.step = reader.fixed<std::int32_t>();
    report.status.action = reader.fixed<ActionId>();
    report.status.peer = reader.fixed<std::int32_t>();
    report.status.heartbeat = reader.fixed<std::int64_t>();
    report.status.pulse = reader.fixed<std::uint64_t>();
    if (!reader.atEnd() || report.state > RankReport::State::Gone || report.status.phase > RankPhase::Checkpointing)
        return damaged("report of a rank");
    return report;
}

Bytes encode(const FetchOrder& order) {
    Bytes body;
    ByteWriter writer(body);
    writer.fixed(order.rank);
    writer.fixed(order.what);
    writer.fixed(order.from);
    return body;
}

Result<FetchOrder> decodeFetchOrder(std::span<const std::byte> body) {
    ByteReader reader(body);
    FetchOrder order;
    order.rank = reader.fixed<std::int32_t>();
    order.what = reader.fixed<RankFile>();
    order.from = reader.fixed<std::uint64_t>();
    if (!reader.atEnd() || order.what > RankFile::Spool) return damaged("order to fetch");
    return order;
}

}  // namespace shardlab
