"""Messages between Python and the front end: JSON, with arrays beside it as bytes.

The same messages go over a web socket, through a notebook, and into a file. One message is a dict;
arrays may stand anywhere in it. In JSON an array is ``{"$array": place, "dtype": ..., "shape":
...}``, and its bytes are the buffer in that place. A frame is one message as one block: the length
of the JSON (4 bytes, little endian), the JSON, and the buffers, each beginning at a multiple of 8.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Message = dict[str, Any]

# Typed arrays that JavaScript has; other arrays become one of them.
DTYPES = {"f4", "f8", "i4", "u4", "u2", "i2", "u1"}
ALIGNMENT = 8


def split(message: Message) -> tuple[Message, list[bytes]]:
    """Return a message as JSON can hold it, and the bytes of its arrays.

    Examples
    --------
    >>> split({"kind": "labels", "labels": np.array([1, -1], dtype=np.int32)})
    ({'kind': 'labels', 'labels': {'$array': 0, 'dtype': 'i4', 'shape': [2]}}, \
[b'\\x01\\x00\\x00\\x00\\xff\\xff\\xff\\xff'])
    """
    buffers: list[bytes] = []
    plain = _plain(message, buffers)
    assert isinstance(plain, dict)
    return plain, buffers


def _plain(value: Any, buffers: list[bytes]) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item, buffers) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, buffers) for item in value]
    if isinstance(value, np.ndarray):
        array, name = _as_typed(value)
        buffers.append(array.tobytes())
        return {"$array": len(buffers) - 1, "dtype": name, "shape": list(array.shape)}
    if isinstance(value, np.generic):
        return _plain(value.item(), buffers)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no such numbers
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def _as_typed(array: NDArray[Any]) -> tuple[NDArray[Any], str]:
    name = array.dtype.str[1:]
    if name not in DTYPES:
        name = "f8" if array.dtype.kind == "f" else "i4"
    return np.ascontiguousarray(array, dtype=f"<{name}"), name


def frame(message: Message) -> bytes:
    """Return a message as one block of bytes.

    Examples
    --------
    >>> frame({"kind": "end"})[4:]
    b'{"message":{"kind":"end"},"lengths":[]}'
    """
    plain, buffers = split(message)
    head = {"message": plain, "lengths": [len(each) for each in buffers]}
    text = json.dumps(head, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()
    parts = [len(text).to_bytes(4, "little"), text]
    at = 4 + len(text)
    for each in buffers:
        gap = -at % ALIGNMENT
        parts += [b"\0" * gap, each]
        at += gap + len(each)
    return b"".join(parts)
