"""The exported page in a real browser: Debian's chromium, headless, driven by Playwright."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, sync_playwright

from memcli.cli.boundary import run
from memcli.cli.graph_export import to_html
from memcli.model import Edge, UnitId
from memcli.store.graph import Node, Subgraph
from tests.conftest import SAMPLE

pytestmark = pytest.mark.browser

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
HOSTILE = '</script><img src=x onerror="window.owned = 1"><script>window.owned = 1</script> \' " & \u2028 <b>bold</b>'
PATIENCE = 30.0


def node(id_: str, kind: str, text: str, community: int | None = None) -> Node:
    at = datetime(2024, 5, 8, 18, 42, tzinfo=UTC)
    return Node(UnitId(id_), kind, text, "s:1", at, "Ann", 0, community)


def sample() -> Subgraph:
    """A session of two rounds of two turns with two sentences each, one of them hostile."""
    nodes = [node("s:1", "session", "Garden talk")]
    edges = []
    for r in range(2):
        nodes.append(node(f"r:{r}", "round", f"Round {r}"))
        edges.append(Edge(UnitId(f"r:{r}"), UnitId("s:1"), "membership"))
        for t in (f"{r}0", f"{r}1"):
            nodes.append(node(f"t:{t}", "turn", HOSTILE if t == "11" else f"Turn {t} about tomatoes"))
            edges.append(Edge(UnitId(f"t:{t}"), UnitId(f"r:{r}"), "membership"))
            for n in (f"{t}0", f"{t}1"):
                nodes.append(node(f"n:{n}", "sentence", f"Sentence {n}", community=r))
                edges.append(Edge(UnitId(f"n:{n}"), UnitId(f"t:{t}"), "membership"))
    edges.append(Edge(UnitId("n:000"), UnitId("n:110"), "similar", 0.75))
    return Subgraph(tuple(nodes), tuple(edges), len(nodes), len(edges))


def people() -> Subgraph:
    """Ann and Bo speak of tea; Ann alone of Leeds; each has said a sentence."""
    names = {
        "person Ann": "Ann\n9 turns",
        "person Bo": "Bo\n4 turns",
        "topic 0": "tea, cup\n2 sentences",
        "thing L": "Leeds",
    }
    nodes = [Node(UnitId(id_), id_.split()[0], text, "", None, "", 0, None) for id_, text in names.items()]
    nodes += [node("n:1", "sentence", "A cup of tea"), node("n:2", "sentence", HOSTILE)]
    joined = [
        ("person Ann", "person Bo", "talks with", 3.0), ("person Ann", "topic 0", "speaks of", 1.0),
        ("person Bo", "topic 0", "speaks of", 1.0), ("person Ann", "thing L", "speaks of", 1.0),
        ("n:1", "topic 0", "about", 1.0), ("n:1", "person Bo", "said by", 1.0),
        ("n:2", "thing L", "about", 1.0), ("n:2", "person Ann", "said by", 1.0),
    ]  # fmt: skip
    edges = [Edge(UnitId(src), UnitId(dst), relation, weight) for src, dst, relation, weight in joined]
    return Subgraph(tuple(nodes), tuple(edges), len(nodes), len(edges))


@dataclass
class Seen:
    """What a page asked for and complained of."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.fail("the page is tested in a real browser, and there is none: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1200, "height": 800}, color_scheme="dark", reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def page(context: BrowserContext, tmp_path: Path, seen: Seen) -> Page:
    """The sample graph's page, its layout at rest."""
    page = context.new_page()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.complaints.append(message.text))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    return opened(page, tmp_path, sample())


def opened(page: Page, folder: Path, graph: Subgraph) -> Page:
    file = folder / "graph.html"
    file.write_text(to_html(graph), encoding="utf-8")
    page.goto(file.as_uri())
    wait(lambda: ask(page, "settled()"))
    return page


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of an evaluation."""
    out = tmp_path_factory.mktemp("evaluation")
    asked = ("--strategy", "bm25,random", "--limit", "12", "--embedder", "fake", "--workers", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(out / "cache"))
        assert run(["eval", str(SAMPLE / "questions.json"), *asked, "--out", str(out)]) == 0
    return out / "report.html"


@pytest.mark.parametrize("width", [400, 1200])
def test_an_evaluation_is_one_page_without_scripts_or_requests(
    context: BrowserContext, report: Path, width: int
) -> None:
    seen, page = Seen(), context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.complaints.append(message.text))
    page.goto(report.as_uri())
    assert page.locator("svg").count() == 4
    assert page.locator("svg polyline").count() == 4  # two strategies, turns and sessions
    assert page.locator("tbody tr").count() == 4
    bar = page.locator("svg rect").first.bounding_box()
    assert bar is not None
    assert bar["width"] > 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (seen.requests, seen.complaints) == ([page.url], [])


def ask(page: Page, what: str) -> Any:
    return page.evaluate(f"window.memcliGraph.{what}")


def wait(condition: Callable[[], object]) -> None:
    """The page's policy forbids what Playwright's own waiting needs: evaluating strings."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "the page took too long"
        time.sleep(0.02)


