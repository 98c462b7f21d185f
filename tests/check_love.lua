-- The binding itself, as the main.lua of a game without a window (check_love.sh): what must not crash, and what must be
-- said. Prints "bound" at its end.
local waymark = require "waymark"

local function refused(status, part, value, sentence, actual)
    assert(value == nil, "it is refused")
    assert(actual == status, "with status " .. status .. ", not " .. tostring(actual))
    assert(sentence:find(part, 1, true), sentence)
end

local function read(name) return (love.filesystem.read(name)) end

local function load_world()
    local map = assert(waymark.map_load_memory(read "cave.map"))
    return map, assert(waymark.db_open_memory(map, read "cave.wmb"))
end

local function open_cell(map, skip)
    for y = 0, map:height() - 1 do
        for x = 0, map:width() - 1 do
            if map:component(x, y) == 1 then
                if skip == 0 then return x, y end
                skip = skip - 1
            end
        end
    end
end

local function unit_on_its_way(map, db)
    local unit = assert(waymark.agent(map, db, {algorithm = "regions"}))
    local x, y = open_cell(map, 0)
    assert(unit:begin(x, y, open_cell(map, 300)) == waymark.OK)
    return unit
end

local function maps_are_read_by_the_library()
    local map = load_world()
    local text = read "cave.map"
    assert(map:width() == 112 and map:height() == 70)
    local large = assert(waymark.map_load_memory(text, {agent_size = 2, editable = true}))
    assert(large:agent_size() == 2 and large:hash() ~= map:hash())
    refused(waymark.ERR_FORMAT, "where the width is", waymark.map_load_memory(text:sub(1, 400)))
    refused(waymark.ERR_FORMAT, "no header line", waymark.map_load_memory "nonsense")
    refused(waymark.ERR_ARGUMENT, "needs", waymark.map_load_memory(nil))
    refused(waymark.ERR_ARGUMENT, "too few", waymark.map_create("\1\1", -2, -1))
end

local function options_are_a_table()
    local map = load_world()
    local text = read "cave.map"
    local wrong = {1306, "regions", true}
    for _, options in ipairs(wrong) do
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.map_load_memory(text, options))
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.map_create("\1", 1, 1, options))
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.map_load("x.map", options))
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.db_open(map, "x.wmdb", options))
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.db_open_memory(map, "x", options))
        refused(waymark.ERR_ARGUMENT, "options are a table", waymark.agent(map, nil, options))
    end
    -- As love.filesystem.read returns them: the bytes, and how many.
    refused(waymark.ERR_ARGUMENT, "parentheses", waymark.map_load_memory(love.filesystem.read "cave.map"))
end

local function a_crowd_keeps_its_units()
    local map, db = load_world()
    local agents, first = {}, nil
    for i = 1, 20 do agents[i] = unit_on_its_way(map, db) end
    first = agents[1]
    local crowd = assert(waymark.crowd(agents))
    assert(crowd:step(1e9) == 20)
    for i = 1, 10 do agents[i]:close() end
    map:close()
    db:close()
    for i = 1, 20 do agents[i] = nil end -- the crowd has a list of its own
    collectgarbage()
    collectgarbage()
    assert(crowd:step(1e9) == 20, "those that are closed stay until the crowd is closed")
    assert(crowd:step() == 20, "and without a bound")
    crowd:close()
    crowd:close()
    refused(waymark.ERR_ARGUMENT, "closed", crowd:step(1e9))
    assert(first:step() == waymark.ERR_ARGUMENT, "now it is gone")
    refused(waymark.ERR_ARGUMENT, "agent 1 of the crowd is closed", waymark.crowd {first})
end

local function a_forgotten_crowd_lets_its_units_go()
    local map, db = load_world()
    local unit = unit_on_its_way(map, db)
    do
        local crowd = waymark.crowd {unit}
        crowd:step(1000)
        unit:close()
        assert(unit.handle ~= nil)
    end
    for _ = 1, 3 do collectgarbage() end
    assert(unit.handle == nil, "the collector has closed the crowd")
end

local function a_database_belongs_to_its_map()
    local _, db = load_world()
    local other = load_world()
    refused(waymark.ERR_MISMATCH, "open it again", waymark.agent(other, db))
end

local function what_is_closed_is_not_stood_on()
    local map, db = load_world()
    local scratch = waymark.scratch(map)
    local unit = assert(waymark.agent(map, db, {scratch = scratch}))
    db:close() -- the unit keeps it, but nobody else gets it
    scratch:close()
    refused(waymark.ERR_ARGUMENT, "closed", waymark.agent(map, db))
    refused(waymark.ERR_ARGUMENT, "closed", waymark.agent(map, nil, {scratch = scratch}))
    unit:close()
    refused(waymark.ERR_ARGUMENT, "closed", waymark.agent(map, db))
    refused(waymark.ERR_ARGUMENT, "closed", waymark.agent(map, nil, {scratch = scratch}))
    map:close()
    refused(waymark.ERR_ARGUMENT, "closed", waymark.db_open_memory(map, read "cave.wmb"))
    refused(waymark.ERR_ARGUMENT, "closed", waymark.scratch(map))
end

function love.load()
    maps_are_read_by_the_library()
    options_are_a_table()
    a_crowd_keeps_its_units()
    a_forgotten_crowd_lets_its_units_go()
    a_database_belongs_to_its_map()
    what_is_closed_is_not_stood_on()
    print "bound"
    love.event.quit()
end

-- Without a window there is nobody to read LOEVE's own error screen.
function love.errorhandler(message)
    print(debug.traceback(message))
    return function() return 1 end
end
