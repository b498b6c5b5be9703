"""The conformance kit: is a server, or a client, what protocol/README.md says it is?"""
