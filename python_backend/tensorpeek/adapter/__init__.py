"""The debug adapter: a DAP proxy in front of debugpy's own adapter.

`framing` and `channel` speak the protocol, `session` joins the client's side (`client_side`) and debugpy's
(`peer_side`); what neither handles by name is passed on untouched. Standard library only, and debugpy is only
ever seen as a process.
"""
