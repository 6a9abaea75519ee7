"""Child processes: each is a session through an adapter of ours."""

from __future__ import annotations

from harness import DebugSession


def test_the_workers_of_a_data_loader(session: DebugSession) -> None:
    session.launch("workers.py", stops=["item", "total"])
    children = [session.next_child(60), session.next_child(60)]
    for child in children:
        assert child.configuration["type"] == "tensorpeek"
        assert child.configuration["name"] == "worker"
        assert child.client.events("tensorpeek/mode")[0]["mode"] == "active"
    items = []
    names: dict[int, str] = {}
    for child in children:
        for _ in range(2):
            child.wait_for_stop(60)
            items.append(child.locals()["item"]["value"])
            if not names.get(id(child)):
                names[id(child)] = child.client.next_event("tensorpeek/process")["name"]
            child.resume()
    assert sorted(names.values()) == ["worker 0", "worker 1"]
    assert sorted(items) == ["all 0 f32[3]", "all = 1 f32[3]", "all = 2 f32[3]", "all = 3 f32[3]"]
    session.wait_for_stop(60)
    assert session.locals()["total"]["value"] == "18.0"
    assert session.run_to_end(60) == 0


def test_a_process_with_a_rank(session: DebugSession) -> None:
    session.launch("ranks.py", stops=["rank"], tensorpeek={"valueBudgetMs": 7})
    child = session.next_child()
    assert child.configuration["name"] == "rank 3"
    assert child.configuration["tensorpeek"] == {"valueBudgetMs": 7}
    child.wait_for_stop()
    assert child.locals()["rank"]["value"] == "3"
    child.resume()
    child.client.next_event("terminated")
    assert session.run_to_end() == 0


def test_an_older_client_gets_the_event(session: DebugSession) -> None:
    session.capabilities["supportsStartDebuggingRequest"] = False
    session.launch("ranks.py")
    event = session.client.next_event("debugpyAttach")
    assert event["name"] == f"Subprocess {event['subProcessId']}"
    session.disconnect()


def test_without_children_when_asked(session: DebugSession) -> None:
    session.launch("ranks.py", subProcess=False)
    assert session.run_to_end() == 0
    assert session.client.reverse_requests() == []


def test_a_killed_parent_leaves_no_child(session: DebugSession) -> None:
    session.launch("workers.py", stops=["item"])
    child = session.next_child(60)
    child.wait_for_stop(60)
    session.disconnect()
    child.client.next_event("terminated")
