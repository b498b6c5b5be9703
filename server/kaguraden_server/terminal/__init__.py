"""Commands for who runs the server, in the very terminal that it runs in."""
