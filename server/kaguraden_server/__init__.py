"""The house: connections, lobby, rooms, clocks, bots' seats and what HTTP answers."""
