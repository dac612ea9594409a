# SPDX-License-Identifier: Apache-2.0
"""Reads with a trainer's own parser what shardlab export --for TARGET wrote, and prints what it understood as JSON.

Usage: python trainer_parsers.py TARGET FILE [NUMBER]. NUMBER is the replicas for deepspeed, the pipeline's ranks for a
layout string of megatron, all ranks for torchtitan and megatron-bridge. In FILE's place torchtitan_flavors and
torchtitan_03_flavors take a model, torchtitan_03 a folder with modules.
"""
import json
import os
import sys


def unique(model):
    return sum({id(p): p.numel() for p in model.parameters()}.values())


def experts(model):
    return any(getattr(layer, "moe_enabled", False) for layer in model.layers.values())


def torchtitan_flavors(name, _):
    """Parameters of each flavor of a model that torchtitan has."""
    import torch
    from torchtitan.config import ConfigManager
    from torchtitan.protocols.train_spec import get_train_spec

    spec, config = get_train_spec(name), ConfigManager().parse_args(["--training.seq_len", "2048"])
    found = {}
    for flavor, arguments in spec.model_args.items():
        arguments.update_from_config(config)
        with torch.device("meta"):
            found[flavor] = unique(spec.model_cls(arguments))
    return found


def torchtitan(file, ranks):
    import importlib
    from types import SimpleNamespace

    import torch
    from torchtitan.config import ConfigManager
    from torchtitan.distributed.dual_pipe_v import get_dual_pipe_v_flag
    from torchtitan.distributed.parallel_dims import ParallelDims
    from torchtitan.protocols.train_spec import get_train_spec

    config = ConfigManager().parse_args(["--job.config_file", file])
    if config.experimental.custom_import:
        sys.path.insert(0, os.path.dirname(file))
        importlib.import_module(config.experimental.custom_import)
    spec = get_train_spec(config.model.name)
    arguments = spec.model_args[config.model.flavor]
    arguments.update_from_config(config)
    with torch.device("meta"):
        model = spec.model_cls(arguments)
    p = config.parallelism
    dims = ParallelDims(
        p.data_parallel_replicate_degree, p.data_parallel_shard_degree, p.context_parallel_degree,
        p.tensor_parallel_degree, p.pipeline_parallel_degree, p.expert_parallel_degree,
        p.expert_tensor_parallel_degree, ranks)
    assert dims.ep == 1 or dims.dp_shard * dims.cp * dims.tp % (dims.ep * dims.etp) == 0, dims
    assert dims.pp == 1 or spec.pipelining_fn is not None, config.model.name
    get_dual_pipe_v_flag(config, SimpleNamespace(ep_enabled=dims.ep > 1, pp_enabled=dims.pp > 1))
    moe = next((layer.moe for layer in model.layers.values() if layer.moe_enabled), None) if experts(model) else None
    return {
        "parameters": unique(model),
        "family": config.model.name,
        "experts": [int(getattr(layer, "moe_enabled", False)) for layer in model.layers.values()],
        "router": [] if moe is None else [moe.router.num_experts, moe.router.top_k, moe.router.score_func,
                                          moe.router.route_norm, moe.router.route_scale, moe.load_balance_coeff or 0],
        "expert": p.expert_parallel_degree,
        "expert_tensor": p.expert_tensor_parallel_degree,
        "data": p.data_parallel_replicate_degree * p.data_parallel_shard_degree,
        "pipeline": p.pipeline_parallel_degree,
        "tensor": p.tensor_parallel_degree,
        "context": p.context_parallel_degree,
        "schedule": p.pipeline_parallel_schedule,
        "stages": [sum(n.startswith("layers.") for n in part) for part in p.module_fqns_per_model_part or []],
        "global": config.training.global_batch_size,
        "rate": config.optimizer.lr,
        "recompute": config.activation_checkpoint.mode,
        "option": config.activation_checkpoint.selective_ac_option,
        "offload": config.training.enable_cpu_offload,
        "seed": config.debug.seed,
    }


def torchtitan_03_flavors(name, _):
    """Parameters of each flavor without experts, and the longest sequence that it takes."""
    import importlib

    import torch

    module, found = importlib.import_module("torchtitan.models." + name), {}
    for flavor in getattr(module, name + "_configs"):
        model = module.model_registry(flavor).model
        if getattr(model.layers[0], "moe", None) is None:
            with torch.device("meta"):
                found[flavor] = [unique(model.build()), model.max_seq_len]
    return found


