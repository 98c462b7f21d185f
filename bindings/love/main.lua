-- A small game: click, and the units walk there. Its folder holds cave.map, cave.wmb and the library (make.sh).
local waymark = require "waymark"

local CELL = 10              -- pixels
local TOP = 60               -- of the map, below the headline
local UNITS = 90
local MOVE_SECONDS = 0.07    -- from cell to cell
local MAX_EXPANSIONS = 20000 -- for all units, in one frame
local TRAIL = 26

local map, db, crowd, floor
local units = {}
local agents = {}
local target, target_age = nil, 0
local show_subgoals, show_routes = false, false
local clock = 0
local moves_made, frame_us = 0, 0

-- The world ---------------------------------------------------------------------------------------

local function must(value, sentence) return value or error(sentence, 0) end

local function load_world()
    map = must(waymark.map_load_memory(must(love.filesystem.read "cave.map")))
    db = must(waymark.db_open_memory(map, must(love.filesystem.read "cave.wmb")))
end

local function random_cell()
    local x, y
    repeat
        x, y = love.math.random(0, map:width() - 1), love.math.random(0, map:height() - 1)
    until map:is_open(x, y)
    return x, y
end

local function place_units()
    for i = 1, UNITS do
        local x, y = random_cell()
        local agent = must(waymark.agent(map, db, {algorithm = "regions", nearest_goal = true}))
        units[i] = {agent = agent, x = x, y = y, from_x = x, from_y = y, hue = (i * 0.381966) % 1, trail = {}}
        agents[i] = agent
    end
    crowd = waymark.crowd(agents)
end

-- To where the click was, a little apart from each other.
local function send(x, y)
    target, target_age = {x = x, y = y}, 0
    for i, unit in ipairs(units) do
        local angle, distance = i * 2.399963, 0.62 * math.sqrt(i - 1) -- a sunflower
        unit.agent:begin(unit.x, unit.y, x + math.floor(distance * math.cos(angle) + 0.5),
            y + math.floor(distance * math.sin(angle) + 0.5))
    end
end

local function wander()
    target = nil
    for _, unit in ipairs(units) do
        unit.agent:begin(unit.x, unit.y, random_cell())
    end
end

local function move_units()
    local before = love.timer.getTime()
    local moved = crowd:step(MAX_EXPANSIONS)
    frame_us = (love.timer.getTime() - before) * 1e6
    moves_made = moves_made + moved
    for _, unit in ipairs(units) do
        local x, y = unit.agent:position()
        unit.from_x, unit.from_y = unit.x, unit.y
        if x >= 0 then unit.x, unit.y = x, y end
        table.insert(unit.trail, 1, {unit.from_x, unit.from_y})
        unit.trail[TRAIL] = nil
    end
end

-- Pictures ----------------------------------------------------------------------------------------

local function hue_color(hue, alpha)
    local function channel(shift) return 0.62 + 0.38 * math.cos(2 * math.pi * (hue + shift)) end
    return channel(0), channel(0.67), channel(0.33), alpha or 1
end

local function center(x, y) return (x + 0.5) * CELL, TOP + (y + 0.5) * CELL end

-- Floors are lit, walls have a face where the floor begins below them.
local function paint_floor()
    floor = love.graphics.newCanvas(map:width() * CELL, map:height() * CELL)
    love.graphics.setCanvas(floor)
    love.graphics.clear(0.055, 0.063, 0.094)
    for y = 0, map:height() - 1 do
        for x = 0, map:width() - 1 do
            if map:is_open(x, y) then
                local light = 0.02 * love.math.noise(x * 0.9, y * 0.9) + 0.07 * love.math.noise(x * 0.07, y * 0.07)
                love.graphics.setColor(0.14 + light, 0.165 + light, 0.22 + 1.3 * light)
                love.graphics.rectangle("fill", x * CELL, y * CELL, CELL, CELL)
                if not map:is_open(x, y - 1) then
                    love.graphics.setColor(0.33, 0.36, 0.46)
                    love.graphics.rectangle("fill", x * CELL, y * CELL - 5, CELL, 5)
                    for shade = 0, 6 do
                        love.graphics.setColor(0, 0, 0, 0.30 - 0.043 * shade)
                        love.graphics.rectangle("fill", x * CELL, y * CELL + shade, CELL, 1)
                    end
                end
                love.graphics.setColor(0.24, 0.27, 0.35)
                if not map:is_open(x - 1, y) then love.graphics.rectangle("fill", x * CELL - 1, y * CELL, 2, CELL) end
                if not map:is_open(x + 1, y) then love.graphics.rectangle("fill", (x + 1) * CELL - 1, y * CELL, 2, CELL) end
                if not map:is_open(x, y + 1) then love.graphics.rectangle("fill", x * CELL, (y + 1) * CELL - 1, CELL, 2) end
            end
        end
    end
    love.graphics.setCanvas()
