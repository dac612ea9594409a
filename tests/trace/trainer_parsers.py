# SPDX-License-Identifier: Apache-2.0
"""Reads with a trainer's own parser what shardlab export --for TARGET wrote, and prints what it understood as JSON.

Usage: python trainer_parsers.py TARGET FILE [NUMBER]. NUMBER is the replicas for deepspeed, the pipeline's ranks for a
layout string of megatron.
"""
import json
import os
import sys


def torchtitan(file, _):
    import importlib

    import torch
    from torchtitan.config import ConfigManager
    from torchtitan.protocols.train_spec import get_train_spec

    config = ConfigManager().parse_args(["--job.config_file", file])
    if config.experimental.custom_import:
        sys.path.insert(0, os.path.dirname(file))
        importlib.import_module(config.experimental.custom_import)
    spec = get_train_spec(config.model.name)
    arguments = spec.model_args[config.model.flavor]
    arguments.max_seq_len = config.training.seq_len
    parameters = None
    if arguments.n_layers * arguments.dim**2 < 10_000_000:
        with torch.device("meta"):
            model = spec.model_cls(arguments)
        parameters = sum({id(p): p.numel() for p in model.parameters()}.values())
    p = config.parallelism
    return {
        "parameters": parameters,
        "data": p.data_parallel_replicate_degree * p.data_parallel_shard_degree,
        "pipeline": p.pipeline_parallel_degree,
        "tensor": p.tensor_parallel_degree,
        "context": p.context_parallel_degree,
        "schedule": p.pipeline_parallel_schedule,
        "stages": [sum(n.startswith("layers.") for n in part) for part in p.module_fqns_per_model_part or []],
        "global": config.training.global_batch_size,
        "rate": config.optimizer.lr,
        "recompute": config.activation_checkpoint.mode,
        "seed": config.debug.seed,
    }


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
        "pipeline": config.pipeline["stages"],
    }


def accelerate(file, _):
    from accelerate.commands.config import load_config_from_file
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser

    load_config_from_file(file)
    arguments = launch_command_parser().parse_args(["--config_file", file, "train.py"])
    arguments, _, _ = _validate_launch_command(arguments)
    return {
        "ranks": arguments.num_processes,
        "machines": arguments.num_machines,
        "format": arguments.mixed_precision,
        "fsdp": bool(arguments.use_fsdp),
        "deepspeed": bool(arguments.use_deepspeed),
        "zero": arguments.zero_stage,
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


target, file = sys.argv[1], sys.argv[2]
number = int(sys.argv[3]) if len(sys.argv) > 3 else 1
# Whatever the libraries say of missing GPUs goes elsewhere.
answer = os.dup(1)
os.dup2(2, 1)
made = {"torchtitan": torchtitan, "deepspeed": deepspeed, "accelerate": accelerate, "megatron": megatron}[target](file, number)
os.write(answer, (json.dumps(made) + "\n").encode())
