"""yumeochi: four hidden roles on a twelve-hour clock of face-down cards (rules/docs/yumeochi.md)."""
