# SPDX-License-Identifier: MIT
"""Waymark for Python: waymark.h through ctypes, nothing to compile.

    import waymark

    with waymark.Map.load("grotto.map") as grotto, waymark.Database.open(grotto, "maps.wmdb") as db:
        with waymark.Agent(grotto, db, algorithm="auto") as unit:
            unit.begin((4, 4), (90, 90))
            while unit.step() == waymark.OK:
                print(unit.position)

The objects and their rules are those of waymark.h, which is the manual: a Map, a Database made for
it, Agents that walk there, and a Scratch that agents of one thread may share. Points are tuples
(x, y). News come back as a Status; what waymark.h calls an error is raised as an Error, with the
library's own sentence where it has one.

Objects are released by close(), by leaving their `with` block, or by the garbage collector. Whatever
another object stands on stays alive until that one is closed too, in whatever order it happens.

The library is looked for where the environment variable WAYMARK_LIBRARY says, then beside this file,
then where the system keeps its libraries.
"""

import ctypes
import ctypes.util
import enum
import os

__all__ = [
    "Agent", "Database", "Diagonal", "Error", "Frame", "Heuristic", "Map", "Scratch", "Statistics",
    "Status", "Terrain", "agents_step", "version", "OK", "ARRIVED", "NO_PATH",
]


class Status(enum.IntEnum):
    """wm_status. Zero is success, positive numbers are news, negative numbers are errors."""

    OK = 0
    ARRIVED = 1
    NO_PATH = 2
    ERR_ARGUMENT = -1
    ERR_MEMORY = -2
    ERR_IO = -3
    ERR_FORMAT = -4
    ERR_VERSION = -5
    ERR_MISMATCH = -6
    ERR_NOT_FOUND = -7
    ERR_BUSY = -8
    ERR_INTERRUPTED = -9
    ERR_TOO_FEW = -10
    ERR_BLOCKED = -11
    ERR_SHORT = -12


OK, ARRIVED, NO_PATH = Status.OK, Status.ARRIVED, Status.NO_PATH


class Diagonal(enum.IntEnum):
    """When a diagonal step is legal."""

    NONE = 0
    SQUEEZE = 1


class Terrain(enum.IntEnum):
    """What an agent knows of the map."""

    KNOWN = 0
    UNKNOWN = 1


class Heuristic(enum.IntEnum):
    """How an agent guesses distances."""

    OCTILE = 0
    MAX = 1
    MIN = 2


class Error(Exception):
    """A negative status. `status` has it, the message says what to do about it."""

    def __init__(self, status, message=""):
        self.status = Status(status)
        super().__init__(message or _lib.wm_status_name(status).decode())


# --- the structs of waymark.h -----------------------------------------------------------------------


class _Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 1024)]


class _Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_int32)]


class _CellEdit(ctypes.Structure):
    _fields_ = [("at", _Point), ("open", ctypes.c_bool)]


