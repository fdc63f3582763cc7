"""One request's course: stages are told, and it can be stopped from outside."""

import threading
import time

import pytest

from graphrag.domain.request_course import Course, Stopped, following, made_once, present_course
from graphrag.retrieve.pipeline import StageClock


def test_stages_are_told_as_they_begin_and_end() -> None:
    told: list[tuple[str, bool]] = []
    clock = StageClock()
    course = Course(lambda name, milliseconds: told.append((name, milliseconds is None)))
    with following(course), clock.stage("search"), clock.stage("embed"):
        pass
    assert told == [("search", True), ("embed", True), ("embed", False), ("search", False)]
    assert set(clock.milliseconds) == {"search", "embed"}


def test_a_stage_inside_another_is_not_counted_twice() -> None:
    clock = StageClock()
    with clock.stage("route"):
        with clock.stage("embed"):
            time.sleep(0.05)
        with clock.stage("embed"):
            time.sleep(0.05)
    assert clock.milliseconds["embed"] >= 100 > clock.milliseconds["route"]


def test_no_stage_begins_once_it_is_stopped() -> None:
    course = Course()
    with following(course), StageClock().stage("search"):
        course.stop()
        with pytest.raises(Stopped), StageClock().stage("generate"):
            pytest.fail("it began")


def test_what_blocks_is_interrupted_once_and_at_once_when_that_is_late() -> None:
    course, calls = Course(), []
    course.interrupt_by(lambda: calls.append("early"))
    course.stop()
    course.stop()
    course.interrupt_by(lambda: calls.append("late"))
    assert calls == ["early", "late"]


def test_what_blocked_an_ended_request_is_left_alone() -> None:
    course, calls = Course(), []
    with following(course):
        course.interrupt_by(lambda: calls.append("too late"))
    course.stop()
    assert calls == []


def test_each_thread_has_its_own_course_and_none_outside() -> None:
    course = Course()
    outside = present_course()
    seen: list[Course] = []
    with following(course):
        thread = threading.Thread(target=lambda: seen.append(present_course()))
        thread.start()
        thread.join()
        assert present_course() is course
    assert seen == [outside] == [present_course()]
    outside.interrupt_by(lambda: pytest.fail("nobody stops it"))
    outside.check()


class Slow:
    made = 0

    @made_once
    def value(self) -> list[int]:
        type(self).made += 1
        threading.Event().wait(0.05)
        return [self.made]


def test_what_is_made_once_is_made_once_for_all_threads() -> None:
    slow, found = Slow(), []
    begin = threading.Barrier(8)

    def ask() -> None:
        begin.wait()
        found.append(slow.value)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Slow.made == 1 and all(value is found[0] for value in found)
    assert isinstance(Slow.value, made_once)
