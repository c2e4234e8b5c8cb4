"""What is scored segment by segment: predictions of quality, translations, searches."""

from __future__ import annotations

from . import scores_quality, scores_retrieval, scores_translation


def main() -> None:
    scores_quality.main()
    scores_translation.main()
    scores_retrieval.main()


if __name__ == "__main__":
    main()
