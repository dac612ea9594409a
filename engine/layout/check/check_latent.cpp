// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/attention_shape.h"
#include "engine/layout/check/check_rules.h"

namespace shardlab::layout {

void checkLatent(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    if (!latentAttention(model)) return;
    const BlockSpec& block = model.block;
    if (block.ropeWidth > 0 && block.ropeWidth % 2 != 0)
        faults.push_back({"/model/rope_width", say("{} columns cannot be turned in pairs", block.ropeWidth),
                          say("the rotary embedding turns the numbers of a head in pairs"), say("an even number")});
    if (const int queries = queryWidth(model); block.valueWidth > queries)
        faults.push_back({"/model/value_width",
                          say("values of {} columns are wider than queries, which have {}", block.valueWidth, queries),
                          say("the attention's kernels take a value that is as wide as a query, or narrower and filled "
                              "up with zeros"),
                          say("at most {}; or 0 for as many as model.head_width", queries)});
    if (block.queryKeyNorms)
        faults.push_back({"/model/qk_norm", say("latent attention has no norms of queries and keys"),
                          say("its norms are those of the latents that queries, keys and values are made from"),
                          say("false; or a model.kv_rank of 0")});
}

}  // namespace shardlab::layout
