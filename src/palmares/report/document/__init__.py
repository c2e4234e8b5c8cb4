"""Reports: everything about every language pair in one file, or a folder of pieces to paste.

`content` says what stands in a report, `sentences` and `method` in which words; `page`, `text` and `pieces` write it
down, and `embedded` is what a page carries so that `palmares verify` can make it again.
"""