def torchtitan_03(folder, _):
    """What the first of the ranks makes of each module in a folder, in a process of its own."""
    import multiprocessing
    from pathlib import Path

    import torch

    # Ranks that exchange nothing compute nothing either: the processor will do, whatever else this machine has.
    torch._utils._get_available_device_type = lambda: "cpu"
    import torchtitan.trainer  # noqa: F401

    sys.path.insert(0, folder)
    os.chdir(folder)
    files = sorted(Path(folder).glob("*.py"))
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return dict(zip([file.stem for file in files], pool.map(torchtitan_03_module, files, chunksize=1)))


def torchtitan_03_module(file):
    import re
    from types import SimpleNamespace

    import torch
    from torch.testing._internal.distributed.fake_pg import FakeStore
    from torchtitan.components.quantization import Float8LinearConverter, MXFP8LinearConverter
    from torchtitan.config import ConfigManager
    from torchtitan.distributed import ParallelDims
    from torchtitan.distributed.pipeline_parallel import _split_module
    from torchtitan.distributed.utils import set_spmd_backend

    products = []

    def recorded(self):
        products.append(type(self).__qualname__.split(".")[0])
        return SimpleNamespace(convert=lambda model: model)

    # What converts the layers wants torchao and a GPU; its arguments are judged as all others.
    Float8LinearConverter.Config.build = MXFP8LinearConverter.Config.build = recorded

    command = re.search(r"torchrun --nnodes (\d+) --nproc-per-node (\d+) .*(--module \S+ --config \S+)", file.read_text())
    ranks = int(command[1]) * int(command[2])
    config = ConfigManager().parse_args(command[3].split())
    spec, p, t, lr = config.model_spec, config.parallelism, config.training, config.lr_scheduler
    torch.distributed.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())
    dims = ParallelDims.from_config(p, ranks)
    dims.build_mesh()
    assert t.seq_len % ((dims.tp if p.enable_sequence_parallel else 1) * (2 * dims.cp if dims.cp > 1 else 1)) == 0, dims
    assert t.global_batch_size % (t.local_batch_size * dims.dp_replicate * dims.dp_shard) == 0, t
    set_spmd_backend(p.spmd_backend)
    spec.model.update_from_config(config=config)
    with torch.device("meta"):
        model = spec.model.build()
    model.verify_module_protocol()
    # What the stages keep of the model is all of it together: every name is one of its modules.
    parts = [_split_module(model, names) for names in p.module_fqns_per_model_part or []]
    assert not parts or sum(map(unique, parts)) == unique(model), p.module_fqns_per_model_part
    (group,) = config.optimizer.param_groups
    layers = list(model.layers.values())
    moe = next((layer.moe for layer in layers if layer.moe_enabled), None) if experts(model) else None
    block = config.activation_checkpoint
    rope, attention = layers[0].attention.rope.config, spec.model.layers[0].attention
    told = {
        "parameters": unique(model),
        "family": spec.name,
        "flavor": spec.flavor,
        "experts": [int(getattr(layer, "moe_enabled", False)) for layer in layers],
        "router": [] if moe is None else [moe.router.num_experts, moe.router.top_k, moe.router.score_func,
                                          moe.router.route_norm, moe.router.route_scale, moe.load_balance_coeff or 0],
        "bases": [rope.theta, model.norm.eps],
        "scaling": {"none": [], "llama": [rope.scaling_factor, rope.low_freq_factor, rope.high_freq_factor,
                                          rope.original_max_position_embeddings],
                    "yarn": [rope.rope_factor, rope.beta_slow, rope.beta_fast, rope.original_seq_len,
                             rope.truncate]}[rope.scaling],
        "latent": [getattr(attention, size) for size in ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim",
                                                         "qk_rope_head_dim", "v_head_dim", "mscale")]
        + [attention.kv_norm.eps] if hasattr(attention, "kv_lora_rank") else [],
        "windows": [getattr(layer.attention, "sliding_window_size", None) or t.seq_len for layer in spec.model.layers],
        "sinks": [len(layers[0].attention.sinks), layers[0].moe.routed_experts.inner_experts.swiglu_limit]
        if hasattr(layers[0].attention, "sinks") else [],
        "expert": p.expert_parallel_degree,
        "copies": p.data_parallel_replicate_degree,
        "data": p.data_parallel_replicate_degree * p.data_parallel_shard_degree,
        "pipeline": p.pipeline_parallel_degree,
        "tensor": p.tensor_parallel_degree,
        "sequence": p.enable_sequence_parallel,
        "context": p.context_parallel_degree,
        "schedule": p.pipeline_parallel_schedule,
        "csv": p.pipeline_parallel_schedule_csv,
        "microbatch": p.pipeline_parallel_microbatch_size,
        "stages": [sum(n.startswith("layers.") for n in part) for part in p.module_fqns_per_model_part or []],
        "global": t.global_batch_size,
        "local": t.local_batch_size,
        "clip": 0 if t.max_norm == float("inf") else t.max_norm,
        "compute": t.mixed_precision_param,
        "adamw": [group.optimizer_name == "AdamW", *group.optimizer_kwargs["betas"], group.optimizer_kwargs["eps"],
                  group.optimizer_kwargs["weight_decay"]],
        "rate": group.optimizer_kwargs["lr"],
        "schedule of rates": [lr.warmup_steps, "constant" if lr.decay_ratio == 0 else lr.decay_type],
        "least rate": lr.min_lr_factor * group.optimizer_kwargs["lr"],
        "recompute": "none" if block is None else type(block).__qualname__.split(".")[0],
        "offload": t.enable_cpu_offload,
        "checkpoint": [config.checkpoint.interval, config.checkpoint.keep_latest_k,
                       config.checkpoint.enable_first_step_checkpoint, config.checkpoint.folder]
        if config.checkpoint.enable else [],
        "products": products,
        "seed": config.debug.seed,
    }
    together = {"parallel_dims": dims, "training": t, "parallelism": p, "compile_config": config.compile,
                "ac_config": block, "dump_folder": "."}
    if dims.pp > 1:
        _, parts, _, _ = spec.pipelining_fn(
            model, device=torch.device("cpu"), model_config=spec.model, parallelize_fn=spec.parallelize_fn,
            loss_fn=config.loss.build(compile_config=config.compile), **together)
    else:
        parts = [spec.parallelize_fn(model, **together)]
    lr.build(optimizers=config.optimizer.build(model_parts=parts), training_steps=t.steps)
    return told