def place(page: Page, id_: str) -> tuple[float, float]:
    at = ask(page, f"screen({id_!r})")
    return at["x"], at["y"]


def pixels(page: Page) -> list[int]:
    """The brightness of the drawing's pixels, one in a hundred."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[int] = page.evaluate(
        """() => {
            const canvas = document.querySelector("canvas");
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            return Array.from({ length: data.length / 40 }, (_, at) => data[at * 40 + 3]);
        }"""
    )
    return found


def empty_spot(page: Page) -> tuple[float, float]:
    """A place on the canvas far from every node and every panel."""
    taken = [place(page, n.id) for n in sample().nodes]
    spots = [(x, y) for x in range(360, 1100, 30) for y in range(60, 760, 30)]
    return max(spots, key=lambda spot: min((spot[0] - x) ** 2 + (spot[1] - y) ** 2 for x, y in taken))


def test_it_asks_for_nothing_and_complains_of_nothing(page: Page, seen: Seen) -> None:
    page.mouse.move(*place(page, "s:1"))
    page.click("[data-do=scheme]")
    page.click("[data-paint=community]")
    assert [url.split("/")[-1] for url in seen.requests] == ["graph.html"]
    assert seen.complaints == []


def test_the_policy_stops_what_it_should(page: Page, seen: Seen) -> None:
    page.evaluate(
        """() => {
            const image = document.createElement("img");
            image.src = "https://example.invalid/a.png";
            document.body.append(image);
            const script = document.createElement("script");
            script.textContent = "window.owned = 1";
            document.body.append(script);
        }"""
    )
    wait(lambda: len(seen.complaints) >= 2)
    assert all("Content Security Policy" in complaint for complaint in seen.complaints)
    assert page.evaluate("window.owned") is None


def test_it_draws(page: Page) -> None:
    assert sum(alpha > 0 for alpha in pixels(page)) > 50


def test_every_node_is_in_sight_and_apart(page: Page) -> None:
    spots = [place(page, n.id) for n in sample().nodes]
    assert all(0 < x < 1200 and 0 < y < 800 for x, y in spots)
    apart = [(a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for i, a in enumerate(spots) for b in spots[:i]]
    assert min(apart) > 10**2


def test_the_layout_brings_what_is_joined_together(page: Page) -> None:
    def far(a: str, b: str) -> float:
        return math.dist(place(page, a), place(page, b))

    assert far("n:000", "t:00") < far("n:000", "t:01")
    assert far("t:10", "r:1") < far("t:10", "r:0")


def test_the_wheel_zooms_around_the_pointer(page: Page) -> None:
    x, y = place(page, "r:0")
    before = ask(page, "transform()")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    wait(lambda: ask(page, "transform()")["k"] > before["k"] * 1.2)
    assert place(page, "r:0") == pytest.approx((x, y), abs=1)
    page.mouse.wheel(0, 900)
    wait(lambda: ask(page, "transform()")["k"] < before["k"])


def test_dragging_pans(page: Page) -> None:
    x, y = empty_spot(page)
    before, shape = ask(page, "transform()"), place(page, "s:1")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 25, steps=5)
    page.mouse.up()
    after = ask(page, "transform()")
    assert (after["k"], after["x"], after["y"]) == pytest.approx(
        (before["k"], before["x"] + 40, before["y"] + 25), abs=3
    )
    assert place(page, "s:1") == pytest.approx((shape[0] + 40, shape[1] + 25), abs=3)
    assert ask(page, "pinned()") is None


def test_a_node_can_be_dragged(page: Page) -> None:
    x, y = place(page, "s:1")
    before = ask(page, "transform()")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    moved = place(page, "s:1")
    page.mouse.up()
    assert moved == pytest.approx((x + 60, y), abs=6)
    assert ask(page, "transform()") == before


def test_hovering_tells_what_was_said(page: Page) -> None:
    assert not page.is_visible("#tip")
    page.mouse.move(*place(page, "t:00"))
    assert ask(page, "hovered()") == "t:00"
    assert [line for line in page.inner_text("#tip").splitlines() if line] == [
        "turn · Ann · 8 May 2024 18:42",
        "Turn 00 about tomatoes",
    ]
    page.mouse.move(*empty_spot(page))
    assert not page.is_visible("#tip")


def test_hostile_text_is_only_text(page: Page, seen: Seen) -> None:
    page.mouse.move(*place(page, "t:11"))
    assert page.text_content("#tip p") == HOSTILE
    page.mouse.click(*place(page, "t:11"))
    assert page.text_content("#detail > p") == HOSTILE
    assert page.evaluate("window.owned") is None
    assert page.evaluate("document.querySelectorAll('img, b:not(.key b), script').length") == 2  # our own two scripts
    assert seen.complaints == []


def test_a_click_pins_and_lights_up_the_neighbours(page: Page) -> None:
    before = pixels(page)
    page.mouse.click(*place(page, "t:00"))
    assert ask(page, "pinned()") == "t:00"
    assert "3 NEIGHBOURS" in page.inner_text("#detail").upper()
    page.mouse.move(*empty_spot(page))
    assert pixels(page) != before
    page.click("#detail .near >> nth=1")
    assert ask(page, "pinned()") in {"r:0", "n:000", "n:001"}
    page.keyboard.press("Escape")
    assert ask(page, "pinned()") is None
    assert not page.is_visible("#detail")


def test_the_legend_hides_a_kind(page: Page) -> None:
    key = page.locator("#kinds .key[data-name=sentence]")
    assert key.inner_text().split() == ["sentence", "8"]
    before = pixels(page)
    key.click()
    assert key.get_attribute("aria-pressed") == "false"
    assert not any(id_.startswith("n:") for id_ in ask(page, "visible()"))
    assert pixels(page) != before
    page.mouse.move(*place(page, "n:001"))
    assert ask(page, "hovered()") != "n:001"
    key.click()
    assert len(ask(page, "visible()")) == len(sample().nodes)


def test_the_legend_hides_a_relation(page: Page) -> None:
    before = pixels(page)
    page.click("#relations .key[data-name=membership]")
    assert pixels(page) != before


def test_the_search_finds_and_goes_there(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("TOMATOES 1")
    assert ask(page, "matches()") == ["t:01", "t:10"]
    assert page.inner_text("#found") == "2 matches"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert ask(page, "pinned()") == "t:10"
    assert page.inner_text("#found") == "2 of 2"
    x, y = place(page, "t:10")
    assert (x, y) == pytest.approx((580, 400), abs=40)
    page.keyboard.press("Escape")
    assert ask(page, "matches()") is None


def test_the_keyboard_moves_the_view(page: Page) -> None:
    page.focus("canvas")
    first = ask(page, "transform()")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    assert ask(page, "transform()")["k"] > first["k"]
    page.keyboard.press("0")
    assert ask(page, "transform()") == first


def test_the_buttons_zoom(page: Page) -> None:
    first = ask(page, "transform()")["k"]
    page.get_by_role("button", name="Zoom in").click()
    assert ask(page, "transform()")["k"] > first
    page.get_by_role("button", name="Show everything").click()
    assert ask(page, "transform()")["k"] == pytest.approx(first)


def test_light_and_dark(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(10, 13, 22)"
    page.emulate_media(color_scheme="light")
    wait(lambda: page.evaluate(ground) == "rgb(247, 246, 243)")
    page.get_by_role("button", name="Light or dark").click()
    wait(lambda: page.evaluate(ground) == "rgb(10, 13, 22)")


def test_everything_has_a_name(page: Page) -> None:
    assert page.get_by_role("searchbox", name="Search what was said").count() == 1
    assert page.get_attribute("canvas", "aria-label") == "Memory graph: 15 units · 15 edges"
    assert (
        page.evaluate(
            """[...document.querySelectorAll('button, input, select, textarea, a[href], canvas')].filter(
            (e) => !(e.getAttribute('aria-label') || e.innerText || (e.labels && e.labels.length) ||
                     e.getAttribute('aria-labelledby') || e.getAttribute('aria-hidden'))).map((e) => e.outerHTML)"""
        )
        == []
    )


FIRST = {"person Ann", "person Bo", "topic 0", "thing L"}


@pytest.fixture
def overview(context: BrowserContext, tmp_path: Path) -> Page:
    return opened(context.new_page(), tmp_path, people())


def test_people_topics_and_things_come_first(overview: Page) -> None:
    assert set(ask(overview, "visible()")) == FIRST
    assert overview.inner_text("#counts") == "2 people · 1 topic · 1 thing · 2 sentences"


def test_who_is_opened_stands_alone_with_what_belongs_to_it(overview: Page) -> None:
    before = {id_: place(overview, id_) for id_ in FIRST}
    overview.mouse.click(*place(overview, "person Bo"))
    assert set(ask(overview, "visible()")) == {"person Bo", "person Ann", "topic 0", "n:1"}
    told = [line for line in overview.inner_text("#detail").splitlines() if line][1:]
    assert told == [
        "person", "Bo", "4 turns", "PEOPLE", "Ann", "3 sessions", "TOPICS", "tea, cup", "1 sentence",
        "SENTENCES", "sentence · Ann · 8 May 2024 18:42", "A cup of tea",
    ]  # fmt: skip
    spots = [place(overview, id_) for id_ in ("person Bo", "person Ann", "topic 0", "n:1")]
    assert all(math.dist(one, other) > 30 for one in spots for other in spots if one is not other)
    assert all(300 < x < 860 and 0 < y < 800 for x, y in spots)  # between the panels
    overview.keyboard.press("Escape")
    assert set(ask(overview, "visible()")) == FIRST
    for id_ in FIRST:
        assert place(overview, id_) == pytest.approx(before[id_])


def test_the_keyboard_goes_from_one_to_the_next(overview: Page) -> None:
    overview.focus("canvas")
    reached = []
    for key in "nnnnnp":
        overview.keyboard.press(key)
        reached.append(ask(overview, "pinned()"))
    assert set(reached[:4]) == FIRST
    assert reached[4:] == [reached[0], reached[3]]
    assert reached[:2] == ["person Ann", "person Bo"]  # people first


def test_a_search_opens_what_a_sentence_belongs_to(overview: Page) -> None:
    overview.keyboard.press("/")
    overview.keyboard.type("cup of")
    overview.keyboard.press("Enter")
    assert ask(overview, "pinned()") == "n:1"
    assert set(ask(overview, "visible()")) == {"topic 0", "person Ann", "person Bo", "n:1"}


def test_an_empty_graph(context: BrowserContext, tmp_path: Path) -> None:
    complaints: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    opened(page, tmp_path, Subgraph((), (), 0, 0))
    page.mouse.click(600, 400)
    assert complaints == []


def test_three_thousand_nodes_come_to_rest(context: BrowserContext, tmp_path: Path) -> None:
    nodes = tuple(node(f"n:{i}", "sentence", f"Sentence {i}") for i in range(3000))
    edges = tuple(Edge(nodes[i].id, nodes[(i - 1) // 2].id, "similar", 0.6) for i in range(1, 3000))
    page = opened(context.new_page(), tmp_path, Subgraph(nodes, edges, 5000, 9000))
    spots = [ask(page, f"screen('n:{i}')") for i in (0, 1500, 2999)]
    assert all(0 < spot["x"] < 1200 and 0 < spot["y"] < 800 for spot in spots)
    assert page.inner_text("#counts") == "3,000 of 5,000 units · 2,999 edges"


def test_it_comes_to_rest_before_our_eyes_too(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    page = opened(context.new_page(), tmp_path, sample())
    assert ask(page, "ticks()") > 100
    context.close()


def test_on_a_narrow_screen_no_panel_hides_the_graph(context: BrowserContext, tmp_path: Path) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 400, "height": 760})
    opened(page, tmp_path, people())
    assert not page.locator("#kinds").is_visible()
    lies_between(page, page.locator("#head"), None)
    page.keyboard.press("n")
    lies_between(page, page.locator("#head"), page.locator("#detail"))
    page.locator("summary").click()
    assert page.locator("#kinds").is_visible()
    page.set_viewport_size({"width": 1200, "height": 760})
    assert page.locator("#relations").is_visible()
    assert not page.locator("summary").is_visible()


def lies_between(page: Page, above: Locator, below: Locator | None) -> None:
    head, detail = above.bounding_box(), below.bounding_box() if below else {"y": 760.0}
    assert head is not None
    assert detail is not None
    for id_ in ask(page, "visible()"):
        assert head["y"] + head["height"] <= ask(page, f"screen({id_!r})")["y"] <= detail["y"]


def test_of_many_sentences_it_says_how_many_are_left_out(context: BrowserContext, tmp_path: Path) -> None:
    whole = people()
    page = opened(context.new_page(), tmp_path, replace(whole, total_nodes=whole.total_nodes + 1_000))
    assert page.locator("#counts").inner_text().endswith("2 of 1,002 sentences")