end

local function draw_route(unit)
    local route = unit.agent:route()
    if not route or #route < 4 then return end
    local pixels = {}
    for i = 1, #route, 2 do pixels[i], pixels[i + 1] = center(route[i], route[i + 1]) end
    love.graphics.setColor(hue_color(unit.hue, 0.35))
    love.graphics.setLineWidth(1.5)
    love.graphics.line(pixels)
end

-- The chain that the database has in mind for a unit, one query a link.
local function draw_subgoals(unit)
    if unit.agent:result() ~= waymark.OK then return end
    local x, y = unit.x, unit.y
    local goal_x, goal_y = unit.agent:goal()
    love.graphics.setLineWidth(1)
    for _ = 1, 200 do
        local next_x, next_y = db:subgoal(x, y, goal_x, goal_y)
        if not next_x then return end
        local ax, ay = center(x, y)
        local bx, by = center(next_x, next_y)
        love.graphics.setColor(hue_color(unit.hue, 0.22))
        love.graphics.line(ax, ay, bx, by)
        love.graphics.setColor(hue_color(unit.hue, 0.9))
        love.graphics.polygon("fill", bx, by - 4, bx + 4, by, bx, by + 4, bx - 4, by)
        love.graphics.setColor(1, 1, 1, 0.9)
        love.graphics.polygon("fill", bx, by - 2, bx + 2, by, bx, by + 2, bx - 2, by)
        x, y = next_x, next_y
    end
end

local function draw_unit(unit, part)
    local x, y = center(unit.from_x + (unit.x - unit.from_x) * part, unit.from_y + (unit.y - unit.from_y) * part)
    local last_x, last_y = x, y
    love.graphics.setLineWidth(3)
    for i, cell in ipairs(unit.trail) do
        local trail_x, trail_y = center(cell[1], cell[2])
        love.graphics.setColor(hue_color(unit.hue, 0.5 * (1 - i / TRAIL)))
        love.graphics.line(last_x, last_y, trail_x, trail_y)
        last_x, last_y = trail_x, trail_y
    end
    love.graphics.setColor(hue_color(unit.hue, 0.18))
    love.graphics.circle("fill", x, y, 9)
    love.graphics.setColor(0, 0, 0, 0.5)
    love.graphics.circle("fill", x + 1, y + 1.5, 4.8)
    love.graphics.setColor(hue_color(unit.hue))
    love.graphics.circle("fill", x, y, 4.5)
    love.graphics.setColor(1, 1, 1, 0.8)
    love.graphics.circle("fill", x - 1.3, y - 1.5, 1.4)
end

local function draw_target()
    if not target then return end
    local x, y = center(target.x, target.y)
    love.graphics.setLineWidth(2)
    for ring = 0, 2 do
        local phase = (target_age * 0.8 + ring / 3) % 1
        love.graphics.setColor(1, 0.86, 0.45, 0.8 * (1 - phase))
        love.graphics.circle("line", x, y, 6 + 38 * phase)
    end
end

local title_font, text_font

