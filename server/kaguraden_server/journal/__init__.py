"""The journal: what a server must not forget, in one SQLite file.

`entries` says what is written, `store` how the file is laid out and read, `writer` commits what all
rooms write in groups. What an entry means to a room or a user is told by `keeping` and `recovery`.
"""
