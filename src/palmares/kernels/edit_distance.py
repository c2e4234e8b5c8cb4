"""Edit distances of segments that are given as codes of words, all in one array, with the places where they begin."""

from __future__ import annotations

import numpy as np

from ..judgments import IntArray
from .compiling import compiled


@compiled()
def cder(
    hypotheses: IntArray, hypothesis_starts: IntArray, references: IntArray, reference_starts: IntArray
) -> IntArray:
    """The fewest edits with long jumps, of every segment (Leusch, Ueffing & Ney 2006).

    Every word of the reference is covered once, in order: by a word of the hypothesis, or at a cost of 1. From any
    place in the hypothesis to any other, a jump costs 1; it leaves out as many words as one likes, so that leaving out
    a single word needs no step of its own.

    Segment s of the hypotheses is ``hypotheses[hypothesis_starts[s]:hypothesis_starts[s + 1]]``.
    """
    segments = len(hypothesis_starts) - 1
    edits = np.empty(segments, dtype=np.int64)
    longest = 0
    for s in range(segments):
        longest = max(longest, hypothesis_starts[s + 1] - hypothesis_starts[s])
    before, row = np.empty(longest + 1, dtype=np.int32), np.empty(longest + 1, dtype=np.int32)
    one = np.int32(1)
    for s in range(segments):
        start, words = hypothesis_starts[s], hypothesis_starts[s + 1] - hypothesis_starts[s]
        before[0] = 0
        before[1 : words + 1] = 1  # a jump from the beginning
        for r in range(reference_starts[s], reference_starts[s + 1]):
            word = references[r]
            row[0] = before[0] + one
            least = row[0]
            for i in range(words):
                covered = before[i] + np.int32(hypotheses[start + i] != word)
                row[i + 1] = min(covered, before[i + 1] + one)
                least = min(least, row[i + 1])
            for i in range(words + 1):
                before[i] = min(row[i], least + one)
        edits[s] = before[words]
    return edits
