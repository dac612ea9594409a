# SPDX-License-Identifier: Apache-2.0
"""The one place that says which version of the package this is; the wheel and the programs take it from here."""
__version__ = "0.1.0"
