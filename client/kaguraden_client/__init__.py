"""The client: a session without I/O, shells that give it a connection, bots and a terminal client."""
