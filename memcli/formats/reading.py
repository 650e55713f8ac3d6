"""From a source to its messages: its format recognised, its setting made known, a zip's members one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.errors import InputUnreadable

from .base import Adaptable, Format, Message, Problem, Setting
from .detection import detect, named, recognise
from .opened import ZIP, Opened
from .sources import Source
from .zips import LARGEST_IN_ALL, Archive, Member, opened_zip

__all__ = ["read"]


def read(source: Source, format_name: str | None = None, *, all_branches: bool = False) -> Iterator[Message | Problem]:
    """The messages of `source` in order, and a `Problem` for each part that cannot be read as it stands.

    `format_name` overrides detection; an unknown one is a `UsageError` at once. `all_branches`: also those that an
    edited message has left behind. While reading, `InputUnreadable` is raised where nothing can be had: missing,
    empty, of no known format.
    """
    chosen = named(format_name) if format_name else None
    if source.is_zip() and source.path is not None:
        return _zip(source, source.path, chosen, all_branches)
    return _file(source, chosen, all_branches)


def _file(source: Source, chosen: Format | None, all_branches: bool) -> Iterator[Message | Problem]:
    with source.open(bytes.strip if chosen else recognise) as opened:
        if opened.head.startswith(ZIP):
            raise InputUnreadable(f"{source.label} is a zip in a pipe", "save it as a file and name that")
        found = chosen or detect(opened.head, source.label)
        any_record = False
        for record in _records(found, opened, source.label, source.setting(all_branches=all_branches)):
            any_record = True
            yield record
        if not any_record and not source.found:
            yield _nothing(source)


def _zip(source: Source, path: Path, chosen: Format | None, all_branches: bool) -> Iterator[Message | Problem]:
    source.bytes_done = 0
    with opened_zip(path, source.label) as archive:
        reading = _Members(archive, chosen, all_branches)
        any_record = False
        for record in reading.all(source):
            any_record = True
            yield record
        if not reading.recognised and not any_record:
            raise InputUnreadable(f"{source.label} has no transcript in it", "no member is of a known format")
        if not any_record and not source.found:
            yield _nothing(source)


class _Members:
    """Reads the transcripts among a zip's members, together no more than is sane."""

    def __init__(self, archive: Archive, chosen: Format | None, all_branches: bool) -> None:
        self.recognised = 0
        self._archive = archive
        self._only = len(archive.members) == 1
        self._chosen = chosen
        self._all_branches = all_branches
        self._unpacked = 0

    def all(self, source: Source) -> Iterator[Message | Problem]:
        """What can be read, then what must not be."""
        for member in self._archive.members:
            yield from self.read(member)
            source.advance(member.info.compress_size)
        yield from self.refused()

    def refused(self) -> Iterator[Problem]:
        """The members that must not be unpacked, a line for each reason."""
        refused: dict[str, list[str]] = {}
        for member in self._archive.members:
            if reason := member.why_refused():
                refused.setdefault(reason, []).append(member.label)
        for reason, labels in refused.items():
            more = f" (and {len(labels) - 1:,} more)" if len(labels) > 1 else ""
            yield Problem(labels[0], f"{reason}{more}")

    def read(self, member: Member) -> Iterator[Message | Problem]:
        """The messages of a member, if it is a transcript."""
        if member.why_refused():
            return
        try:
            found = self._chosen if self._chosen and self._only else member.recognised(self._chosen)
            if found is not None:
                self.recognised += 1
                yield from self._transcript(member, found)
        except InputUnreadable as error:
            yield Problem(member.label, error.message.removeprefix(f"{member.label} "))

    def _transcript(self, member: Member, found: Format) -> Iterator[Message | Problem]:
        self._unpacked += member.info.file_size
        if self._unpacked > LARGEST_IN_ALL:
            yield Problem(member.label, f"the zip would unpack to more than {LARGEST_IN_ALL:,} bytes")
            return
        with member.open() as opened:
            yield from _records(found, opened, member.label, member.setting(all_branches=self._all_branches))


def _records(found: Format, opened: Opened, label: str, setting: Setting) -> Iterator[Message | Problem]:
    reader = found.within(setting) if isinstance(found, Adaptable) else found
    yield from reader.read(opened.stream, label)
    if opened.failure:
        yield Problem(label, f"the rest cannot be read: {opened.failure}")


def _nothing(source: Source) -> Problem:
    return Problem(source.label, "no messages in it")
