"""What the front end gets: first the rows and the model, then answers to its questions.

A session does not know how messages travel. It answers one at a time, and it always answers: an
error is an answer, too. It answers about a model of its own, a copy, which nobody else changes: the
user's may go on learning meanwhile.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import resonart
from resonart import DensityART, ReadingCandidate
from resonart._shared.escape import escaped
from resonart._shared.words import count_of, unique_names
from resonart.reports.standing import standing_of

from ._choice import has_plane, has_tree, plane_message, readings_message
from ._messages import Message
from ._parameters import checked_parameters, live_parameters, python_lines, settled
from ._rows import Floats, Integers, ShownRows, followed_rows, in_words, nameless

# A changed parameter is tried on up to so many rows, within so many seconds. Where it takes longer,
# fewer categories give a preview.
MOST_LIVE = 20_000
QUICK = 0.15
ROWS_A_SECOND = 30_000  # of DensityART, at a guess, until it is known
QUICK_CATEGORIES = 1_000
# Most boxes that are drawn, and most numbers they may have; those with the most rows come first.
MOST_BOXES = 20_000
MOST_BOX_NUMBERS = 2_000_000
# Events of the diary that are sent.
MOST_EVENTS = 500
# Longest text of an error: it may quote what a page has sent.
MOST_SAID = 2_000
# Highest number of a question: what JavaScript counts exactly.
MOST_ASKED = 2**53

# Longest text that is shown of a row, and texts that stand for none, in Python and pandas.
MOST_TEXT = 200
NOTHING = ("", "None", "nan", "NaT", "<NA>")

CommandOf = Callable[[Any], str]
# Other columns of the rows, by name.
Texts = dict[str, NDArray[np.object_]]
Push = Callable[[Message], None]


class Held(NamedTuple):
    """A model as it was given, and a copy of that moment, which is shown."""

    given: Any
    own: Any

    @classmethod
    def of(cls, model: Any) -> Self:
        """Copy a model; the copy is of one moment, whatever other threads do to the model."""
        return cls(model, copy(model))


class Session:
    """One model, its rows, and the pages that show it."""

    def __init__(
        self,
        held: Held,
        rows: ShownRows,
        labels: Integers,
        *,
        classes: NDArray[Any] | None,
        texts: Texts,
        title: str,
        command_of: CommandOf | None,
    ) -> None:
        self.held = held
        self.rows = rows
        self._labels: Integers | None = labels
        self._shown: Integers = labels[rows.numbers]
        self.title = title
        self._classes = classes
        self.texts = texts
        self._command_of = command_of
        self._lock = threading.RLock()
        self._rules: dict[int, list[str]] | None = None
        self._kept: dict[str, Message] = {}  # answers that take long, of this model
        self._watching: list[Push] = []
        self._fitted_on = len(rows.all)
        self._is_quick = False
        self._seconds: float | None = None
        # If another reading was kept: the model as it was fitted, and the place of that reading.
        self._original: Held | None = None
        self._place: int | None = None
        # Where a stream is followed: how a page controls it, and what each scene says about it.
        self.control: Callable[[Message], Message] | None = None
        self.greeting: Callable[[], Message] = dict

    @property
    def model(self) -> Any:
        """The model that is shown: a copy, which nobody else changes."""
        return self.held.own

    @property
    def labels(self) -> Integers:
        """Clusters of all rows. They are computed here if so far only the rows shown had them."""
        with self._lock:
            if self._labels is None:
                with nameless(self.model):
                    self._labels = np.asarray(self.model.predict(self.rows.all), dtype=np.int64)
            return self._labels

    # ------------------------------------------------------------------ pages

    def watch(self, push: Push) -> None:
        """Send pushed messages here from now on."""
        with self._lock:
            self._watching.append(push)

    def leave(self, push: Push) -> None:
        """Stop sending pushed messages there, if that was begun."""
        with self._lock:
            if push in self._watching:
                self._watching.remove(push)

    def push(self, message: Message) -> None:
        """Send a message to all pages."""
        with self._lock:
            for each in self._watching:
                each(message)

    def is_watched(self) -> bool:
        """Tell whether any page is open."""
        return bool(self._watching)

    def changing(self) -> AbstractContextManager[object]:
        """Return the lock to hold for several changes: no question is answered between them."""
        return self._lock

    def serve(self, message: Any, tell: Push) -> None:
        """Answer a message of a page by ``tell``; one that has opened gets all that is pushed, too.

        All in one piece: what a page is told comes in the order in which it came about, and nothing
        comes before the scene.
        """
        with self._lock:
            reply = self.answer(message)
            if reply["kind"] == "scene" and tell not in self._watching:
                self.watch(tell)
            tell(reply)

    # ------------------------------------------------------------------ answers

    def answer(self, message: Any) -> Message:
        """Answer a message; its ``id`` comes back as ``re``."""
        reply: Message
        number = message.get("id") if isinstance(message, dict) else None
        is_number = isinstance(number, int) and abs(number) <= MOST_ASKED
        try:
            if not isinstance(message, dict) or not isinstance(message.get("kind"), str):
                raise ValueError("a message must be an object with a kind.")
            ask = getattr(self, f"on_{message['kind']}", None)
            if message["kind"] not in KINDS or ask is None:
                raise ValueError(f"there is no message of kind {message['kind']!r}.")
            with self._lock, nameless(self.model):
                reply = ask(message)
        except Exception as error:  # the page waits for an answer
            text = str(error) or type(error).__name__
            if not isinstance(error, (ValueError, TypeError, MemoryError, OSError)):
                text = f"{type(error).__name__}: {text} (This is a bug in resonart.)"
            if len(text) > MOST_SAID:
                text = f"{text[:MOST_SAID]} ..."
            reply = {"kind": "error", "text": escaped(" ".join(text.split()))}
        return {**reply, "re": number if is_number else None}

    def on_open(self, message: Message) -> Message:
        """Send rows and model."""
        return self.scene()

    def scene(self) -> Message:
        """Return rows and model, all that the page needs to begin."""
        with self._lock:
            return {
                "kind": "scene",
                "rows": self.rows.message(),
                "model": self.told_model(),
                **self.greeting(),
            }

    def on_explain(self, message: Message) -> Message:
        """Explain why a row is in its cluster."""
        place = _index(message, "row", len(self.rows.numbers))
        number = int(self.rows.numbers[place])
        found = self.model.explain(self.rows.all[number], feature_names=self._names())
        return {
            "kind": "explanation",
            "row": number,
            "label": found.label,
            "lines": str(found).split("\n"),
            "values": list(found.row),
            "texts": self.texts_of(number),
        }

    def texts_of(self, number: int) -> list[tuple[str, str]]:
        """Return what other columns say about a row, where they say anything."""
        told = ((name, str(column[number])) for name, column in self.texts.items())
        return [
            (escaped(name), escaped(text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"))
            for name, text in told
            if text not in NOTHING
        ]

    def on_rules(self, message: Message) -> Message:
        """Describe a cluster."""
        label = message.get("label")
        lines = self.rules().get(label if isinstance(label, int) else -2)
        if lines is None:
            raise ValueError(f"there is no cluster {label!r}.")
        return {"kind": "rules", "label": label, "lines": lines}

    def rules(self) -> dict[int, list[str]]:
        """Return the description of every cluster, line by line."""
        if self._rules is None:
            self._rules = self.model.describe(feature_names=self._names()).texts()
        return self._rules

    def on_readings(self, message: Message) -> Message:
        """Send the tree and the runners-up."""
        if not has_tree(self.model):
            raise ValueError(f"{type(self.model).__name__} has no density tree.")
        return self._once("readings", lambda: readings_message(self.model, self.rows.values))

    def on_plane(self, message: Message) -> Message:
        """Send the plane of vigilances."""
        if not has_plane(self.model) or not len(self.rows.all):
            raise ValueError(
                "vigilances can be tried only with rows. Open the data together with the model."
            )
        classes = None if self._classes is None else self._classes[self.rows.numbers]
        return self._once("plane", lambda: plane_message(self.model, self.rows.values, classes))

    def on_reading(self, message: Message) -> Message:
        """Keep another reading of the tree as the model."""
        told = self.on_readings({})
        place = _index(message, "reading", len(told["readings"]))
        given = told["readings"][place]
        candidate = ReadingCandidate(*(given[name] for name in ReadingCandidate._fields))
        original = self.held if self._original is None else self._original
        runners_up = original.own.choice_.runners_up
        if candidate in runners_up:
            at = runners_up.index(candidate)
            held = Held.of(original.own.with_reading(runners_up[at]))
            self.show(held, None, fitted_on=self._fitted_on, is_quick=self._is_quick)
            self._original, self._place = original, at
        else:
            self.show(original, None, fitted_on=self._fitted_on, is_quick=self._is_quick)
        return self._tell_model(message)

    def _tell_model(self, message: Message) -> Message:
        """Return the model that is shown now, and send it to the other pages, too."""
        told = {"kind": "model", "model": self.told_model()}
        if len(self._watching) > 1:  # the page that asked recognises it by the id
            self.push({**told, "of": message.get("id")})
        return told

    def _once(self, name: str, make: Callable[[], Message]) -> Message:
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    # ------------------------------------------------------------------ changing the model

    def on_fit(self, message: Message) -> Message:
        """Fit with other parameters.

        With ``quick``, a fit that would take too long is replaced by a preview, and ``is_quick`` of
        the answer says so. With ``all``, all rows are fitted, not just a sample.
        """
        if not len(self.rows.all):
            raise ValueError("there are no rows to fit. Open the data together with the model.")
        if _forgets_by_times(self.model):
            raise ValueError(
                "the model forgets rows by their times, which are not here. Change the parameter "
                "where the rows are learned: fit(X, time=...)."
            )
        params = settled(self.model, checked_parameters(self.model, message.get("params", {})))
        model = clone(self.model).set_params(**params)
        rows = self.rows.all
        if not message.get("all") and len(rows) > MOST_LIVE:
            taken = np.sort(np.random.default_rng(0).choice(len(rows), MOST_LIVE, replace=False))
            rows = rows[taken]
        expected = len(rows) / ROWS_A_SECOND if self._seconds is None else self._seconds
        is_quick = bool(message.get("quick")) and expected > QUICK
        is_quick = is_quick and has_tree(model) and len(rows) > QUICK_CATEGORIES
        fitted = clone(model)
        if is_quick:
            fitted.set_params(max_categories=min(QUICK_CATEGORIES, model.max_categories))
        began = time.perf_counter()
        fitted.fit(rows)
        seconds = time.perf_counter() - began
        if not is_quick:
            self._seconds = seconds
        names = getattr(self.model, "feature_names_in_", None)
        if names is not None:
            fitted.name_features(names)
        # After a fit on a sample, only the rows shown are labelled now; the others when needed.
        labels = fitted.labels_ if len(rows) == len(self.rows.all) else None
        if is_quick:  # the page shows the parameters that were asked for
            fitted.set_params(max_categories=model.max_categories)
        self.show(Held.of(fitted), labels, fitted_on=len(rows), is_quick=is_quick)
        return {**self._tell_model(message), "seconds": seconds}

    def show(
        self, held: Held, labels: Integers | None, *, fitted_on: int, is_quick: bool = False
    ) -> None:
        """Switch to another model of the same rows. Without labels, the model predicts them."""
        model = held.own
        if labels is not None:
            labels = np.asarray(labels, dtype=np.int64)
            shown = labels[self.rows.numbers]
        else:
            values = self.rows.values
            with nameless(model):
                shown = model.predict(values) if len(values) else np.empty(0, dtype=np.int64)
        self.held, self._labels = held, labels
        self._shown = np.asarray(shown, dtype=np.int64)
        if len(self._shown) == len(self.rows.all):
            self._labels = self._shown
        self._fitted_on, self._is_quick = fitted_on, is_quick
        self._original, self._place = None, None
        plane = self._kept.get("plane")
        self._rules, self._kept = None, {}
        if plane is not None and has_plane(model):
            self._kept["plane"] = plane  # it covers all vigilances

    def follow(self, held: Held, rows: Floats | None) -> None:
        """Switch to a model as it is now, and to the latest rows."""
        if rows is not None:
            self.rows = followed_rows(rows, self.rows)
            self.texts = {}  # of these rows nothing else is known
        self.show(held, None, fitted_on=len(self.rows.all))
        self._kept.clear()

    def on_labels(self, message: Message) -> Message:
        """Return the clusters of all rows."""
        return {"kind": "labels", "labels": self.labels.astype(np.int32)}

    def on_keep(self, message: Message) -> Message:
        """Return the model as a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.resonart")
            self.model.save(path, include_labels=False)
            with open(path, "rb") as file:
                content = file.read()
        return {
            "kind": "file",
            "name": "model.resonart",
            "content": np.frombuffer(content, dtype=np.uint8),
        }

    def on_control(self, message: Message) -> Message:
        """Pause, resume, or take one step of a stream."""
        if self.control is None:
            raise ValueError("no stream is followed here.")
        return self.control(message)

    # ------------------------------------------------------------------ the model

    def _names(self) -> list[str]:
        return [escaped(name) for name in self.rows.names]

    def told_model(self) -> Message:
        """Return the model as the front end needs it."""
        # Sizes count all rows if their labels are known, else the rows shown.
        model, shown = self.model, self._shown
        labels = shown if self._labels is None else self._labels
        categories = np.asarray(model.category_labels_)
        found, sizes = np.unique(labels, return_counts=True)
        of_rows = dict(zip(found.tolist(), sizes.tolist(), strict=True))
        owners, places, counts = np.unique(categories, return_inverse=True, return_counts=True)
        of_categories = dict(zip(owners.tolist(), counts.tolist(), strict=True))
        has_rows = bool(len(labels))
        weights = getattr(model, "faded_counts_", None)
        weights = np.asarray(model.counts_ if weights is None else weights, dtype=np.float64)
        sums = np.bincount(places, weights, minlength=len(owners))
        by_weight = dict(zip(owners.tolist(), sums.tolist(), strict=True))
        clusters = [
            {
                "label": label,
                "rows": of_rows.get(label, 0) if has_rows else round(by_weight.get(label, 0.0), 1),
                "categories": of_categories.get(label, 0),
            }
            for label in sorted({*of_rows, *(set(of_categories) - {-1})} - {-1})
        ]
        clusters.sort(key=lambda each: (-each["rows"], each["label"]))
        is_kept = self._place is not None
        agreement = None
        if self._classes is not None and has_rows:
            known = self._classes if self._labels is not None else self._classes[self.rows.numbers]
            agreement = float(adjusted_rand_score(known, labels))
        return {
            "title": self.title,
            "estimator": type(model).__name__,
            "version": resonart.__version__,
            "summary": self._summary(len(clusters), of_rows.get(-1, 0)),
            "clusters": clusters,
            "noise": of_rows.get(-1, 0),
            "labels": shown.astype(np.int32),
            "is_sample": len(self.rows.numbers) < len(self.rows.all),
            "boxes": self._boxes(categories, weights),
            "params": live_parameters(model),
            "choice": "tree" if has_tree(model) else "plane" if has_plane(model) else None,
            "why": str(getattr(model, "choice_", "") or ""),
            "python": python_lines(model, self._place),
            "command": None if self._command_of is None or is_kept else self._command_of(model),
            "is_kept_reading": is_kept,
            "agreement": agreement,
            "is_quick": self._is_quick,
            "is_part": self._fitted_on < len(self.rows.all),
            "note": self._note(),
            "events": _events(model, self._names()),
        }

    def _summary(self, n_clusters: int, n_noise: int) -> str:
        n_rows, n_features = self.rows.all.shape
        noise = f", {count_of(n_noise, 'row')} of noise" if n_noise else ""
        about = in_words(n_rows, n_features) if n_rows else count_of(n_features, "feature")
        return (
            f"{type(self.model).__name__}: {count_of(n_clusters, 'cluster')} in "
            f"{count_of(self.model.n_categories_, 'category')}{noise}; {about}"
        )

    def _note(self) -> str | None:
        if self._is_quick:
            return f"Preview from {QUICK_CATEGORIES:,} boxes; the full result follows."
        n_rows = len(self.rows.all)
        if self._fitted_on < n_rows:
            note = f"Fitted on a random sample of {self._fitted_on:,} of {n_rows:,} rows."
            known = self._labels is not None
            return note if known else f"{note} Cluster sizes count only the rows shown."
        return None

    def _boxes(self, categories: Integers, weights: Floats) -> Message:
        lower, upper = self.model.boxes_
        n_boxes, n_features = lower.shape
        most = min(MOST_BOXES, max(1, MOST_BOX_NUMBERS // max(n_features, 1)))
        taken = np.arange(n_boxes)
        if n_boxes > most:
            taken = np.sort(np.argsort(-weights, kind="stable")[:most])
        return {
            "n_all": n_boxes,
            "lower": self.rows.scaled(lower[taken]),
            "upper": self.rows.scaled(upper[taken]),
            "labels": categories[taken].astype(np.int32),
            "weights": weights[taken],
        }


KINDS = {
    *("open", "explain", "rules", "readings", "reading", "plane", "fit", "labels", "keep"),
    "control",
}


def _index(message: Message, name: str, n: int) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < n:
        raise ValueError(f"{name} must be a whole number from 0 to {n - 1}, got {value!r}.")
    return value


def _forgets_by_times(model: Any) -> bool:
    if not isinstance(model, DensityART) or (model.half_life is None and model.window is None):
        return False
    return standing_of(model).clock in ("time", "dates")


def _events(model: Any, names: list[str]) -> list[Message]:
    """Return the latest events of a model's diary, the newest first."""
    if not isinstance(model, DensityART):
        return []
    told = []
    for event in reversed(model.events_[-MOST_EVENTS:]):
        # By the names of the page, which may be others than the model has.
        place = dict(zip(unique_names(names), event.place.values(), strict=True))
        event = replace(event, place=place)
        told.append(
            {
                "text": str(event),
                "kind": event.kind,
                "label": event.label,
                "row": event.row,
            }
        )
    return told
