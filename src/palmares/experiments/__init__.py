"""The papers' experiments, each run again beside what was published.

Listing them imports nothing; `palmares.experiments.base.reproduce` runs one.
"""

from __future__ import annotations

from ..registry import Entry, Registry

_HERE = "palmares.experiments"

#: Every experiment, by paper.
EXPERIMENTS = Registry(
    "experiment",
    {
        "hm13-perplexity": Entry(f"{_HERE}.hm13:PERPLEXITY", "perplexity of eight models against training size"),
        "hm13-crowd": Entry(f"{_HERE}.hm13:CROWD", "perplexity of models trained on the crowd or on experts"),
        "hm13-abilities": Entry(f"{_HERE}.hm13:ABILITIES", "abilities ± sd over five trainings, heat map"),
        "s14-ranking": Entry(f"{_HERE}.s14_ranking:RANKING", "WMT13 French–English by expected wins"),
        "s14-accuracy": Entry(f"{_HERE}.s14_accuracy:ACCURACY", "accuracy and perplexity against training size"),
        "s14-nway": Entry(f"{_HERE}.s14_nway:NWAY", "accuracy of TrueSkill trained on N-way matches"),
        "s14-selection": Entry(f"{_HERE}.s14_selection:SELECTION", "which pairs TrueSkill chooses to compare"),
        "s14-clusters": Entry(f"{_HERE}.s14_clusters:CLUSTERS", "number of clusters against judgments"),
        "s14-boxes": Entry(f"{_HERE}.s14_clusters:BOXES", "rank boxes of TrueSkill at 1k and 25k judgments"),
        "k12-win-ratios": Entry(f"{_HERE}.k12_win_ratios:WIN_RATIOS", "win ratios of real and simulated campaigns"),
        "k12-curves": Entry(f"{_HERE}.k12_curves:CURVES", "share of separated pairs against judgments, σ fitted"),
        "k12-methods": Entry(f"{_HERE}.k12_methods:RANKING", "errors of three ranking methods against judgments"),
        "k12-bounds": Entry(f"{_HERE}.k12_bounds:BOUNDS", "rank ranges and clusters by sign tests and bootstrap"),
        "k12-campaigns": Entry(f"{_HERE}.k12_campaigns:CAMPAIGNS", "ranges and clusters of two rebuilt campaigns"),
        "k12-judgments": Entry(f"{_HERE}.k12_judgments:JUDGMENTS", "judgments needed to separate a share of pairs"),
        "w14-data": Entry(f"{_HERE}.w14_tables:DATA", "amount of data: from rankings to judgments"),
        "w14-accuracy": Entry(f"{_HERE}.w14_accuracy:ACCURACY", "accuracy of three models over 100 folds"),
        "w14-models": Entry(f"{_HERE}.w14_models:MODELS", "order and clusters of three models side by side"),
        "w14-head-to-head": Entry(f"{_HERE}.w14_tables:HEAD_TO_HEAD", "scores from the published win percentages"),
        "w14-quality-sentences": Entry(f"{_HERE}.w14_quality:SENTENCES", "quality of sentences: what prints imply"),
        "w14-quality-words": Entry(
            f"{_HERE}.w14_quality:WORD_LEVEL", "quality of words: scores from prints and labels"
        ),
        "w14-medical": Entry(f"{_HERE}.w14_medical:SCORES", "medical translation: claims against printed scores"),
        "w14-retrieval": Entry(f"{_HERE}.w14_medical:SEARCHES", "translated queries beside reference translations"),
        "o16-baselines": Entry(f"{_HERE}.o16:BASELINES", "agreement with gold scores by size, model and baseline"),
        "o16-noise": Entry(f"{_HERE}.o16:NOISE", "agreement with gold scores where judges answer at random"),
        "o16-information": Entry(f"{_HERE}.o16_information:INFORMATION", "item information of two segments"),
    },
)
