"""How who runs a server speaks to it: over a Unix socket, and in the server's own terminal."""