def deepspeed(file, replicas):
    import deepspeed.runtime.config as parser

    class Mpu:
        def get_data_parallel_world_size(self):
            return replicas

    parser.dist.get_rank = lambda: 0
    config = parser.DeepSpeedConfig(file, mpu=Mpu())
    fp16 = config.float16_config
    return {
        "global": config.train_batch_size,
        "micro": config.train_micro_batch_size_per_gpu,
        "zero": config.zero_optimization_stage,
        "clip": config.gradient_clipping,
        "rate": config.optimizer_params["lr"],
        "scheduler": config.scheduler_name,
        "compute": "fp16" if fp16.enabled else "bf16" if config.bfloat16_config.enabled else "autocast"
        if config.torch_autocast_enabled else "fp32",
        "offload": config.zero_config.offload_optimizer is not None,
        "parameters": config.zero_config.offload_param is not None,
        "pipeline": config.pipeline["stages"],
    }


def accelerate(file, _):
    from accelerate.commands.config import load_config_from_file
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils.launch import _filter_args, prepare_multi_gpu_env
    from torch.distributed import run

    load_config_from_file(file)
    arguments = launch_command_parser().parse_args(
        ["--config_file", file, "--main_process_ip", "n1", "--main_process_port", "29517", "train.py"])
    arguments, _, _ = _validate_launch_command(arguments)
    prepare_multi_gpu_env(arguments)
    started = _filter_args(arguments, run.get_args_parser(), ["--training_script", "train.py"])
    return {
        "meeting": run.get_rdzv_endpoint(started),
        "ranks": arguments.num_processes,
        "machines": arguments.num_machines,
        "format": arguments.mixed_precision,
        "fsdp": bool(arguments.use_fsdp),
        "deepspeed": bool(arguments.use_deepspeed),
        "zero": arguments.zero_stage,
        "offload": str(arguments.fsdp_offload_params).lower() == "true",
        "tensor": arguments.parallelism_config_tp_size if arguments.use_parallelism_config else 1,
    }


def megatron(text, ranks):
    from megatron.core.transformer.enums import LayerType
    from megatron.core.transformer.pipeline_parallel_layer_layout import PipelineParallelLayerLayout

    made = PipelineParallelLayerLayout(text, ranks)
    stages = []
    for chunk in range(made.virtual_pipeline_model_parallel_size):
        for rank in range(ranks):
            stages.append(made.layout[rank][chunk].count(LayerType.decoder))
    made.validate_layer_layout(sum(stages), None)
    return {"stages": stages}


