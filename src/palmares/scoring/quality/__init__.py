"""Quality estimation: how well programs predict the quality of sentences and of words, and how much was post-edited.

`sentences` scores predictions of a number per sentence, on the scales of `scales`, read by `predictions`; its measures
that go by order are in `ordering`. `words` scores predictions of a label per word, read by `word_labels`, in the
typology of `typology`. `post_edits` measures HTER.
"""
