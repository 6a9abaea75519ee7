"""The language server: answers what can be read off the source code, and runs none of it."""
