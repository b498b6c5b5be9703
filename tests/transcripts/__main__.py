"""`python -m tests.transcripts` plays all scenes anew and writes protocol/transcripts/."""

from .scenes import FOLDER, SCENES, record

for name in SCENES:
    text = record(name)
    (FOLDER / f"{name}.jsonl").write_text(text, "utf-8")
    print(f"{name}: {text.count(chr(10))} lines, {len(text.encode()) / 1000:.0f} kB")
