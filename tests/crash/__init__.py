"""Servers that are killed, files that are cut and disks that fail: nothing acknowledged is lost."""
