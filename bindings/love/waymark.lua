-- SPDX-License-Identifier: MIT
--
-- Waymark for LuaJIT: waymark.h through the FFI, for LOEVE and others.
--
--   local waymark = require "waymark"
--   local map = waymark.map_load_memory((love.filesystem.read("cave.map"))) -- in parentheses: it returns two values
--   local db = waymark.db_open_memory(map, (love.filesystem.read("cave.wmb")))
--   local unit = waymark.agent(map, db, {algorithm = "regions"})
--   if unit:begin(4, 4, 90, 60) == waymark.OK then
--       repeat local status = unit:step(); draw(unit:position()) until status ~= waymark.OK
--   end
--
-- The objects and their rules are those of waymark.h, which is the manual. Making an object returns
-- nil, the library's sentence and a status where it fails; what is called every frame returns a status.
-- Objects are released by close() or by the garbage collector, each after those that stand on it: a map
-- after its databases and agents, an agent after the crowds that it is in.
--
-- The library is the one that the environment variable WAYMARK_LIBRARY names, or that lies in the
-- game's folder, or the system's.
local ffi = require "ffi"

ffi.cdef [[
typedef int32_t wm_status;
const char* wm_status_name(wm_status status);
const char* wm_version(void);

typedef struct { char message[1024]; } wm_error;
typedef struct { void* allocate; void* release; void* user; } wm_allocator;
typedef struct { int32_t x, y; } wm_point;
typedef struct { wm_point at; bool open; } wm_cell_edit;

typedef struct wm_map wm_map;
typedef struct {
    uint32_t size; int32_t diagonal; bool editable; int32_t agent_size; wm_allocator allocator;
} wm_map_config;
wm_map_config wm_map_config_default(void);
wm_status wm_map_load(wm_map** out, const char* path, const wm_map_config* config, wm_error* error);
wm_status wm_map_load_memory(wm_map** out, const void* bytes, size_t size, const wm_map_config* config,
                             wm_error* error);
wm_status wm_map_create(wm_map** out, const uint8_t* open, int32_t width, int32_t height, size_t stride,
                        const wm_map_config* config, wm_error* error);
wm_status wm_map_edit(wm_map* map, const wm_cell_edit* edits, size_t count, wm_error* error);
uint32_t wm_map_revision(const wm_map* map);
void wm_map_unload(wm_map* map);
int32_t wm_map_width(const wm_map* map);
int32_t wm_map_height(const wm_map* map);
uint64_t wm_map_hash(const wm_map* map);
bool wm_map_is_open(const wm_map* map, wm_point point);
bool wm_map_connected(const wm_map* map, wm_point a, wm_point b);
uint32_t wm_map_component(const wm_map* map, wm_point point);
int32_t wm_map_agent_size(const wm_map* map);
wm_status wm_map_nearest(const wm_map* map, wm_point from, wm_point wanted, wm_point* nearest);

typedef struct wm_db wm_db;
typedef struct { uint32_t size; const char* name; size_t max_bytes; wm_allocator allocator; } wm_db_config;
wm_db_config wm_db_config_default(void);
wm_status wm_db_open(wm_db** out, const wm_map* map, const char* path, const wm_db_config* config, wm_error* error);
wm_status wm_db_open_memory(wm_db** out, const wm_map* map, const void* bytes, size_t size,
                            const wm_db_config* config, wm_error* error);
void wm_db_close(wm_db* db);
size_t wm_db_stored_bytes(const wm_db* db);
bool wm_db_has(const wm_db* db, const char* method);
wm_status wm_db_subgoal(const wm_db* db, wm_point from, wm_point goal, wm_point* subgoal);

typedef struct wm_scratch wm_scratch;
typedef struct { uint32_t size; size_t bytes; wm_allocator allocator; } wm_scratch_config;
wm_scratch_config wm_scratch_config_default(void);
wm_status wm_scratch_create(wm_scratch** out, const wm_map* map, const wm_scratch_config* config, wm_error* error);
void wm_scratch_destroy(wm_scratch* scratch);

typedef struct wm_agent wm_agent;
typedef struct {
    uint32_t size; const char* algorithm; int32_t terrain; int32_t heuristic; bool skip_reachable_check;
    bool nearest_goal; wm_scratch* scratch; wm_allocator allocator;
} wm_agent_config;
typedef struct {
    uint64_t moves, waits, back_moves, expansions, max_expansions_per_move; double cost; size_t memory_bytes;
} wm_agent_stats;
typedef struct { uint64_t max_expansions; size_t next, moved, ended; uint64_t expansions; } wm_frame;
wm_agent_config wm_agent_config_default(void);
wm_status wm_agent_create(wm_agent** out, const wm_map* map, const wm_db* db, const wm_agent_config* config,
                          wm_error* error);
void wm_agent_destroy(wm_agent* agent);
wm_status wm_agent_begin(wm_agent* agent, wm_point start, wm_point goal);
void wm_agent_reset(wm_agent* agent);
wm_status wm_agent_step(wm_agent* agent);
wm_status wm_agent_result(const wm_agent* agent);
wm_point wm_agent_position(const wm_agent* agent);
wm_point wm_agent_goal(const wm_agent* agent);
wm_status wm_agent_route(wm_agent* agent, wm_point* cells, size_t capacity, size_t* length);
wm_agent_stats wm_agent_statistics(const wm_agent* agent);
wm_frame wm_frame_default(void);
wm_status wm_agents_step(wm_agent* const* agents, size_t count, wm_frame* frame);
]]

