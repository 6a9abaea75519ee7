"""The wire contract: types generated from `wire.schema.json`, standard library only."""
