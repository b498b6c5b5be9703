"""The language of Kaguraden: messages, how they are written and read, limits and codes.

Everything here is sans-I/O: text in, message out. Server and clients in Python share it; for any
other language `README.md` beside this package says the same in prose.
"""
