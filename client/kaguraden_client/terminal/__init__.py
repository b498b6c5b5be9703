"""The terminal client: `kaguraden play`."""
