-- With WAYMARK_HEADLESS set the game has no window: it walks from one cell to another, and prints how.
function love.conf(t)
    local headless = os.getenv "WAYMARK_HEADLESS" ~= nil
    t.identity = "waymark"
    t.version = "11.4"
    t.window.title = "Waymark"
    t.window.width, t.window.height = 1120, 760
    t.window.msaa = 4
    t.modules.window = not headless
    t.modules.graphics = not headless
    t.modules.audio, t.modules.sound, t.modules.physics, t.modules.joystick = false, false, false, false
end
