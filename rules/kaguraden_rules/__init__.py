"""Card games as pure, deterministic state machines over plain values."""
