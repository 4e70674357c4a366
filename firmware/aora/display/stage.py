"""What is to be seen, for any renderer: records and looks in, the shapes of a moment out."""

from aora import ticks
from aora._shim import forget
from aora.face import expressions as ex
from aora.face import motion, palette
from aora.face import scene as sc
from aora.face.caption import Caption
from aora.face.dial import EdgeDial
from aora.face.layout import Layout
from aora.hud import Hud
from aora.protocol import STATES

_SLEEP_MS = 62000  # asleep this long, the panel goes dark
_SLEEPING = STATES.index("sleeping")


class Stage:
    """The face, its caption and its dial on a panel of this size.

    `shapes` holds them after compose(); `dozing` says that the panel's light may go out.
    """

    def __init__(self, width, height, is_round, settings):
        self.layout = layout = Layout(width, height, is_round)
        self._scene = sc.Scene(layout, sc.SHAPES.index(settings.shape))
        self.shapes = self._scene.shapes
        self.caption = Caption(layout.cells, layout.lines, layout.tall)
        self._dial = EdgeDial(layout)
        self._pose = motion.new_pose()
        self._spare = motion.new_pose()
        self._hud = Hud()
        self._settings = settings
        self._seed = motion.seed_of(settings)
        self._state = self._was = STATES.index("idle")
        self._since = self._was_since = self._said = -1
        self.looks = 0
        self.dozing = False

    def show(self, record, now):
        """The face has the record's state, caption and dial from now on."""
        state = record.state
        if state != self._state or self._since < 0:
            self._was = state if self._since < 0 else self._state
            self._was_since = self._since if self._since >= 0 else now
            self._state = state
            self._since = now
        self.caption.set(record.tips, record.tips_len)
        self._hud.copy_from(record.hud)
        self._said = now

    def compose(self, now):
        """Lays out the shapes of this moment."""
        if self._since < 0:
            self._since = self._was_since = self._said = now
        t = ticks.diff(now, self._since)
        motion.pose_at(
            self._state,
            t,
            self._was,
            ticks.diff(now, self._was_since),
            now,
            self._seed,
            motion.PACES[self._settings.motion],
            self._pose,
            self._spare,
        )
        self.dozing = self._state == _SLEEPING and t > _SLEEP_MS
        if self.dozing:
            self._pose[ex.ACCENT] = ex.NO_ACCENT
        said = ticks.diff(now, self._said)
        self._scene.compose(self._pose, self.looks)
        self._text(said)
        self._dial.compose(self._scene, self._hud, said, self.looks & sc.SEATS)
        self._scene.mark(self.looks & sc.SIGN)

    def _text(self, said):
        caption = self.caption
        pose = self._pose
        colours = palette.TEXT << 4 | palette.FAINT
        if pose[ex.LIT] >= 50:
            colours = palette.INK << 4 | palette.AMBER
        elif pose[ex.DESK] >= 50 or pose[ex.FRAME] >= 50 or pose[ex.GATE] >= 50:
            colours = palette.INK << 4 | palette.RIM
        shown = caption.rows and not self.looks & sc.QUIET
        self._scene.text(shown, colours, caption.place(said), caption.revision)


def tables(settings):
    """The sixteen colours with a host and without one."""
    from aora.face.palette import table

    colours = (
        table(settings.colour, settings.shape == "screen"),
        table(settings.colour, grey=True),
    )
    forget("face.palette")
    return colours