local function load_library()
    local named = os.getenv "WAYMARK_LIBRARY"
    if named then return ffi.load(named) end
    if love and love.filesystem then
        local found, lib = pcall(ffi.load, love.filesystem.getSource() .. "/libwaymark.so.1")
        if found then return lib end
    end
    return ffi.load "waymark"
end

local C = load_library()

local waymark = {
    OK = 0, ARRIVED = 1, NO_PATH = 2, ERR_ARGUMENT = -1, ERR_MEMORY = -2, ERR_IO = -3, ERR_FORMAT = -4,
    ERR_VERSION = -5, ERR_MISMATCH = -6, ERR_NOT_FOUND = -7, ERR_BUSY = -8, ERR_INTERRUPTED = -9,
    ERR_TOO_FEW = -10, ERR_BLOCKED = -11, ERR_SHORT = -12,
    DIAGONAL_NONE = 0, DIAGONAL_SQUEEZE = 1,
    TERRAIN_KNOWN = 0, TERRAIN_UNKNOWN = 1,
    HEURISTIC_OCTILE = 0, HEURISTIC_MAX = 1, HEURISTIC_MIN = 2,
}

--- The library's version, "major.minor.patch".
function waymark.version() return ffi.string(C.wm_version()) end

--- A status as words.
function waymark.status_name(status) return ffi.string(C.wm_status_name(status)) end

local point = ffi.typeof "wm_point"

-- Objects -----------------------------------------------------------------------------------------

local Object = {}

local function let_go(object)
    if not object.handle or not object.closed or object.users > 0 then return end
    object.release(object.handle)
    object.handle = nil
    for _, need in ipairs(object.needs) do
        need.users = need.users - 1
        let_go(need)
    end
end

--- Releases the object, at once or when the last one that stands on it is closed.
function Object.close(object)
    object.closed = true
    let_go(object)
end

local function class() return setmetatable({}, {__index = Object}) end

-- Makes an object of a handle. It stands on `needs`, which are released after it.
local function own(object, methods, handle, release, needs)
    object.handle, object.release, object.needs, object.users = handle, release, needs, 0
    for _, need in ipairs(needs) do need.users = need.users + 1 end
    -- The collector finalises userdata in the reverse order of their making, which cdata does not promise.
    object.guard = newproxy(true)
    getmetatable(object.guard).__gc = function() object:close() end
    return setmetatable(object, {__index = methods})
end

-- Puts options over what a default function says; a sentence where they are none.
local function configure(config, options)
    if options == nil then return end
    if type(options) ~= "table" then
        return "options are a table, not a " .. type(options) .. "; a call that returns more than one value, as " ..
            "love.filesystem.read does, goes in parentheses"
    end
    for name, value in pairs(options) do
        config[name] = name == "scratch" and value.handle or value
    end
end