local function draw_headline()
    love.graphics.setColor(0.10, 0.115, 0.16)
    love.graphics.rectangle("fill", 0, 0, love.graphics.getWidth(), TOP)
    love.graphics.setColor(0.95, 0.96, 1)
    love.graphics.setFont(title_font)
    love.graphics.print("Waymark", 18, 14)
    love.graphics.setFont(text_font)
    love.graphics.setColor(0.66, 0.70, 0.80)
    love.graphics.print(("%d units   %d moves   %d bytes of database"):format(#units, moves_made, db:stored_bytes()), 180, 12)
    love.graphics.print(("last frame: %.0f us for all units"):format(frame_us), 180, 31)
    love.graphics.printf("click: walk there    space: wander    S: subgoals    R: routes    esc: quit", 0, 22,
        love.graphics.getWidth() - 18, "right")
end

-- Headless ----------------------------------------------------------------------------------------

-- Walks from "X,Y" to "X,Y" and prints what waymark-run prints of it.
local function walk_and_print(from, to)
    local x, y = from:match "(%d+),(%d+)"
    local goal_x, goal_y = to:match "(%d+),(%d+)"
    x, y, goal_x, goal_y = tonumber(x), tonumber(y), tonumber(goal_x), tonumber(goal_y)
    local unit = must(waymark.agent(map, db, {algorithm = "regions"}))
    assert(unit:begin(x, y, goal_x, goal_y) == waymark.OK)
    local route = assert(unit:route())
    local cells = {("%d:%d"):format(x, y)}
    repeat
        local status = unit:step()
        cells[#cells + 1] = ("%d:%d"):format(unit:position())
        assert(cells[#cells] == ("%d:%d"):format(route[2 * #cells - 3], route[2 * #cells - 2]), "the route is what is walked")
    until status ~= waymark.OK
    assert(unit:result() == waymark.ARRIVED)
    local hops = 0
    while x ~= goal_x or y ~= goal_y do
        x, y = assert(db:subgoal(x, y, goal_x, goal_y))
        hops = hops + 1
        assert(hops < 1000, "subgoals lead to the goal")
    end
    print(("cost: %.8f"):format(unit:statistics().cost))
    print("path: " .. table.concat(cells, " "))
    map:close() -- in the wrong order: the others still stand on it
    unit:close()
    db:close()
end

-- LOEVE's calls -----------------------------------------------------------------------------------

-- Arguments: --walk X,Y X,Y (headless); --screenshot SECONDS plays by itself for so long, saves screenshot.png, and ends.
local screenshot_after

function love.load(arguments)
    load_world()
    if arguments[1] == "--walk" then
        walk_and_print(arguments[2], arguments[3])
        return love.event.quit()
    end
    love.math.setRandomSeed(7)
    title_font, text_font = love.graphics.newFont(26), love.graphics.newFont(13)
    place_units()
    paint_floor()
    wander()
    if arguments[1] == "--screenshot" then
        screenshot_after = tonumber(arguments[2])
        show_subgoals = true
        send(map:nearest(units[1].x, units[1].y, 62, 24))
    end
end

function love.update(seconds)
    if screenshot_after then seconds = 1 / 60 end
    target_age = target_age + seconds
    clock = clock + seconds
    while clock >= MOVE_SECONDS do
        clock = clock - MOVE_SECONDS
        move_units()
    end
end

function love.draw()
    love.graphics.setColor(1, 1, 1)
    love.graphics.draw(floor, 0, TOP)
    for _, unit in ipairs(units) do
        if show_routes then draw_route(unit) end
        if show_subgoals then draw_subgoals(unit) end
    end
    draw_target()
    for _, unit in ipairs(units) do draw_unit(unit, clock / MOVE_SECONDS) end
    draw_headline()
    if screenshot_after then
        screenshot_after = screenshot_after - 1 / 60
        if screenshot_after <= 0 then
            screenshot_after = nil
            love.graphics.captureScreenshot(function(image)
                image:encode("png", "screenshot.png")
                love.event.quit()
            end)
        end
    end
end

function love.mousepressed(x, y)
    send(math.floor(x / CELL), math.floor((y - TOP) / CELL))
end

function love.keypressed(key)
    if key == "s" then show_subgoals = not show_subgoals end
    if key == "r" then show_routes = not show_routes end
    if key == "space" then wander() end
    if key == "escape" then love.event.quit() end
end
