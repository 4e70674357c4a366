"""The live page in a real browser, over the virtual board."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bridge.running import Running

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")
ALONE = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
PICTURE = "document.querySelector('canvas.panel').toDataURL()"
COLOURS = """(() => {
  const glass = document.querySelector('canvas.panel');
  const data = glass.getContext('2d').getImageData(0, 0, glass.width, glass.height).data;
  const pixel = (_, i) => data.slice(4 * i, 4 * i + 3).join();
  return new Set(Array.from({length: data.length / 4}, pixel)).size;
})()"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("home"), "--virtual")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ALONE.split())
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, desk: Running) -> Iterator[Callable[..., Any]]:
    contexts = []

    def opened(**options: Any) -> Any:
        # Waiting for a function in the page is an eval, which the page's own policy forbids.
        options = {"bypass_csp": True, "viewport": {"width": 1280, "height": 1100}, **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and page.problems.append(m.text))
        page.goto(f"{desk.url}/")
        page.wait_for_selector("#connection[data-state=open]")
        page.wait_for_selector(".board[data-link=live] canvas.panel")
        return page

    yield opened
    for context in contexts:
        context.close()


def test_a_posted_message_changes_the_canvas(
    open_page: Callable[..., Any], desk: Running, tmp_path: Path
) -> None:
    page = open_page()
    page.wait_for_function(f"{COLOURS} > 2")
    before = page.evaluate(PICTURE)
    page.fill("input[name=session]", "poster")
    page.select_option("select[name=state]", "alerting")
    page.fill("input[name=tips]", "It broke")
    page.press("input[name=tips]", "Enter")
    page.wait_for_function(f"{PICTURE} !== {before!r}")
    page.wait_for_function("document.getElementById('now').textContent === 'alerting: It broke'")
    label = page.get_attribute("canvas.panel", "aria-label")
    assert "alerting: It broke" in label
    assert page.inner_text("#messages li:first-child") == (
        '{"session_id":"poster","aoraBotId":"34","tips":"It broke"}'
    )
    row = page.locator(".session", has_text="poster")
    row.wait_for()
    assert "34" in row.inner_text() and "seat" in row.inner_text()
    page.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    assert page.problems == []
    desk.post({"session_id": "poster", "end": True})


def test_boards_are_told_apart(browser: Any, tmp_path: Path) -> None:
    """By what they are, and by their names where they have been given one."""
    boards = ["pico-generic", "pico-generic-round"]
    two = Running(tmp_path / "home", *(word for name in boards for word in ("--board", name)))
    page = browser.new_page(bypass_csp=True)
    heads = "[...document.querySelectorAll('.board h3')].map((h) => h.textContent).join()"
    try:
        page.goto(f"{two.url}/")
        page.wait_for_function(f"{heads} === 'pico-generic,pico-generic-round'")
        port = two.client.get("/healthz").json()["devices"][1]["port"]
        assert two.aora("set", "name=desk", "--port", port).returncode == 0
        page.wait_for_function(f"{heads} === 'pico-generic,pico-generic-round · desk'")
        for heading in ("pico-generic", "pico-generic-round · desk"):
            board = page.get_by_role("article", name=heading, exact=True)
            assert board.get_by_role("button", name="Button A").count() == 1
    finally:
        page.close()
        two.stop()


def test_the_canvas_is_the_board_pixel_by_pixel(
    open_page: Callable[..., Any], desk: Running
) -> None:
    import io

    from PIL import Image

    page = open_page()
    page.wait_for_function(f"{COLOURS} > 2")
    device = desk.client.get("/healthz").json()["devices"][0]["id"]
    for _ in range(50):  # the face moves: until both were taken of the same frame
        raw = desk.client.get(f"/devices/{device}/picture.png").content
        mine = Image.open(io.BytesIO(raw)).convert("RGB").tobytes()
        theirs = page.evaluate(
            """() => { const g = document.querySelector('canvas.panel');
            return Array.from(g.getContext('2d').getImageData(0, 0, g.width, g.height).data); }"""
        )
        if bytes(v for i, v in enumerate(theirs) if i % 4 != 3) == mine:
            return
    raise AssertionError("the page never showed the board's picture")


def test_buttons_press(open_page: Callable[..., Any]) -> None:
    page = open_page()
    page.evaluate(
        """() => { window.pressed = []; const events = new EventSource('events');
        events.addEventListener('device', (e) => { const d = JSON.parse(e.data);
        if (d.button) window.pressed.push(d.button.id); }); }"""
    )
    page.get_by_role("button", name="Button A").click()
    page.wait_for_function("window.pressed.includes('a')")


def test_a_hidden_page_hears_and_costs_nothing(
    open_page: Callable[..., Any], desk: Running
) -> None:
    page = open_page()
    page.wait_for_function(f"{COLOURS} > 2")
    page.evaluate(
        """() => { Object.defineProperty(document, 'hidden', {value: true, configurable: true});
        document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    before = page.evaluate(PICTURE)
    desk.post({"session_id": "unseen", "state": "listening", "tips": "Nobody looks"})
    page.wait_for_timeout(1500)
    assert page.evaluate(PICTURE) == before
    page.evaluate(
        """() => { delete document.hidden;
        document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    page.wait_for_function(f"{PICTURE} !== {before!r}")
    desk.post({"session_id": "unseen", "end": True})


def test_people_who_want_no_motion_get_still_pictures(
    open_page: Callable[..., Any], desk: Running
) -> None:
    page = open_page(reduced_motion="reduce")
    page.wait_for_function(f"{COLOURS} > 2")
    desk.post({"session_id": "still", "state": "working", "tips": "Still"})
    page.wait_for_function("document.getElementById('now').textContent === 'working: Still'")
    page.wait_for_timeout(800)
    pictures = set()
    for _ in range(10):
        pictures.add(page.evaluate(PICTURE))
        page.wait_for_timeout(100)
    assert len(pictures) <= 2
    desk.post({"session_id": "still", "end": True})


def test_everything_is_reached_by_keyboard(open_page: Callable[..., Any]) -> None:
    page = open_page(bypass_csp=False)
    reached = []
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.name || document.activeElement.textContent")
        )
    assert {"Skip to posting a message", "Button A", "session", "state", "tips", "Post"} <= set(
        reached
    )
    assert page.problems == []
