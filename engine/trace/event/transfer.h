// SPDX-License-Identifier: Apache-2.0
// Which kinds of events move something over links, between whom, and how often a ring carries it: one table, a row
// each.
#pragma once

#include "engine/trace/event/event.h"

namespace shardlab::trace {

enum class Partners : std::uint8_t {
    None,      ///< nothing goes over a link
    Stage,     ///< the stage after or before
    Replicas,  ///< the ranks with the same weights
    Bucket,    ///< those with the same copy of what ZeRO divides; where a bucket is of experts, with the same ones
    Copies,    ///< the ranks with the same part of each copy
    Tensor,    ///< the tensor group
    Expert,    ///< the expert group
    Context,   ///< the next of the context group
    Heads,     ///< all of the context group
    Replica,   ///< all ranks of a replica
    Ends,      ///< first and last stage
    Server,    ///< a server, or shared memory, and a worker
    Centre,    ///< the keeper of a centre and the replica whose turn it is
    Hop,       ///< the next of those that share the bucket
    Unknown,   ///< the program that recorded it knows
};

struct Transfer {
    EventKind kind = EventKind::None;
    Partners partners = Partners::None;
    /// Each of n members sends passes · (n − 1)/n of the buffer; 0: the event's bytes are what its rank sends.
    int passes = 0;
};

inline constexpr std::array<Transfer, 256> transfers = [] {
    std::array<Transfer, 256> all{};
    for (const Transfer& row :
         {Transfer{EventKind::SendForward, Partners::Stage},   {EventKind::SendBackward, Partners::Stage},
          {EventKind::ReduceGradients, Partners::Replicas, 2}, {EventKind::ReduceBuckets, Partners::Bucket, 2},
          {EventKind::ScatterGradients, Partners::Bucket, 1},  {EventKind::GatherParameters, Partners::Bucket, 1},
          {EventKind::ReduceParts, Partners::Copies, 2},       {EventKind::RingHop, Partners::Hop},
          {EventKind::ReduceTied, Partners::Ends, 2},          {EventKind::ReduceNorm, Partners::Replica, 2},
          {EventKind::TensorAllReduce, Partners::Tensor, 2},   {EventKind::TensorReduceScatter, Partners::Tensor, 1},
          {EventKind::TensorAllGather, Partners::Tensor, 1},   {EventKind::DispatchTokens, Partners::Expert, 1},
          {EventKind::CombineTokens, Partners::Expert, 1},     {EventKind::KeyValueHop, Partners::Context},
          {EventKind::ExchangeHeads, Partners::Heads, 1},      {EventKind::GatherChoices, Partners::Heads, 1},
          {EventKind::PushGradients, Partners::Server},        {EventKind::PullWeights, Partners::Server},
          {EventKind::ExchangeElastic, Partners::Centre},      {EventKind::Collective, Partners::Unknown}})
        all[static_cast<std::size_t>(row.kind)] = row;
    return all;
}();

constexpr const Transfer& transferOf(EventKind kind) { return transfers[static_cast<std::size_t>(kind)]; }

}  // namespace shardlab::trace
