"""A page on this computer, for those who know its address, until it is closed."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from resonart._shared.require import require

from . import _front
from ._messages import Message, frame
from ._session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.websockets import WebSocket

WHAT = "The explorer in a browser"
HOST = "127.0.0.1"
# A page that is reloaded is away for a moment; one away for longer (seconds) was closed.
GRACE = 3.0
# Our pages send no longer messages.
MOST_BYTES = 1 << 16
# Pages that are open at the same time: each may have to be sent all rows.
MOST_PAGES = 32
# Close codes of web sockets: like HTTP's 403, "internal error" and "try again later".
REFUSED = 4403
BROKEN = 1011
TOO_MANY = 1013


class Server:
    """A server of one session at one secret address."""

    def __init__(self, session: Session, *, port: int = 0, grace: float = GRACE) -> None:
        require("starlette", WHAT, "explore")
        uvicorn = require("uvicorn", WHAT, "explore")
        require("websockets", WHAT, "explore")
        self.session = session
        self._grace = grace
        self._token = secrets.token_urlsafe(24)
        try:
            self._socket = socket.create_server((HOST, port))
        except OSError as error:
            text = f"{error.strerror}: choose another port, or leave it out"
            raise OSError(error.errno, text, f"port {port}") from error
        self.port: int = self._socket.getsockname()[1]
        self._pages = 0
        self._closed_at: float | None = None
        self._guard = threading.Lock()
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._application(),
                log_level="error",
                access_log=False,
                lifespan="off",
                ws_max_size=MOST_BYTES,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=1,
                server_header=False,
            )
        )
        self._thread = threading.Thread(target=self._run, name="resonart-explore", daemon=True)

    @property
    def address(self) -> str:
        """The address of the page. Without it there is no access."""
        return f"http://{HOST}:{self.port}/{self._token}/"

    # ------------------------------------------------------------------ start and stop

    def start(self) -> Server:
        """Start serving."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)
        return self

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def wait(self) -> None:
        """Wait until the last page is closed, or until Ctrl-C."""
        while self._thread.is_alive() and not self.is_left():
            time.sleep(0.05)

    def is_left(self) -> bool:
        """Tell whether there was a page and all have been closed."""
        with self._guard:
            closed_at = self._closed_at
            return (
                self._pages == 0
                and closed_at is not None
                and time.monotonic() - closed_at >= self._grace
            )

    def stop(self) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join(5.0)
        self._socket.close()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # ------------------------------------------------------------------ access

    def _is_known(self, request: Request | WebSocket) -> bool:
        """Tell whether a request comes from our own page, or from someone who has the address.

        Checking the host name keeps out pages whose own name was made to point here (DNS
        rebinding). The origin keeps out other pages, the token other users of this computer.
        """
        hosts = {f"{HOST}:{self.port}", f"localhost:{self.port}"}
        if request.headers.get("host") not in hosts:
            return False
        origin = request.headers.get("origin")
        if origin is None and request.scope["type"] == "websocket":
            return False  # browsers always send it with web sockets
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            return False
        # Another site may link here, as a terminal in a web page does; nothing else is allowed.
        is_opened = (
            request.headers.get("sec-fetch-mode") == "navigate"
            and request.headers.get("sec-fetch-dest") == "document"
        )
        site = request.headers.get("sec-fetch-site", "none")
        if site not in ("none", "same-origin") and not is_opened:
            return False
        given = request.path_params["token"]
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _headers(self) -> dict[str, str]:
        sockets = f"ws://{HOST}:{self.port} ws://localhost:{self.port}"
        return {
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
            f"img-src data: blob:; connect-src {sockets}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    # ------------------------------------------------------------------ files

    def _application(self) -> Starlette:
        from starlette.applications import Starlette
        from starlette.responses import Response
        from starlette.routing import Route, WebSocketRoute

        def giving(kind: str, make: Callable[[], str]) -> Any:
            async def give(request: Request) -> Response:
                if not self._is_known(request):
                    return self._refuse()
                return Response(make(), media_type=kind, headers=self._headers())

            return give

        async def refuse(request: Request) -> Response:
            return self._refuse()

        script = "text/javascript"
        title = self.session.title
        return Starlette(
            routes=[
                Route("/{token}/", giving("text/html", lambda: _front.page(title))),
                Route("/{token}/start.js", giving(script, lambda: _front.START)),
                Route("/{token}/explorer.js", giving(script, _front.module)),
                Route("/{token}/explorer.css", giving("text/css", _front.sheet)),
                WebSocketRoute("/{token}/socket", self._talk),
                Route("/{rest:path}", refuse),
            ]
        )

    def _refuse(self) -> Response:
        from starlette.responses import PlainTextResponse

        text = "This address is not valid. Open the one that resonart explore printed."
        return PlainTextResponse(text, 403, headers=self._headers())

    # ------------------------------------------------------------------ messages

    async def _talk(self, websocket: WebSocket) -> None:
        from starlette.websockets import WebSocketDisconnect

        if not self._is_known(websocket):
            await websocket.close(REFUSED)
            return
        with self._guard:
            is_full = self._pages >= MOST_PAGES
            self._pages += not is_full
        if is_full:
            await websocket.close(TOO_MANY)
            return
        outbox = Outbox()
        loop = asyncio.get_running_loop()

        def tell(message: Message) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(outbox.put, message)

        await websocket.accept()
        sending = asyncio.create_task(self._send(websocket, outbox))
        try:
            while True:
                text = await websocket.receive_text()
                await asyncio.to_thread(self._answer, text, tell)
                # Whoever does not read the answer gets no other: answers would pile up.
                await outbox.emptied()
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass  # closed, or sent bytes, which our pages do not
        finally:
            sending.cancel()
            with self._guard:
                self._pages -= 1
                self._closed_at = time.monotonic()
            # In a thread, because an answer to another page may take long.
            await asyncio.to_thread(self.session.leave, tell)

    def _answer(self, text: str, tell: Callable[[Message], None]) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        self.session.serve(message, tell)

    async def _send(self, websocket: WebSocket, outbox: Outbox) -> None:
        try:
            while True:
                message = await outbox.first()
                data = await asyncio.to_thread(frame, message)
                await websocket.send_bytes(data)
                outbox.drop(message)
        except Exception:  # whatever it is, the page must not wait for what will not come
            with contextlib.suppress(Exception):
                await websocket.close(BROKEN)
        finally:
            outbox.close()


class Outbox:
    """Messages on their way to a page that may be slow.

    Of what is pushed only the latest of each kind waits. Answers are never dropped, because a page
    waits for them; the next question is read when they have been sent.
    """

    def __init__(self) -> None:
        self._held: list[Message] = []
        self._is_closed = False
        self._is_filled = asyncio.Event()
        self._has_no_answer = asyncio.Event()
        self._note()

    def put(self, message: Message) -> None:
        """Add a message; an older one that was pushed, too, is replaced by it."""
        if "re" not in message:
            # (The first may be on its way already.)
            self._held[1:] = [
                each for each in self._held[1:] if "re" in each or each["kind"] != message["kind"]
            ]
        if not self._is_closed:
            self._held.append(message)
        self._note()

    async def first(self) -> Message:
        """Wait for a message, which stays here until it is dropped."""
        await self._is_filled.wait()
        return self._held[0]

    def drop(self, message: Message) -> None:
        """Drop the first message, which has been sent."""
        assert self._held.pop(0) is message
        self._note()

    async def emptied(self) -> None:
        """Wait until all answers have been sent, or nothing is sent any longer."""
        await self._has_no_answer.wait()

    def close(self) -> None:
        """Forget everything: nothing is sent any longer."""
        self._is_closed = True
        self._held.clear()
        self._note()

    def _note(self) -> None:
        has_answer = any("re" in each for each in self._held)
        for event, is_set in (
            (self._is_filled, bool(self._held)),
            (self._has_no_answer, not has_answer),
        ):
            event.set() if is_set else event.clear()
