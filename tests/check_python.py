# SPDX-License-Identifier: MIT
"""The Python binding against waymark-run: same routes, same costs. Run by check_python.sh."""

import gc
import os
import re
import subprocess
import sys
import unittest

import waymark

BIN, MAP, DATABASE, SINGLE, HEADER = sys.argv[1:6]


def waymark_run(start, goal, *options):
    """The cost as printed and the cells of `waymark-run path`."""
    command = [f"{BIN}/waymark-run", "path", MAP, "--db", DATABASE,
               "--from", "%d,%d" % start, "--to", "%d,%d" % goal, *options]
    said = dict(line.split(": ", 1) for line in
                subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())
    return said["cost"], [tuple(map(int, cell.split(":"))) for cell in said["path"].split()]


class Binding(unittest.TestCase):
    def setUp(self):
        self.map = waymark.Map.load(MAP)
        self.db = waymark.Database.open(self.map, DATABASE)

    def tearDown(self):
        self.db.close()
        self.map.close()

    def problems(self):
        with open(MAP + ".scen", encoding="ascii") as scen:
            for line in scen.readlines()[1:13]:
                x, y, goal_x, goal_y = map(int, line.split()[4:8])
                yield (x, y), (goal_x, goal_y)

    def test_agents_walk_as_waymark_run_does(self):
        for algorithm in ("regions", "tb-wa:k=10"):
            for start, goal in self.problems():
                cost, cells = waymark_run(start, goal, "--algorithm", algorithm)
                with waymark.Agent(self.map, self.db, algorithm=algorithm) as unit:
                    self.assertEqual(unit.begin(start, goal), waymark.OK)
                    self.assertEqual(unit.route(), cells[1:])
                    walked = [unit.position]
                    while unit.step() == waymark.OK:
                        walked.append(unit.position)
                    walked.append(unit.position)
                    self.assertEqual(unit.result, waymark.ARRIVED)
                    self.assertEqual(walked, cells)
                    self.assertEqual("%.8f" % unit.statistics.cost, cost)
                    self.assertEqual(unit.statistics.moves, len(cells) - 1)

    def test_a_crowd_walks_as_its_agents_do_alone(self):
        units, costs = [], []
        for start, goal in self.problems():
            costs.append(waymark_run(start, goal, "--algorithm", "regions")[0])
            units.append(waymark.Agent(self.map, self.db, algorithm="regions"))
            units[-1].begin(start, goal)
        frame, moved = waymark.Frame(max_expansions=500), 0
        for _ in range(10000):
            waymark.agents_step(units + [None], frame)
            moved += frame.moved
            if frame.moved == 0:
                break
        self.assertEqual(["%.8f" % u.statistics.cost for u in units], costs)
        self.assertEqual(moved, sum(u.statistics.moves for u in units))

    def test_subgoals_lead_to_the_goal(self):
        start, goal = next(self.problems())
        at, hops = start, 0
        while at != goal and hops < 1000:
            at, hops = self.db.subgoal(at, goal), hops + 1
        self.assertEqual(at, goal)
        self.assertLess(hops, 1000)

    def test_a_database_opens_from_memory(self):
        with open(SINGLE, "rb") as file, waymark.Database.from_bytes(self.map, file.read()) as single:
            self.assertTrue(single.has("regions"))
            self.assertFalse(single.has("no such method"))
            self.assertGreater(single.stored_bytes, 0)
        with self.assertRaises(waymark.Error) as raised:
            waymark.Database.from_bytes(self.map, b"nonsense")
        self.assertEqual(raised.exception.status, waymark.Status.ERR_FORMAT)

    def test_maps_answer(self):
        rows = ["..#.", "..#.", "..##"]
        with waymark.Map.create(bytes(c == "." for row in rows for c in row), 4, 3, editable=True) as m:
            self.assertEqual((m.width, m.height, m.agent_size, m.revision), (4, 3, 1, 0))
            self.assertTrue(m.is_open((0, 0)))
            self.assertFalse(m.is_open((2, 0)))
            self.assertFalse(m.connected((0, 0), (3, 0)))
            self.assertEqual(m.component((2, 0)), 0)
            self.assertNotEqual(m.component((0, 0)), m.component((3, 0)))
            self.assertEqual(m.nearest((0, 0), (3, 0)), (1, 0))
            m.edit({(2, 0): True})
            self.assertEqual(m.revision, 1)
            self.assertTrue(m.connected((0, 0), (3, 0)))
        for too_few in ((b"123", 2, 2), (b"1234", 2, 2, -5), (b"1234", 2, 2, 1), (b"1234", 2, 2, 3), (b"1234", 5, 1, 4)):
            with self.assertRaises(ValueError):
                waymark.Map.create(*too_few)
        for no_size in ((0, 0), (-2, 2), (2, -2), (0, 2)):
            with self.assertRaises(waymark.Error):
                waymark.Map.create(b"1234", *no_size)
        with waymark.Map.create(b"\1\1\0\1\1", 1, 3, 2) as m:
            self.assertEqual([m.is_open((0, y)) for y in range(3)], [True, False, True])

    def test_maps_come_from_memory_too(self):
        with open(MAP, "rb") as file:
            content = file.read()
        with waymark.Map.from_bytes(content) as m, waymark.Map.from_bytes(content, agent_size=2) as large:
            self.assertEqual(m.hash, self.map.hash)
            self.assertNotEqual(large.hash, self.map.hash)
            with self.assertRaises(waymark.Error) as raised:  # the same cells, another object
                waymark.Agent(m, self.db)
            self.assertEqual(raised.exception.status, waymark.Status.ERR_MISMATCH)
        for bad in (b"", b"nonsense", content[: len(content) // 2]):
            with self.assertRaises(waymark.Error) as raised:
                waymark.Map.from_bytes(bad)
            self.assertEqual(raised.exception.status, waymark.Status.ERR_FORMAT)
            self.assertIn("in memory", str(raised.exception))

    def test_agents_do_what_the_database_allows_unless_told(self):
        start, goal = next(self.problems())
        cost, _ = waymark_run(start, goal, "--algorithm", "auto")
        with waymark.Agent(self.map, self.db) as unit:
            unit.begin(start, goal)
            frame = waymark.Frame()
            while unit.result == waymark.OK:
                waymark.agents_step([unit], frame)
            self.assertEqual("%.8f" % unit.statistics.cost, cost)
        with waymark.Agent(self.map) as unit:
            self.assertEqual(unit.begin(start, goal), waymark.OK)

    def test_agents_go_to_the_nearest_cell_and_share_a_scratch(self):
        with waymark.Map.create(b"\1\1\0\1", 4, 1) as m, waymark.Scratch(m) as scratch:
            with waymark.Agent(m, nearest_goal=True, scratch=scratch) as unit:
                self.assertEqual(unit.begin((0, 0), (3, 0)), waymark.OK)
                self.assertEqual(unit.goal, (1, 0))
                unit.reset()
                self.assertEqual(unit.result, waymark.Status.ERR_ARGUMENT)
            with waymark.Agent(m, scratch=scratch) as unit:
                self.assertEqual(unit.begin((0, 0), (3, 0)), waymark.NO_PATH)

    def test_errors_have_the_librarys_sentence(self):
        with self.assertRaises(waymark.Error) as raised:
            waymark.Map.load("no such.map")
        self.assertEqual(raised.exception.status, waymark.Status.ERR_NOT_FOUND)
        self.assertIn("no such.map", str(raised.exception))
        with waymark.Agent(self.map) as unit, self.assertRaises(waymark.Error):
            unit.step()

    def test_what_does_not_fit_is_refused_and_not_cut(self):
        too_large = 2**32 + 4
        agent = waymark.Agent(self.map)
        for use in (
            lambda: self.map.is_open((too_large, 4)),
            lambda: self.map.nearest((4, 4), (4, -too_large)),
            lambda: agent.begin((4, 4), (4, too_large)),
            lambda: waymark.Map.create(b"1", 1 - 2**32, 1),
            lambda: waymark.Map.load(MAP, agent_size=2**32 + 2),
            lambda: waymark.Database.open(self.map, DATABASE, max_bytes=-1),
            lambda: waymark.Scratch(self.map, -1),
            lambda: waymark.Frame(-1),
        ):
            self.assertRaises(OverflowError, use)
        for use in (
            lambda: waymark.Map.load(MAP + "\0.png"),
            lambda: waymark.Database.open(self.map, DATABASE + "\0"),
            lambda: waymark.Database.open(self.map, DATABASE, name="grotto\0"),
            lambda: waymark.Agent(self.map, algorithm="tb-wa\0:k=0"),
            lambda: self.db.has("regions\0"),
            lambda: self.map.is_open((4,)),
        ):
            self.assertRaises(ValueError, use)
        self.assertEqual(agent.result, waymark.Status.ERR_ARGUMENT)

    def test_an_object_of_another_class_is_refused(self):
        scratch, agent = waymark.Scratch(self.map), waymark.Agent(self.map)
        for use in (
            lambda: waymark.Agent(agent),
            lambda: waymark.Agent(self.map, self.map),
            lambda: waymark.Agent(self.map, self.db, scratch=self.db),
            lambda: waymark.Database.open(scratch, DATABASE),
            lambda: waymark.Scratch(self.db),
            lambda: waymark.agents_step([agent, self.map], waymark.Frame()),
            lambda: waymark.agents_step([agent], None),
        ):
            self.assertRaises(TypeError, use)

    def test_objects_may_be_closed_in_any_order(self):
        m = waymark.Map.load(MAP)
        db = waymark.Database.open(m, DATABASE)
        unit = waymark.Agent(m, db, algorithm="regions")
        start, goal = next(self.problems())
        unit.begin(start, goal)
        m.close()
        db.close()
        m.close()
        self.assertEqual(unit.step(), waymark.OK)
        with self.assertRaises(ValueError):
            m.width
        with self.assertRaises(ValueError):
            waymark.Agent(m)
        unit.close()
        with self.assertRaises(ValueError):
            unit.step()
        cycle = [waymark.Agent(self.map)]
        cycle.append(cycle)
        del cycle
        gc.collect()

    def test_enums_and_functions_are_those_of_the_header(self):
        with open(HEADER, encoding="ascii") as file:
            text = file.read()
        for kind in (waymark.Status, waymark.Diagonal, waymark.Terrain, waymark.Heuristic):
            prefix = "WM_" if kind is waymark.Status else f"WM_{kind.__name__.upper()}_"
            body = re.search(r"typedef enum wm_%s \{(.*?)\}" % kind.__name__.lower(), text, re.S).group(1)
            declared = {n: int(v) for n, v in re.findall(r"(WM_\w+)\s*=\s*(-?\d+)", body)}
            self.assertEqual({prefix + member.name: member.value for member in kind}, declared)
        with open(waymark.__file__, encoding="ascii") as file:
            bound = set(re.findall(r'\("(wm_\w+)"', file.read()))
        self.assertEqual(bound, set(re.findall(r"\b(wm_\w+)\(", re.sub(r"//.*", "", text))))
        self.assertRegex(waymark.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
