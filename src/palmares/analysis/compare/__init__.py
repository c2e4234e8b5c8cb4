"""``palmares compare``: which model predicts held-out judgments best, how many it needs, what noise costs it.

`run` has `compare`, `curves` has `learning_curve` and `noise_test`, `gold` compares scores with gold scores. What is
held out and scored is said in `testing`; one fit is scored in `heldout`, many are summed up in `standings` or `trials`.
"""
