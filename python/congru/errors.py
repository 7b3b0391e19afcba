"""Exceptions that carry the library's text. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations


class Error(Exception):
    """What the library refused or could not do; the text says what, and ``status`` is the name of its code."""

    status: str = "CONGRU_OK"


class ArgumentError(Error, ValueError):
    """An argument, an option or the numbers of an array cannot be."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be, or holds what this version does not handle."""


class FileError(Error, OSError):
    """A file could not be opened, read or written."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class ConvergenceError(Error, ArithmeticError):
    """An iteration ended before it reached its tolerance."""


class CancelledError(Error):
    """A ``progress`` function returned False. What was done is in the results folder, and is taken up from there."""


class AlignmentWarning(UserWarning):
    """An estimator that aligns subjects was fitted without being told whose the trials are."""


#: The class of each status of the library, by its name; others are of ArgumentError. Read by the extension, in the interpreter
#: that a call comes from.
CLASSES = {
    "CONGRU_ERROR_MEMORY": OutOfMemoryError,
    "CONGRU_ERROR_IO": FileError,
    "CONGRU_ERROR_FORMAT": FormatError,
    "CONGRU_ERROR_UNSUPPORTED": FormatError,
    "CONGRU_ERROR_KIND": FormatError,
    "CONGRU_ERROR_NOT_CONVERGED": ConvergenceError,
    "CONGRU_ERROR_CANCELLED": CancelledError,
}