class Part(type):
    """Whatever is asked of a stand-in is a class without content."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Part(name, (), {})


def stand_in(*packages):
    """What is built on a machine with a GPU alone, and plays no part in what a recipe says, need not be there."""
    import importlib.abc
    import importlib.machinery
    import importlib.metadata
    import types

    # Megatron-Core knows by itself that they are missing.
    import megatron.core.distributed
    import megatron.core.models.gpt.gpt_layer_specs
    import megatron.core.optimizer  # noqa: F401

    # Its layers of Transformer Engine are mocks then, of which NeMo's classes cannot inherit.
    layers = sys.modules.get("megatron.core.extensions.transformer_engine")
    for name, value in list(vars(layers).items()) if layers else ():
        if name.startswith("TE") and not isinstance(value, type):
            setattr(layers, name, type(name, (), {}))

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in packages:
                return importlib.machinery.ModuleSpec(name, self, is_package=True)

        def create_module(self, spec):
            module = types.ModuleType(spec.name)
            module.__path__, module.__version__ = [], "99.0"
            module.__getattr__ = lambda name: getattr(Part("part", (), {}), name)
            return module

        def exec_module(self, module):
            pass

    real = importlib.metadata.version
    importlib.metadata.version = lambda name: "99.0" if name.replace("-", "_") in packages else real(name)
    sys.meta_path.append(Finder())


def recipe_in(file):
    import runpy

    return runpy.run_path(file)


def megatron_bridge(file, ranks):
    os.environ["WORLD_SIZE"] = str(ranks)
    stand_in("transformer_engine", "modelopt", "defusedxml")
    from megatron.bridge.training.config import runtime_config_update

    config = recipe_in(file)["config"]
    runtime_config_update(config)
    model = config.model
    return {
        "layers": model.num_layers,
        "data": config.data_parallel_size,
        "pipeline": model.pipeline_model_parallel_size,
        "tensor": model.tensor_model_parallel_size,
        "context": model.context_parallel_size,
        "global": config.train.global_batch_size,
        "rate": config.optimizer.lr,
        "seed": config.rng.seed,
        "zero": config.ddp.use_distributed_optimizer,
        "bucket": (config.ddp.bucket_size or 0) if config.ddp.overlap_grad_reduce else 0,
        "bf16": model.bf16,
        "fp16": model.fp16,
        "softmax": model.softmax_type,
        "limit": model.activation_func_clamp_value or 0,
        "offset": model.glu_linear_offset,
        "vocabulary": model.vocab_size or 0,
        "window": [0, 0] if model.window_size is None else [model.window_size[0] + 1, model.window_attn_skip_freq],
        "yarn": model.yarn_rotary_scaling_factor if model.position_embedding_type == "yarn" else 0,
    }


def nemo(file, _):
    stand_in("transformer_engine", "modelopt", "leptonai")
    import fiddle
    from megatron.core.models.common.embeddings import rope_utils

    rope_utils.fused_apply_rotary_pos_emb = print  # what NeMo's models ask for, and Transformer Engine has

    recipe = recipe_in(file)["recipe"]
    # The trainer itself wants GPUs and a process group: its parts are built, its own arguments were judged by name.
    model, optimizer = fiddle.build(recipe.model.config), fiddle.build(recipe.optim)
    strategy, plugin = fiddle.build(recipe.trainer.strategy), fiddle.build(recipe.trainer.plugins)
    fiddle.build(recipe.trainer.callbacks)
    fiddle.build(recipe.log)
    return {
        "layers": model.num_layers,
        "pipeline": strategy.pipeline_model_parallel_size,
        "tensor": strategy.tensor_model_parallel_size,
        "context": strategy.context_parallel_size,
        "global": recipe.data.global_batch_size,
        "rate": optimizer.config.lr,
        "zero": optimizer.config.use_distributed_optimizer,
        "bf16": plugin.dtype_config.bf16,
        "fp16": plugin.dtype_config.fp16,
    }


target, file = sys.argv[1], sys.argv[2]
number = int(sys.argv[3]) if len(sys.argv) > 3 else 1
# Whatever the libraries say of missing GPUs goes elsewhere.
answer = os.dup(1)
os.dup2(2, 1)
made = globals()[target.replace("-", "_")](file, number)
os.write(answer, (json.dumps(made) + "\n").encode())
