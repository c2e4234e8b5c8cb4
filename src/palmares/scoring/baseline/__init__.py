"""The baseline of WMT's tasks of quality estimation: 17 features of a source and its translation, in a regression.

`words` prepares texts, `ngrams` counts and finds n-grams; `language_model`, `arpa` and `translations` are the resources
that `features` are measured with; `regression` learns, `model` predicts and is saved, `training` puts it together.
The door is `training.train`, `model.load` and what they return.
"""