-- Calls make(out, config, error), and wraps what it made. The object keeps the options: the config has addresses
-- of strings among them.
local function create(methods, kind, release, needs, config, options, make)
    for _, need in ipairs(needs) do -- a closed one would be nothing to the library: an agent without its database
        if need.closed then return nil, "what a " .. kind .. " is to stand on is closed", waymark.ERR_ARGUMENT end
    end
    local sentence = configure(config, options)
    if sentence then return nil, sentence, waymark.ERR_ARGUMENT end
    local out, err = ffi.new(kind .. "*[1]"), ffi.new "wm_error"
    local status = make(out, config, err)
    if status ~= 0 then
        sentence = ffi.string(err.message)
        return nil, sentence ~= "" and sentence or waymark.status_name(status), status
    end
    return own({options = options}, methods, out[0], release, needs)
end

-- Maps --------------------------------------------------------------------------------------------

local Map = class()

--- Loads a MovingAI .map file. Options: diagonal, editable, agent_size.
function waymark.map_load(path, options)
    return create(Map, "wm_map", C.wm_map_unload, {}, C.wm_map_config_default(), options, function(out, config, err)
        return C.wm_map_load(out, path, config, err)
    end)
end

--- The same for the content of such a file, wherever the game keeps it.
function waymark.map_load_memory(bytes, options)
    return create(Map, "wm_map", C.wm_map_unload, {}, C.wm_map_config_default(), options, function(out, config, err)
        return C.wm_map_load_memory(out, bytes, bytes and #bytes or 0, config, err)
    end)
end

--- Makes a map from a string of one byte a cell, row by row: zero is blocked, anything else is open.
function waymark.map_create(bytes, width, height, options)
    if width < 1 or height < 1 or #bytes < width * height then
        return nil, "too few bytes for the map", waymark.ERR_ARGUMENT
    end
    return create(Map, "wm_map", C.wm_map_unload, {}, C.wm_map_config_default(), options, function(out, config, err)
        return C.wm_map_create(out, bytes, width, height, width, config, err)
    end)
end

function Map:width() return C.wm_map_width(self.handle) end
function Map:height() return C.wm_map_height(self.handle) end
function Map:revision() return C.wm_map_revision(self.handle) end
function Map:agent_size() return C.wm_map_agent_size(self.handle) end
--- Sixteen hexadecimal digits: Lua's numbers are too short.
function Map:hash() return bit.tohex(tonumber(C.wm_map_hash(self.handle) / 2 ^ 32)) ..
    bit.tohex(tonumber(C.wm_map_hash(self.handle) % 2 ^ 32)) end
function Map:is_open(x, y) return C.wm_map_is_open(self.handle, point(x, y)) end
function Map:connected(x, y, x2, y2) return C.wm_map_connected(self.handle, point(x, y), point(x2, y2)) end
function Map:component(x, y) return C.wm_map_component(self.handle, point(x, y)) end

--- Opens or blocks a cell. No agent may be stepped meanwhile.
function Map:edit(x, y, open)
    local err = ffi.new "wm_error"
    local status = C.wm_map_edit(self.handle, ffi.new("wm_cell_edit[1]", {{{x, y}, open}}), 1, err)
    if status ~= 0 then return nil, ffi.string(err.message), status end
    return true
end

--- The cell nearest to the wanted one that a walk from x, y reaches; nil and a status where there is none.
function Map:nearest(x, y, wanted_x, wanted_y)
    local found = point()
    local status = C.wm_map_nearest(self.handle, point(x, y), point(wanted_x, wanted_y), found)
    if status ~= 0 then return nil, status end
    return found.x, found.y
end

-- Databases ---------------------------------------------------------------------------------------

local Database = class()

--- Reads and checks the map's data in a .wmdb or .wmb file. Options: name, max_bytes.
function waymark.db_open(map, path, options)
    return create(Database, "wm_db", C.wm_db_close, {map}, C.wm_db_config_default(), options, function(out, config, err)
        return C.wm_db_open(out, map.handle, path, config, err)
    end)
end

--- The same for the bytes of a .wmb file.
function waymark.db_open_memory(map, bytes, options)
    return create(Database, "wm_db", C.wm_db_close, {map}, C.wm_db_config_default(), options, function(out, config, err)
        return C.wm_db_open_memory(out, map.handle, bytes, bytes and #bytes or 0, config, err)
    end)
end

function Database:stored_bytes() return tonumber(C.wm_db_stored_bytes(self.handle)) end
function Database:has(method) return C.wm_db_has(self.handle, method) end

--- Where to go next on the way from x, y; nil and a status where there is nothing to go to.
function Database:subgoal(x, y, goal_x, goal_y)
    local found = point()
    local status = C.wm_db_subgoal(self.handle, point(x, y), point(goal_x, goal_y), found)
    if status ~= 0 then return nil, status end
    return found.x, found.y
end

-- Scratch and agents ------------------------------------------------------------------------------

--- Working memory that agents share; bytes may be left out.
function waymark.scratch(map, bytes)
    local options = {bytes = bytes}
    return create(class(), "wm_scratch", C.wm_scratch_destroy, {map}, C.wm_scratch_config_default(), options,
        function(out, config, err) return C.wm_scratch_create(out, map.handle, config, err) end)
end

local Agent = class()

--- One unit. db may be nil. Options: algorithm, terrain, heuristic, skip_reachable_check, nearest_goal, scratch.
function waymark.agent(map, db, options)
    local needs = {map}
    needs[#needs + 1] = db
    needs[#needs + 1] = type(options) == "table" and options.scratch or nil
    return create(Agent, "wm_agent", C.wm_agent_destroy, needs, C.wm_agent_config_default(), options,
        function(out, config, err) return C.wm_agent_create(out, map.handle, db and db.handle, config, err) end)
end

function Agent:begin(x, y, goal_x, goal_y)
    return C.wm_agent_begin(self.handle, point(x, y), point(goal_x, goal_y))
end

function Agent:step() return C.wm_agent_step(self.handle) end
function Agent:reset() C.wm_agent_reset(self.handle) end
function Agent:result() return C.wm_agent_result(self.handle) end

function Agent:position()
    local p = C.wm_agent_position(self.handle)
    return p.x, p.y
end

function Agent:goal()
    local p = C.wm_agent_goal(self.handle)
    return p.x, p.y
end

--- All cells to the goal as {x1, y1, x2, y2, ...}, as love.graphics.line takes them; nil and a status if there are none.
function Agent:route()
    local length, capacity = ffi.new "size_t[1]", 256
    local cells, status
    repeat
        cells = ffi.new("wm_point[?]", capacity)
        status = C.wm_agent_route(self.handle, cells, capacity, length)
        capacity = tonumber(length[0])
    until status ~= waymark.ERR_SHORT
    if status ~= 0 then return nil, status end
    local route = {}
    for i = 0, capacity - 1 do
        route[2 * i + 1], route[2 * i + 2] = cells[i].x, cells[i].y
    end
    return route
end

--- moves, waits, back_moves, expansions, max_expansions_per_move, cost, memory_bytes as numbers.
function Agent:statistics()
    local s, numbers = C.wm_agent_statistics(self.handle), {}
    for _, name in ipairs {"moves", "waits", "back_moves", "expansions", "max_expansions_per_move", "cost", "memory_bytes"} do
        numbers[name] = tonumber(s[name])
    end
    return numbers
end

-- Crowds ------------------------------------------------------------------------------------------

local Crowd = class()

--- Agents that are stepped together, within a bound for each frame. They stay as long as the crowd does.
function waymark.crowd(agents)
    local needs, handles = {}, ffi.new("wm_agent*[?]", #agents)
    for i, agent in ipairs(agents) do
        if agent.closed then return nil, ("agent %d of the crowd is closed"):format(i), waymark.ERR_ARGUMENT end
        needs[i], handles[i - 1] = agent, agent.handle
    end
    return own({count = #needs, frame = C.wm_frame_default()}, Crowd, handles, function() end, needs)
end

--- Steps those that are on their way once each, as far as max_expansions allow; nil: all of them. Returns how many
--- moved, how many of them ended, and the expansions; nil, a sentence and a status after close().
function Crowd:step(max_expansions)
    if self.closed then return nil, "the crowd is closed", waymark.ERR_ARGUMENT end
    self.frame.max_expansions = max_expansions or C.wm_frame_default().max_expansions
    C.wm_agents_step(self.handle, self.count, self.frame)
    return tonumber(self.frame.moved), tonumber(self.frame.ended), tonumber(self.frame.expansions)
end

return waymark
