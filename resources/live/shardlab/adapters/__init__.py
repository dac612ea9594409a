# SPDX-License-Identifier: Apache-2.0
"""Trainers that keep the loop to themselves: each file here hands over what shardlab.watch() wants."""
