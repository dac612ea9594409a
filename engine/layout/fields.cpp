// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields.h"

#include "engine/base/most_ranks.h"

#include <algorithm>
#include <array>

namespace shardlab {
namespace {

using L = Layout;
constexpr double int32 = std::numeric_limits<int>::max();
constexpr std::string_view sizes = "there is at least one, and products of the sizes must stay countable";
constexpr std::string_view degree = "there is at least one, and events number ranks with 16 bits";

// One line a field: pointer, label, help, unit, access; then choices, planned words, least, most, the limits' reason.
// clang-format off
const std::array table = std::to_array<Field>({
    {"/name", "Name", "What the layout is called in lists and run files.", {}, TextField([](L& l) -> std::string& { return l.name; })},

    {"/model/kind", "Model", "gpt: GPT-2 shaped transformer; mlp: the same without attention; gpt-moe: the same with experts in every second block, of which each token takes few; llama: RMSNorm, rotary positions, SwiGLU and heads that share keys and values, without biases; cnn: blocks of convolutions 3×3 with ReLU, each followed by a max-pool 2×2, over images, and a linear classifier.", {}, TextField([](L& l) -> std::string& { return l.model.kind; }), "gpt,mlp,gpt-moe,llama,cnn"},
    {"/model/layers", "Layers", "Blocks of the model, without embeddings and output. Each of a cnn halves its maps' sides.", {}, IntegerField([](L& l) -> int& { return l.model.layers; }), {}, {}, 1, 10000, sizes},
    {"/model/hidden", "Hidden", "Width of the model: numbers per token between layers. Of a cnn the channels of its first block; each next one has twice as many, up to 8 times.", {}, IntegerField([](L& l) -> int& { return l.model.hidden; }), {}, {}, 1, 65536, sizes},
    {"/model/heads", "Heads", "Attention heads of a layer; they share the hidden width.", {}, IntegerField([](L& l) -> int& { return l.model.heads; }), {}, {}, 1, 1024, sizes},
    {"/model/kv_heads", "Key/value heads", "Heads of keys and of values of llama, each met by as many heads of queries (grouped-query attention); 0: as many as heads.", {}, IntegerField([](L& l) -> int& { return l.model.kvHeads; }), {}, {}, 0, 1024, sizes},
    {"/model/rope_base", "RoPE base", "Of llama's rotary embedding: pair i of a head's numbers turns by position × base^(−2i ÷ width); a larger base tells positions apart that are further from each other.", {}, NumberField([](L& l) -> double& { return l.model.ropeBase; }), {}, {}, 1, 1e12, "below 1, angles would grow with the pair instead of falling"},
    {"/model/sequence", "Sequence", "Tokens of one sample.", "tokens", IntegerField([](L& l) -> int& { return l.model.sequence; }), {}, {}, 1, 1048576, "there is at least one token, and every position of a gpt has a learned vector"},
    {"/model/vocabulary", "Vocabulary", "Different tokens the model knows.", "tokens", IntegerField([](L& l) -> int& { return l.model.vocabulary; }), {}, {}, 1, 1048576, sizes},
    {"/model/dropout", "Dropout", "Share of activations set to zero while training.", {}, NumberField([](L& l) -> double& { return l.model.dropout; }), {}, {}, 0, 0.99, "it is a share, and something must be left"},
    {"/model/feed_forward", "Feed-forward", "Width inside each layer's feed-forward block, one number a layer, or one for all; empty: 4 × hidden in all.", {}, IntegerListField([](L& l) -> std::vector<int>& { return l.model.feedForward; }), {}, {}, 1, 262144, sizes},
    {"/model/weights", "Start from", "Weights of GPT-2, or for llama of Llama, in Hugging Face safetensors, a file or its folder; empty: random ones.", {}, TextField([](L& l) -> std::string& { return l.model.weights; })},
    {"/model/experts", "Experts", "Feed-forward blocks beside each other, of which a gate chooses for each token; in every second block of gpt-moe, the second, fourth and so on.", {}, IntegerField([](L& l) -> int& { return l.model.experts; }), {}, {}, 2, 1024, "a gate chooses among two or more, and each has kernels of its own"},
    {"/model/gate", "Gate", "switch: a token goes to the expert it scores highest; noisy-top-k: to the highest few, of scores with noise; hierarchical: to the highest few of the highest few groups, of scores with noise; gshard: to the highest, and to the second by a draw on its weight; expert-choice: each expert takes the tokens that score highest, later ones of the text too; capped-expert-choice: the same, but a token is spread over few of them.", {}, TextField([](L& l) -> std::string& { return l.model.gate; }), "switch,noisy-top-k,hierarchical,gshard,expert-choice,capped-expert-choice"},
    {"/model/top_k", "Top k", "Experts of each token, with the gate noisy-top-k; with hierarchical, of each of its groups.", "experts", IntegerField([](L& l) -> int& { return l.model.topK; }), {}, {}, 2, 16, "with one expert the gate's weight is always 1 and it learns nothing; more are for dense models"},
    {"/model/expert_groups", "Expert groups", "Groups of neighbouring experts, among which the gate hierarchical chooses first; divides experts.", "groups", IntegerField([](L& l) -> int& { return l.model.expertGroups; }), {}, {}, 2, 512, "a gate chooses among two or more, of two experts or more each"},
    {"/model/top_groups", "Top groups", "Groups of each token, with the gate hierarchical; it goes to top_k experts in each.", "groups", IntegerField([](L& l) -> int& { return l.model.topGroups; }), {}, {}, 2, 16, "with one group the weight of groups is always 1 and is not learned; more are for dense models"},
    {"/model/token_experts", "Token experts", "Most experts of a token, with the gate capped-expert-choice: so many in the assignment of tokens to experts, of which each expert then takes the largest.", "experts", IntegerField([](L& l) -> int& { return l.model.tokenExperts; }), {}, {}, 1, 1024, "a token may be taken by an expert"},
    {"/model/entropy", "Entropy", "Weight of the assignment's entropy, with the gate capped-expert-choice: the larger, the more evenly tokens are shared out, and the sooner it is found.", {}, NumberField([](L& l) -> double& { return l.model.entropy; }), {}, {}, 0.1, 100, "with less the assignment is found too slowly"},
    {"/model/capacity", "Capacity", "Places of all experts for each place that the tokens of a sample ask for. Who finds its expert full is dropped: it passes the block by unchanged. With expert-choice and capped-expert-choice: experts of a token on average.", {}, NumberField([](L& l) -> double& { return l.model.capacity; }), {}, {}, 0.05, 1024, "an expert has a place, and no more of them than a sample has tokens"},
    {"/model/balance", "Balance", "Weight of the loss that evens out the experts' load: of n·Σ f·p with the gate switch (share of the tokens times mean probability), the same of first choices with gshard; of the squared coefficient of variation of the gates' sums with noisy-top-k and hierarchical. 0: none.", {}, NumberField([](L& l) -> double& { return l.model.balance; }), {}, {}, 0, 100, "a negative weight would drive all tokens to one expert"},
    {"/model/expert_dropout", "Expert dropout", "Share of activations set to zero within experts while training; where experts see few tokens each, more of it than elsewhere.", {}, NumberField([](L& l) -> double& { return l.model.expertDropout; }), {}, {}, 0, 0.99, "it is a share, and something must be left"},
    {"/model/image", "Image", "Pixels of an image's side, for cnn; divides by 2 as often as there are layers.", "pixels", IntegerField([](L& l) -> int& { return l.model.image; }), {}, {}, 2, 1024, "it can be halved, and the maps of a block stay countable"},
    {"/model/channels", "Channels", "Numbers of a pixel, for cnn: 1 is grey, 3 are colours.", {}, IntegerField([](L& l) -> int& { return l.model.channels; }), {}, {}, 1, 64, "a pixel has at least one number"},
    {"/model/convolutions", "Convolutions", "Convolutions with ReLU in each block of cnn, before its max-pool.", {}, IntegerField([](L& l) -> int& { return l.model.convolutions; }), {}, {}, 1, 16, "a block has one at least, and each has weights of its own"},
    {"/model/classes", "Classes", "Kinds of images that cnn tells apart.", {}, IntegerField([](L& l) -> int& { return l.model.classes; }), {}, {}, 2, 65536, "a single class is known without looking, and classes are numbered with 16 bits"},

    {"/data/kind", "Data", "generator: built-in seeded text; text: a UTF-8 file; tokens: .bin files of 16-bit tokens, as nanoGPT and llm.c write them.", {}, TextField([](L& l) -> std::string& { return l.data.kind; }), "generator,text,tokens", "images"},
    {"/data/path", "File", "UTF-8 file for data of kind text; a .bin file or a folder of them for tokens. Relative to the layout file.", {}, TextField([](L& l) -> std::string& { return l.data.path; })},
    {"/data/tokenizer", "Tokenizer", "How text becomes tokens; bytes: one token a byte; gpt2: byte pairs merged as GPT-2 does.", {}, TextField([](L& l) -> std::string& { return l.data.tokenizer; }), "bytes,gpt2"},
    {"/data/tokenizer_path", "Tokenizer files", "Folder with vocab.json and merges.txt, for the gpt2 tokenizer.", {}, TextField([](L& l) -> std::string& { return l.data.tokenizerPath; })},
    {"/data/last_batch", "Last batch", "An epoch's last windows, where they fill no global batch. carry: the next epoch's first fill it up; pad: its own first come a second time; drop: they are left out.", {}, TextField([](L& l) -> std::string& { return l.data.lastBatch; }), "carry,pad,drop"},
    {"/data/validation", "Validation", "Share of the text that is kept for validation.", {}, NumberField([](L& l) -> double& { return l.data.validation; }), {}, {}, 0, 0.5, "at least half of the text is for training"},

    {"/cluster/hosts", "Hosts", "Machines and how many devices each gives.", {}, HostListField([](L& l) -> std::vector<HostSpec>& { return l.cluster.hosts; }), {}, {}, 1, mostRanks, degree},
    {"/cluster/device", "Device", "What the ranks compute on.", {}, TextField([](L& l) -> std::string& { return l.cluster.device; }), "cpu,cuda"},
    {"/cluster/agent", "Agent", "Program that runs a command on another host, with its arguments; {host} stands for the host, which else comes last. Empty: ssh.", {}, TextField([](L& l) -> std::string& { return l.cluster.agent; })},
    {"/cluster/network", "Network", "Networks (10.1.0.0/16) or interfaces (ib0) that join the hosts, with commas; empty: any that is up.", {}, TextField([](L& l) -> std::string& { return l.cluster.network; })},
    {"/cluster/pace", "Paced", "Ranks wait until a modelled device would have finished; shows larger clusters on few cores.", {}, PaceField([](L& l) -> std::optional<PaceSpec>& { return l.cluster.pace; })},
    {"/cluster/pace/device", "Modelled device", "Device whose time is modelled.", {}, TextField([](L& l) -> std::string& { return l.cluster.pace->device; })},
    {"/cluster/pace/step_seconds", "Step lasts", "Seconds that one step is slowed to, to watch it. What is told of it are the device's own times.", "s", NumberField([](L& l) -> double& { return l.cluster.pace->stepSeconds; }), {}, {}, 0.001, 3600, "a step must be long enough to wait for and short enough to watch"},

    {"/parallel/data", "Data", "Replicas of the model; each trains on its share of the batch.", "replicas", IntegerField([](L& l) -> int& { return l.parallel.data; }), {}, {}, 1, mostRanks, degree},
    {"/parallel/pipeline", "Pipeline", "Ranks that the layers are spread over.", "ranks", IntegerField([](L& l) -> int& { return l.parallel.pipeline; }), {}, {}, 1, mostRanks, degree},
    {"/parallel/tensor", "Tensor", "Ranks that share each layer's matrices.", "ranks", IntegerField([](L& l) -> int& { return l.parallel.tensor; }), {}, {}, 1, mostRanks, degree},
    {"/parallel/expert", "Expert", "Of the data ranks, so many neighbours spread the experts of gpt-moe over themselves and send each other tokens; divides data and experts. No ranks on top: the product of the other degrees is the number of devices.", "ranks", IntegerField([](L& l) -> int& { return l.parallel.expert; }), {}, {}, 1, mostRanks, degree},
    {"/parallel/context", "Context", "Ranks that share the tokens of each sample; keys and values of the attention go round them in a ring.", "ranks", IntegerField([](L& l) -> int& { return l.parallel.context; }), {}, {}, 1, mostRanks, degree},
    {"/parallel/sequence", "Sequence parallel", "Split norms along the sequence inside a tensor group.", {}, BooleanField([](L& l) -> bool& { return l.parallel.sequence; })},
    {"/parallel/partition", "Partition", "With ZeRO 3. flat: every replica has a part of every layer, gathered when it is used (FSDP); layers: each layer is one replica's, who sends it to the others when it is used and is sent their gradients.", {}, TextField([](L& l) -> std::string& { return l.parallel.partition; }), "flat,layers"},
    {"/parallel/zero", "ZeRO", "What data replicas share out: 1 optimizer state, 2 gradients too, 3 parameters too.", {}, IntegerField([](L& l) -> int& { return l.parallel.zero; }), {}, {}, 0, 3, "ZeRO has the stages 0 to 3"},
    {"/parallel/bucket", "Bucket", "Megabytes of gradients that are reduced together, while the backward goes on; 0: all of a stage after its backward. ZeRO 2 and 3 go layer by layer.", "MB", NumberField([](L& l) -> double& { return l.parallel.bucket; }), {}, {}, 0, 1e6, "a bucket holds at least one layer, and 0 stands for none"},
    {"/parallel/all_reduce", "All-reduce", "How gradients are averaged. backend: the communicator's own; ring: 2(n−1) hops round the replicas, each an event.", {}, TextField([](L& l) -> std::string& { return l.parallel.allReduce; }), "backend,ring"},
    {"/parallel/exchange", "Exchange", "What replicas exchange, and with whom. allreduce: all average their gradients, and each updates; server: the first replica gathers the gradients, updates, and sends the weights back; async-server: the first does nothing else, and takes the gradient of one worker at a time, when it comes; easgd: each trains by itself, and one a step pulls at a common centre, and is pulled by it; hogwild: all write the same weights in the memory of one host, without a lock.", {}, TextField([](L& l) -> std::string& { return l.parallel.exchange; }), "allreduce,server,async-server,easgd,hogwild"},

    {"/schedule/kind", "Schedule", "Order of forwards and backwards in the pipeline.", {}, TextField([](L& l) -> std::string& { return l.schedule.kind; }), },
    {"/schedule/chunks", "Chunks", "Virtual stages of each pipeline rank.", "per rank", IntegerField([](L& l) -> int& { return l.schedule.chunks; }), {}, {}, 1, 1024, "there is at least one, and actions number stages with 16 bits"},
    {"/schedule/stages", "Layers per stage", "Layers of each stage in order; empty splits evenly.", "layers", IntegerListField([](L& l) -> std::vector<int>& { return l.schedule.stages; }), {}, {}, 1, 10000, "every stage holds at least one layer"},
    {"/schedule/in_flight", "In flight", "Most microbatches a rank holds at once, for schedules that take a limit (zb-greedy); 0: as many as the pipeline has ranks.", "microbatches", IntegerField([](L& l) -> int& { return l.schedule.inFlight; }), {}, {}, 0, 16777216, "microbatches are counted, and actions number them with 24 bits"},
    {"/schedule/actions", "By hand", "What each pipeline rank computes, in its order, for the schedule custom: F forward, B backward, or I and W its input and weight gradient.", {}, TextListField([](L& l) -> std::vector<std::string>& { return l.schedule.actions; })},
    {"/schedule/vertical_sync", "Vertical sync", "A microbatch uses one weight version in all stages, at the price of more stashed versions; for pipedream.", {}, BooleanField([](L& l) -> bool& { return l.schedule.verticalSync; })},

    {"/batch/global", "Global batch", "Samples of one optimizer step over all replicas.", "samples", IntegerField([](L& l) -> int& { return l.batch.global; }), {}, {}, 1, 16777216, "there is at least one sample, and actions number microbatches with 24 bits"},
    {"/batch/micro", "Microbatch", "Samples that go through the pipeline together.", "samples", IntegerField([](L& l) -> int& { return l.batch.micro; }), {}, {}, 1, 65536, sizes},

    {"/precision/compute", "Compute", "Number format of activations, their gradients, and what products read; sums are taken in fp32.", {}, TextField([](L& l) -> std::string& { return l.precision.compute; }), "fp32,bf16,fp16", "fp8"},
    {"/precision/weights", "Weights", "Where compute has 16 bits. master: 16 bits, and a copy in fp32 that is updated (O2); fp32: fp32 alone, rounded for every product (O1); alone: 16 bits alone (O3).", {}, TextField([](L& l) -> std::string& { return l.precision.weights; }), "master,fp32,alone"},
    {"/precision/gradients", "Gradients", "Number format in which the gradients of weights are summed up.", {}, TextField([](L& l) -> std::string& { return l.precision.gradients; }), "compute,fp32"},
    {"/precision/loss_scale", "Loss scale", "What the loss is multiplied by before backward, so that small gradients do not vanish. dynamic: halved at every overflow, doubled after some steps without one.", {}, TextField([](L& l) -> std::string& { return l.precision.lossScale; }), "none,static,dynamic"},
    {"/precision/scale", "Scale", "Loss scale, where it is static; where dynamic, that of the first step. Below 1 it makes gradients as small as those of a larger batch, to see what 16 bits lose.", {}, NumberField([](L& l) -> double& { return l.precision.scale; }), {}, {}, 1e-9, 16777216, "fp16 ends at 65504, and a gradient that is nothing teaches nothing"},
    {"/precision/scale_window", "Scale doubles after", "Steps without an overflow after which a dynamic scale is doubled.", "steps", IntegerField([](L& l) -> int& { return l.precision.scaleWindow; }), {}, {}, 1, int32, "steps are counted"},

    {"/optimizer/kind", "Optimizer", "adamw: Adam with decoupled weight decay; adamw-8bit: the same with its moments in 8 bits, in blocks of 256 that share a scale: 2 bytes a parameter instead of 8; sgd: gradient descent with momentum; adafactor, sm3: of each matrix they keep one number a row and one a column, instead of one or two an element.", {}, TextField([](L& l) -> std::string& { return l.optimizer.kind; }), "adamw,adamw-8bit,sgd,adafactor,sm3", "adam"},
    {"/optimizer/learning_rate", "Learning rate", "Size of an update.", {}, NumberField([](L& l) -> double& { return l.optimizer.learningRate; }), {}, {}, 1e-12, 10, "nothing is learned without a step, and larger ones diverge"},
    {"/optimizer/warmup", "Warm-up", "Steps over which the learning rate rises to its value.", "steps", IntegerField([](L& l) -> int& { return l.optimizer.warmup; }), {}, {}, 0, int32, "steps are counted"},
    {"/optimizer/schedule", "Rate schedule", "How the learning rate falls from the end of the warm-up to the last step. constant: not at all; cosine: half a wave; linear: a straight line.", {}, TextField([](L& l) -> std::string& { return l.optimizer.schedule; }), "constant,cosine,linear"},
    {"/optimizer/minimum", "Least rate", "Learning rate of the last step, where it falls.", {}, NumberField([](L& l) -> double& { return l.optimizer.minimum; }), {}, {}, 0, 10, "below nothing, updates would go uphill"},
    {"/optimizer/betas", "Betas", "Decay of AdamW's first and second moment.", {}, NumberListField([](L& l) -> std::vector<double>& { return l.optimizer.betas; }), {}, {}, 0, 0.99999999, "a moment that keeps everything never forgets its start"},
    {"/optimizer/epsilon", "Epsilon", "Added to the root of AdamW's second moment.", {}, NumberField([](L& l) -> double& { return l.optimizer.epsilon; }), {}, {}, 1e-16, 1, "it keeps the quotient finite"},
    {"/optimizer/momentum", "Momentum", "Share of the last update that SGD repeats, or of the mean of updates that SM3 takes; 0 keeps no state for it.", {}, NumberField([](L& l) -> double& { return l.optimizer.momentum; }), {}, {}, 0, 0.99999999, "an update that repeats itself fully never ends"},
    {"/optimizer/decay_rate", "Decay rate", "Adafactor's: in update t its sums of squares keep 1 − t^−rate of what they were; 0: nothing.", {}, NumberField([](L& l) -> double& { return l.optimizer.decayRate; }), {}, {}, 0, 1, "above 1 the first updates would be remembered for ever"},
    {"/optimizer/clip_threshold", "Clip threshold", "Largest root mean square of one parameter's update by Adafactor, before the learning rate; a larger update is scaled down to it.", {}, NumberField([](L& l) -> double& { return l.optimizer.clipThreshold; }), {}, {}, 1e-3, 1e6, "an update of nothing teaches nothing"},
    {"/optimizer/weight_decay", "Weight decay", "Pull towards zero per unit of learning rate, of matrices and embeddings; biases and norms are left alone.", {}, NumberField([](L& l) -> double& { return l.optimizer.weightDecay; }), {}, {}, 0, 10, "a negative pull grows the weights without end"},
    {"/optimizer/clip", "Clip", "Largest norm of the gradient of the whole model, over all ranks; a longer one is scaled down to it. 0 leaves it as it is.", {}, NumberField([](L& l) -> double& { return l.optimizer.clip; }), {}, {}, 0, 1e9, "a norm is not negative"},
    {"/optimizer/loss_weight", "Loss weight", "What the loss is multiplied by before its gradient is taken, as that of one task among several is. AdamW takes it out again, down to its epsilon; what 16 bits lost of the gradient it does not bring back.", {}, NumberField([](L& l) -> double& { return l.optimizer.lossWeight; }), {}, {}, 1e-12, 1e6, "a loss without weight teaches nothing, and fp32 ends at 3e38"},
    {"/optimizer/elastic_rho", "Elastic ρ", "For easgd: how strongly a replica's weights and the centre pull each other, per unit of learning rate; at the largest learning rate, rate × ρ is the share of their distance that one exchange takes from each.", {}, NumberField([](L& l) -> double& { return l.optimizer.elasticRho; }), {}, {}, 0, 1e6, "a pull is not negative"},

    {"/memory/recompute", "Recompute", "Activations that a backward computes again instead of keeping them. selective: attention's probabilities; full: all but each block's input; every: all but the input of each segment of some blocks; sqrt: of segments as long as the root of the stage's blocks. With ZeRO 3 the weights of a segment are gathered once for both.", {}, TextField([](L& l) -> std::string& { return l.memory.recompute; }), "none,selective,full,sqrt,every"},
    {"/memory/recompute_every", "Recompute every", "Blocks of a segment, of which only the input is kept; for recompute every.", "blocks", IntegerField([](L& l) -> int& { return l.memory.recomputeEvery; }), {}, {}, 1, 10000, "a segment has at least one block"},
    {"/memory/partition_activations", "Partition inputs", "Where segments are computed again, each rank of a tensor group keeps only its part of a segment's input, and all gather the parts before the segment is computed again (ZeRO-R). Sequence parallelism splits inputs anyway.", {}, BooleanField([](L& l) -> bool& { return l.memory.partitionActivations; })},
    {"/memory/activations", "Activations", "How a cnn keeps for its backward what its forward made (Gist). kept: as it is; lossless: of what is pooled 4 bits for each four numbers, which is all that its backward needs; lossy-16, lossy-10, lossy-8: besides, what is convolved in so many bits, from the moment that the forward has read it.", {}, TextField([](L& l) -> std::string& { return l.memory.activations; }), "kept,lossless,lossy-16,lossy-10,lossy-8"},
    {"/memory/offload", "Offload", "optimizer: the optimizer's state and its weights in fp32 lie in the host's memory and are updated there by the processor; gradients go to it over the device's link as soon as they are whole, and the updated weights come back (ZeRO-Offload). With 16 bits the device keeps 4 of AdamW's 16 bytes per parameter. For allreduce, schedules that flush, and adamw, adamw-8bit or sgd.", {}, TextField([](L& l) -> std::string& { return l.memory.offload; }), "none,optimizer"},
    {"/memory/swap", "Swap", "activations: what a forward leaves for its backward goes to the host's memory over the device's link as soon as the forward is done, and comes back one action before the backward, where at least two other actions lie between them (GeePS). With recomputation that is the inputs of segments. Of schedules without a flush, and where workers go on by themselves, none.", {}, TextField([](L& l) -> std::string& { return l.memory.swap; }), "none,activations"},

    {"/run/steps", "Steps", "Optimizer steps of the run.", "steps", IntegerField([](L& l) -> int& { return l.run.steps; }), {}, {}, 1, int32, "a run has at least one step"},
    {"/run/seed", "Seed", "Start of every random stream: weights and data.", {}, LongField([](L& l) -> std::int64_t& { return l.run.seed; })},
    {"/run/validate_every", "Validate every", "Steps between validations; 0: only after the last step.", "steps", IntegerField([](L& l) -> int& { return l.run.validateEvery; }), {}, {}, 0, int32, "steps are counted"},
    {"/run/validation_batches", "Validation batches", "Global batches of one validation.", "batches", IntegerField([](L& l) -> int& { return l.run.validationBatches; }), {}, {}, 1, 1000000, "a mean needs at least one batch"},
    {"/run/deadline", "Deadline", "Seconds after which a rank that stands still within a step ends the run, with a report; 0: from how long steps take.", "s", IntegerField([](L& l) -> int& { return l.run.deadline; }), {}, {}, 0, 86400, "a run that stood still for more than a day would be noticed by people first"},
    {"/run/max_restarts", "Restarts", "How often a run whose ranks die or hang goes on from its last checkpoint; 0: it ends.", "times", IntegerField([](L& l) -> int& { return l.run.maxRestarts; }), {}, {}, 0, 1000, "what fails a thousand times will fail again"},
    {"/run/min_data", "Fewest replicas", "Elastic: where ranks or hosts are lost, or when it is asked to, the run goes on from its newest checkpoint with fewer replicas, down to this many, and later with up to parallel.data again; batch and losses stay. 0: always parallel.data.", "replicas", IntegerField([](L& l) -> int& { return l.run.minData; }), {}, {}, 0, mostRanks, "replicas are counted, and events number ranks with 16 bits"},
    {"/run/faults", "Faults on purpose", "What a rank does to itself once so many steps are done: kill 1 after 12 (rank 1 dies), hang 1 after 12 (it stands still), slow 1 after 12 by 2.5 (from then on it computes 2.5 times as long).", {}, TextListField([](L& l) -> std::vector<std::string>& { return l.run.faults; })},
    {"/run/size_limit", "Size limit", "What the run file may grow to, in bytes (500 MB); 0: no limit, every event is kept. Near the limit the policy last-and-every holds: every step's figures stay, and so do the events of the last steps and of every k-th.", "bytes", LongField([](L& l) -> std::int64_t& { return l.run.sizeLimit; }), {}, {}, 0, 1e15, "a file has no negative size"},
    {"/run/keep_last", "Keep last", "With a size limit: so many steps at the end keep all their events.", "steps", IntegerField([](L& l) -> int& { return l.run.keepLast; }), {}, {}, 1, int32, "what just happened can be looked at"},
    {"/run/keep_every", "Keep every", "With a size limit: of the steps before the last ones every k-th, this k, keeps its events too; 0: none does. Where these no longer fit, k doubles.", "steps", IntegerField([](L& l) -> int& { return l.run.keepEvery; }), {}, {}, 0, int32, "steps are counted"},

    {"/checkpoint/every", "Every", "Steps between checkpoints, and one at the run's end; 0: only when asked for.", "steps", IntegerField([](L& l) -> int& { return l.checkpoint.every; }), {}, {}, 0, int32, "steps are counted"},
    {"/checkpoint/keep", "Keep", "Newest checkpoints that stay; older ones are removed.", "checkpoints", IntegerField([](L& l) -> int& { return l.checkpoint.keep; }), {}, {}, 1, 1000000, "the newest one always stays"},
    {"/checkpoint/path", "Folder", "Where checkpoints lie, relative to the layout file; empty: beside the run file.", {}, TextField([](L& l) -> std::string& { return l.checkpoint.path; })},
});
// clang-format on

}  // namespace

std::span<const Field> fields() { return table; }

const Field* findField(std::string_view pointer) {
    const auto found = std::ranges::find(table, pointer, &Field::pointer);
    return found == table.end() ? nullptr : &*found;
}

bool isPresent(const Field& field, const Layout& layout) {
    return layout.cluster.pace.has_value() || !field.pointer.starts_with("/cluster/pace/");
}

}  // namespace shardlab