class _Allocator(ctypes.Structure):
    _fields_ = [("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p), ("user", ctypes.c_void_p)]


class _MapConfig(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("diagonal", ctypes.c_int), ("editable", ctypes.c_bool),
        ("agent_size", ctypes.c_int32), ("allocator", _Allocator),
    ]


class _DbConfig(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("name", ctypes.c_char_p), ("max_bytes", ctypes.c_size_t),
        ("allocator", _Allocator),
    ]


class _ScratchConfig(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("bytes", ctypes.c_size_t), ("allocator", _Allocator)]


class _AgentConfig(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("algorithm", ctypes.c_char_p), ("terrain", ctypes.c_int),
        ("heuristic", ctypes.c_int), ("skip_reachable_check", ctypes.c_bool),
        ("nearest_goal", ctypes.c_bool), ("scratch", ctypes.c_void_p), ("allocator", _Allocator),
    ]


class Statistics(ctypes.Structure):
    """wm_agent_stats: what an agent has done since it was begun."""

    _fields_ = [
        ("moves", ctypes.c_uint64), ("waits", ctypes.c_uint64), ("back_moves", ctypes.c_uint64),
        ("expansions", ctypes.c_uint64), ("max_expansions_per_move", ctypes.c_uint64),
        ("cost", ctypes.c_double), ("memory_bytes", ctypes.c_size_t),
    ]


class Frame(ctypes.Structure):
    """wm_frame: the share of a frame that a group of agents gets. Keep it from frame to frame.

    max_expansions is the bound for one call; moved, ended and expansions are what came of it.
    """

    _fields_ = [
        ("max_expansions", ctypes.c_uint64), ("next", ctypes.c_size_t), ("moved", ctypes.c_size_t),
        ("ended", ctypes.c_size_t), ("expansions", ctypes.c_uint64),
    ]

    def __init__(self, max_expansions=None):
        if max_expansions is None:  # no bound
            max_expansions = _lib.wm_frame_default().max_expansions
        super().__init__(max_expansions=_exact(ctypes.c_uint64, max_expansions))


# --- the functions of waymark.h ---------------------------------------------------------------------


def _load_library():
    named = os.environ.get("WAYMARK_LIBRARY")
    if named:
        return ctypes.CDLL(named)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libwaymark.so.1")
    for path in (beside, "libwaymark.so.1", ctypes.util.find_library("waymark")):
        try:
            if path:
                return ctypes.CDLL(path)
        except OSError:
            pass
    raise ImportError("libwaymark.so.1 was not found: install it, or name it in WAYMARK_LIBRARY")


def _declare(lib):
    """Gives every function its types: ctypes would guess int."""
    handle, out, error = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_Error)
    point, points, length = _Point, ctypes.POINTER(_Point), ctypes.POINTER(ctypes.c_size_t)
    boolean, text, size, i32 = ctypes.c_bool, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32
    status = ctypes.c_int
    for name, result, *arguments in (
        ("wm_status_name", text, status),
        ("wm_version", text),
        ("wm_map_config_default", _MapConfig),
        ("wm_map_load", status, out, text, ctypes.POINTER(_MapConfig), error),
        ("wm_map_load_memory", status, out, text, size, ctypes.POINTER(_MapConfig), error),
        ("wm_map_create", status, out, text, i32, i32, size, ctypes.POINTER(_MapConfig), error),
        ("wm_map_edit", status, handle, ctypes.POINTER(_CellEdit), size, error),
        ("wm_map_revision", ctypes.c_uint32, handle),
        ("wm_map_unload", None, handle),
        ("wm_map_width", i32, handle),
        ("wm_map_height", i32, handle),
        ("wm_map_hash", ctypes.c_uint64, handle),
        ("wm_map_is_open", boolean, handle, point),
        ("wm_map_connected", boolean, handle, point, point),
        ("wm_map_component", ctypes.c_uint32, handle, point),
        ("wm_map_agent_size", i32, handle),
        ("wm_map_nearest", status, handle, point, point, points),
        ("wm_db_config_default", _DbConfig),
        ("wm_db_open", status, out, handle, text, ctypes.POINTER(_DbConfig), error),
        ("wm_db_open_memory", status, out, handle, text, size, ctypes.POINTER(_DbConfig), error),
        ("wm_db_close", None, handle),
        ("wm_db_stored_bytes", size, handle),
        ("wm_db_has", boolean, handle, text),
        ("wm_db_subgoal", status, handle, point, point, points),
        ("wm_scratch_config_default", _ScratchConfig),
        ("wm_scratch_create", status, out, handle, ctypes.POINTER(_ScratchConfig), error),
        ("wm_scratch_destroy", None, handle),
        ("wm_agent_config_default", _AgentConfig),
        ("wm_agent_create", status, out, handle, handle, ctypes.POINTER(_AgentConfig), error),
        ("wm_agent_destroy", None, handle),
        ("wm_agent_begin", status, handle, point, point),
        ("wm_agent_reset", None, handle),
        ("wm_agent_step", status, handle),
        ("wm_agent_result", status, handle),
        ("wm_agent_position", point, handle),
        ("wm_agent_goal", point, handle),
        ("wm_agent_route", status, handle, points, size, length),
        ("wm_agent_statistics", Statistics, handle),
        ("wm_frame_default", Frame),
        ("wm_agents_step", status, out, size, ctypes.POINTER(Frame)),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


_lib = _declare(_load_library())


def version():
    """The library's version, "major.minor.patch"."""
    return _lib.wm_version().decode()


def _exact(kind, value):
    """The value as a C number: ctypes would cut off what does not fit."""
    if kind(value).value != value:
        raise OverflowError(f"{value} is more or less than the library can be told")
    return value


def _point(at):
    x, y = at
    return _Point(_exact(ctypes.c_int32, x), _exact(ctypes.c_int32, y))


def _whole(text):
    """The bytes of a text, without a zero among them: C would end it there."""
    if b"\0" in text:
        raise ValueError(f"{text!r} has a zero in it")
    return text


def _news(status):
    """Status as it is, unless it is an error."""
    if status < 0:
        raise Error(status)
    return Status(status)


def _handle(kind, made):
    """The handle of what has to be a `kind`: to the library all handles look alike."""
    if not isinstance(made, kind):
        raise TypeError(f"{made!r} stands where an object of class {kind.__name__} has to be")
    return made._open_handle()


class _Object:
    """A handle, and the objects that it stands on, which live as long as it does."""

    _release = None  # the C function's name

    def __init__(self, make, *needs):
        self._handle, self._needs, self._users, self._closed = None, (), 0, False
        handle, error = ctypes.c_void_p(), _Error()
        status = make(ctypes.byref(handle), ctypes.byref(error))
        if status != OK:
            raise Error(status, error.message.decode(errors="replace"))
        self._handle, self._needs = handle, needs
        for need in needs:
            need._users += 1

    def _open_handle(self):
        if self._handle is None or self._closed:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._handle

    def _let_go(self):
        if self._handle is None or not self._closed or self._users > 0:
            return
        handle, self._handle = self._handle, None
        getattr(_lib, self._release)(handle)
        needs, self._needs = self._needs, ()
        for need in needs:
            need._users -= 1
            need._let_go()

    def close(self):
        """Releases the object, at once or when the last one that stands on it is closed."""
        self._closed = True
        self._let_go()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()


class Map(_Object):
    """wm_map: a grid. Any number of threads may share it; an edit needs it to itself."""

    _release = "wm_map_unload"

    def __init__(self, make, diagonal=Diagonal.NONE, editable=False, agent_size=1):
        config = _lib.wm_map_config_default()
        config.diagonal, config.editable = diagonal, editable
        config.agent_size = _exact(ctypes.c_int32, agent_size)
        super().__init__(lambda out, error: make(out, ctypes.byref(config), error))

    @classmethod
    def load(cls, path, **config):
        """Loads a MovingAI .map file. config: diagonal, editable, agent_size."""
        path = _whole(os.fsencode(path))
        return cls(lambda out, c, error: _lib.wm_map_load(out, path, c, error), **config)

    @classmethod
    def from_bytes(cls, data, **config):
        """The same for the content of a .map file."""
        data = bytes(data)
        return cls(lambda out, c, error: _lib.wm_map_load_memory(out, data, len(data), c, error), **config)

    @classmethod
    def create(cls, cells, width, height, stride=None, **config):
        """Makes a map from one byte a cell, row by row: zero is blocked, anything else is open."""
        cells = bytes(cells)
        width, height = _exact(ctypes.c_int32, width), _exact(ctypes.c_int32, height)
        stride = width if stride is None else stride
        if stride < width:
            raise ValueError(f"a stride of {stride} bytes is too short for rows of {width} cells")
        if height > 0 and len(cells) < (height - 1) * stride + width:
            raise ValueError(f"{len(cells)} bytes are too few for {width} x {height} cells, {stride} a row")
        return cls(lambda out, c, error: _lib.wm_map_create(out, cells, width, height, stride, c, error), **config)

    def edit(self, cells):
        """Opens and blocks cells: {(x, y): True for open}. No agent may be stepped meanwhile."""
        edits = (_CellEdit * len(cells))(*(_CellEdit(_point(at), is_open) for at, is_open in cells.items()))
        error = _Error()
        status = _lib.wm_map_edit(self._open_handle(), edits, len(cells), ctypes.byref(error))
        if status != OK:
            raise Error(status, error.message.decode(errors="replace"))

    @property
    def width(self):
        return _lib.wm_map_width(self._open_handle())

    @property
    def height(self):
        return _lib.wm_map_height(self._open_handle())

    @property
    def hash(self):
        """Covers the size, the open cells and the diagonal rule, and nothing else."""
        return _lib.wm_map_hash(self._open_handle())

    @property
    def revision(self):
        """How often the map was edited."""
        return _lib.wm_map_revision(self._open_handle())

    @property
    def agent_size(self):
        return _lib.wm_map_agent_size(self._open_handle())

    def is_open(self, point):
        """False for blocked cells and for points outside the map."""
        return _lib.wm_map_is_open(self._open_handle(), _point(point))

    def connected(self, a, b):
        """Whether a walk from a to b exists; immediate."""
        return _lib.wm_map_connected(self._open_handle(), _point(a), _point(b))

    def component(self, point):
        """The number of the point's component, from 1; 0 for blocked cells and outside."""
        return _lib.wm_map_component(self._open_handle(), _point(point))

    def nearest(self, start, wanted):
        """The cell nearest to `wanted` that a walk from `start` reaches."""
        found = _Point()
        _news(_lib.wm_map_nearest(self._open_handle(), _point(start), _point(wanted), ctypes.byref(found)))
        return found.x, found.y


class Database(_Object):
    """wm_db: search data that waymark-build made for a map. Any number of threads may share it."""

    _release = "wm_db_close"

    def __init__(self, map, make, name=None, max_bytes=None):
        config = _lib.wm_db_config_default()
        if name is not None:
            config.name = _whole(name.encode())
        if max_bytes is not None:
            config.max_bytes = _exact(ctypes.c_size_t, max_bytes)
        super().__init__(lambda out, error: make(out, _handle(Map, map), ctypes.byref(config), error), map)

    @classmethod
    def open(cls, map, path, **config):
        """Reads and checks the map's data in a .wmdb or .wmb file. config: name, max_bytes."""
        path = _whole(os.fsencode(path))
        return cls(map, lambda out, m, c, error: _lib.wm_db_open(out, m, path, c, error), **config)

    @classmethod
    def from_bytes(cls, map, data, **config):
        """The same for the bytes of a .wmb file."""
        data = bytes(data)
        return cls(map, lambda out, m, c, error: _lib.wm_db_open_memory(out, m, data, len(data), c, error), **config)

    @property
    def stored_bytes(self):
        """Length of what is stored in the file for this map."""
        return _lib.wm_db_stored_bytes(self._open_handle())

    def has(self, method):
        """Whether there is data of "regions", "knn", "d-lrta" or "choice"."""
        return _lib.wm_db_has(self._open_handle(), _whole(method.encode()))

    def subgoal(self, start, goal):
        """Where to go next on the way from start to goal; None where there is no way.

        Ask again on arriving there; the last subgoal is the goal. Needs regions.
        """
        found = _Point()
        status = _news(
            _lib.wm_db_subgoal(self._open_handle(), _point(start), _point(goal), ctypes.byref(found)))
        if status == ARRIVED:
            return tuple(goal)
        return (found.x, found.y) if status == OK else None


class Scratch(_Object):
    """wm_scratch: working memory that agents of one thread share. Belongs to that thread."""

    _release = "wm_scratch_destroy"

    def __init__(self, map, size_bytes=0):
        config = _lib.wm_scratch_config_default()
        config.bytes = _exact(ctypes.c_size_t, size_bytes)
        super().__init__(
            lambda out, error: _lib.wm_scratch_create(out, _handle(Map, map), ctypes.byref(config), error), map)


class Agent(_Object):
    """wm_agent: one unit. Belongs to one thread at a time."""

    _release = "wm_agent_destroy"

    def __init__(self, map, db=None, algorithm="auto", terrain=Terrain.KNOWN, heuristic=Heuristic.OCTILE,
                 skip_reachable_check=False, nearest_goal=False, scratch=None):
        config = _lib.wm_agent_config_default()
        config.algorithm = _whole(algorithm.encode())
        config.terrain, config.heuristic = terrain, heuristic
        config.skip_reachable_check, config.nearest_goal = skip_reachable_check, nearest_goal
        config.scratch = _handle(Scratch, scratch) if scratch else None

        def make(out, error):
            db_handle = _handle(Database, db) if db else None
            return _lib.wm_agent_create(out, _handle(Map, map), db_handle, ctypes.byref(config), error)

        super().__init__(make, *(need for need in (map, db, scratch) if need))

    def begin(self, start, goal):
        """Puts the agent on `start` and gives it a goal: OK, ARRIVED or NO_PATH."""
        return _news(_lib.wm_agent_begin(self._open_handle(), _point(start), _point(goal)))

    def step(self):
        """Plans and makes one move: OK, ARRIVED or NO_PATH."""
        return _news(_lib.wm_agent_step(self._open_handle()))

    def reset(self):
        """Forgets the goal, and gives back what the agent holds of a scratch."""
        _lib.wm_agent_reset(self._open_handle())

    @property
    def result(self):
        """What the last begin or step said; an error too is returned here, not raised."""
        return Status(_lib.wm_agent_result(self._open_handle()))

    @property
    def position(self):
        p = _lib.wm_agent_position(self._open_handle())
        return p.x, p.y

    @property
    def goal(self):
        p = _lib.wm_agent_goal(self._open_handle())
        return p.x, p.y

    @property
    def statistics(self):
        return _lib.wm_agent_statistics(self._open_handle())

    def route(self):
        """All cells that the agent will step on, up to its goal, without moving it."""
        length, capacity = ctypes.c_size_t(), 256
        while True:
            cells = (_Point * capacity)()
            status = _lib.wm_agent_route(self._open_handle(), cells, capacity, ctypes.byref(length))
            if status != Status.ERR_SHORT:
                break
            capacity = length.value
        _news(status)
        return [(p.x, p.y) for p in cells[: length.value]] if status == OK else []


def agents_step(agents, frame):
    """wm_agents_step: steps the agents that are on their way once each, within the frame's bound.

    `agents` is a sequence of Agent and None.
    """
    handles = (ctypes.c_void_p * len(agents))(*(_handle(Agent, a) if a else None for a in agents))
    _news(_lib.wm_agents_step(handles, len(agents), ctypes.byref(frame)))
