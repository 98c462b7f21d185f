// SPDX-License-Identifier: MIT
//
// Walks one agent by Waymark.cs, in several ways, and prints the cost and the cells as waymark-run does.
using System;
using System.IO;
using System.Text;
using System.Threading;
using Waymark;

static class Check
{
    static void That(bool truth, string sentence)
    {
        if (truth) return;
        Console.Error.WriteLine("not so: " + sentence);
        Environment.Exit(1);
    }

    static Point Read(string text)
    {
        string[] parts = text.Split(',');
        return new Point(int.Parse(parts[0]), int.Parse(parts[1]));
    }

    static string Walk(Agent unit, Point from, Point to)
    {
        var cells = new StringBuilder(from.ToString());
        That(unit.Begin(from, to) == Status.Ok, "the walk begins");
        var route = new Point[4096];
        int length;
        That(unit.Route(new Point[1], out length) == Status.ErrShort && length > 1, "a short buffer tells the length");
        That(unit.Route(route, out length) == Status.Ok, "the route is told");
        Status status = Status.Ok;
        for (int i = 0; status == Status.Ok; i++)
        {
            status = unit.Step();
            That(route[i].Equals(unit.Position), "the route is what is walked");
            cells.Append(' ').Append(unit.Position);
        }
        That(status == Status.Arrived && unit.Result == Status.Arrived, "the unit arrives");
        That(unit.Position.Equals(to) && unit.Statistics.Moves == (ulong)length, "it is at the goal, after that many moves");
        return cells.ToString();
    }

    static void WalkTogether(Map map, Database db, Point from, Point to, double cost)
    {
        var units = new Agent[100];
        for (int i = 1; i < units.Length; i++)
        {
            units[i] = new Agent(map, db, new AgentOptions { Algorithm = "regions" });
            That(units[i].Begin(from, to) == Status.Ok, "each begins");
        }
        using (var crowd = new Crowd(units))
        {
            var frame = new Frame(1000);
            That(Frame.Default.MaxExpansions == ulong.MaxValue, "by default there is no bound");
            int ended = 0;
            for (int i = 0; i < 100000 && ended < units.Length - 1; i++)
            {
                That(crowd.Step(ref frame) == Status.Ok, "the crowd steps");
                ended += frame.Ended;
            }
            for (int i = 1; i < units.Length; i++) That(units[i].Statistics.Cost == cost, "all walk the same way");
        }
    }

    // What is called every frame makes no garbage: not one collection while a million calls are made.
    static void StepWithoutGarbage(Map map, Database db, Point from, Point to)
    {
        var unit = new Agent(map, db, new AgentOptions { Algorithm = "regions" });
        var crowd = new Crowd(new[] { unit });
        var frame = new Frame(1000);
        Point subgoal;
        unit.Begin(from, to);
        crowd.Step(ref frame);
        GC.Collect();
        int collections = GC.CollectionCount(0);
        long before = GC.GetTotalMemory(false);
        for (int i = 0; i < 300000; i++)
        {
            if (unit.Result != Status.Ok) unit.Begin(from, to);
            unit.Step();
            crowd.Step(ref frame);
            db.Subgoal(unit.Position, to, out subgoal);
        }
        That(GC.CollectionCount(0) == collections, "nothing was collected");
        That(GC.GetTotalMemory(false) - before < 100000, "nothing was allocated");
        crowd.Dispose();
    }

    static void Refuse(Map map)
    {
        try
        {
            Map.Load("no such.map");
            That(false, "a missing map is refused");
        }
        catch (WaymarkException e)
        {
            That(e.Status == Status.ErrNotFound && e.Message.Contains("no such.map"), "the sentence names the file");
        }
        try
        {
            Database.Open(map, new byte[] { 1, 2, 3 });
            That(false, "nonsense is refused");
        }
        catch (WaymarkException e)
        {
            That(e.Status == Status.ErrFormat, "nonsense is a damaged format");
        }
        try
        {
            Map.Load(new byte[] { 1, 2, 3 });
            That(false, "a map of nonsense is refused");
        }
        catch (WaymarkException e)
        {
            That(e.Status == Status.ErrFormat, "it is a damaged format too");
        }
        RefuseCells(2, 2, -5);
        RefuseCells(2, 2, 1);
        RefuseCells(2, 2, 3);
        RefuseCells(-2, 2, 2);
        RefuseCells(2, 0, 2);
    }

    static void RefuseCells(int width, int height, int stride)
    {
        try
        {
            Map.Create(new byte[] { 1, 1, 1, 1 }, width, height, stride);
            That(false, "cells that are not there are refused");
        }
        catch (ArgumentException) { }
    }

    static void Disposed(Action use, string sentence)
    {
        try
        {
            use();
            That(false, sentence);
        }
        catch (ObjectDisposedException) { }
    }

    // What is gone is not used: not even where it would lie in the memory of something else by now.
    static void RefuseWhatIsDisposed(string mapPath, string dbPath)
    {
        using (var map = Map.Load(mapPath))
        {
            var gone = Map.Load(mapPath);
            var db = Database.Open(map, dbPath);
            var scratch = new Scratch(map);
            var unit = new Agent(map, db);
            gone.Dispose();
            db.Dispose();
            scratch.Dispose();
            unit.Dispose(); // and with it the database
            Disposed(() => Database.Open(gone, dbPath), "a database on a map that is gone is refused");
            Disposed(() => new Agent(gone), "an agent on a map that is gone is refused");
            Disposed(() => new Agent(map, db), "an agent with a database that is gone is refused");
            Disposed(() => new Agent(map, null, new AgentOptions { Scratch = scratch }), "and with a scratch that is gone");
            Disposed(() => unit.Step(), "an agent that is gone does not step");
            var other = new Agent(map);
            Disposed(() => new Crowd(new[] { other, unit }), "a crowd of one that is gone is refused");
            var crowd = new Crowd(new[] { other });
            crowd.Dispose();
            crowd.Dispose();
            var frame = Frame.Default;
            That(crowd.Step(ref frame) == Status.ErrArgument, "a crowd that is gone does not step");
            other.Dispose();
            That(other.IsClosed, "neither crowd keeps the agent");
        }
    }

    // Made by a thread of their own: collectors look for addresses on the stacks of those that run.
    static void ForgottenCrowdsLetTheirAgentsGo(string mapPath)
    {
        var map = Map.Load(mapPath);
        var thread = new Thread(() =>
        {
            for (int i = 0; i < 50; i++) new Crowd(new[] { new Agent(map), null, new Agent(map) });
        });
        thread.Start();
        thread.Join();
        map.Dispose();
        for (int i = 0; i < 100 && !map.IsClosed; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        That(map.IsClosed, "the collector has released crowds, agents and the map");
    }

    static void ReadWithOptions(Map map, string path)
    {
        using (var named = Database.Open(map, path, new DatabaseOptions { Name = "grotto" }))
            That(named.Has("regions"), "the database is found by its name");
        try
        {
            Database.Open(map, path, new DatabaseOptions { Name = "another" });
            That(false, "another name is refused");
        }
        catch (WaymarkException e)
        {
            That(e.Status == Status.ErrNotFound && e.Message.Contains("another"), "the sentence has the name");
        }
        try
        {
            Database.Open(map, File.ReadAllBytes(path.Replace(".wmdb", ".wmb")), new DatabaseOptions { MaxBytes = 10 });
            That(false, "too large a database is refused");
        }
        catch (WaymarkException e)
        {
            That(e.Status == Status.ErrMemory && e.Message.Contains("limit of 10"), "the sentence has the limit");
        }
        try
        {
            Map.Load("data/grotto.map\0.png");
            That(false, "a path that ends early is refused");
        }
        catch (ArgumentException) { }
    }

    static void EditAndGoNear()
    {
        var map = Map.Create(new byte[] { 1, 1, 0, 1 }, 4, 1, 4, new MapOptions { Editable = true });
        Point near;
        That(map.Width == 4 && map.Height == 1 && map.AgentSize == 1, "the map has its size");
        That(map.Nearest(new Point(0, 0), new Point(3, 0), out near) == Status.Ok && near.Equals(new Point(1, 0)), "near");
        var scratch = new Scratch(map);
        var unit = new Agent(map, null, new AgentOptions { NearestGoal = true, Scratch = scratch });
        That(unit.Begin(new Point(0, 0), new Point(3, 0)) == Status.Ok && unit.Goal.Equals(near), "it goes near");
        map.Edit(new[] { new CellEdit(new Point(2, 0), true) });
        That(map.Revision == 1 && map.Connected(new Point(0, 0), new Point(3, 0)), "the edit opens the way");
        map.Dispose(); // in the wrong order: the unit still stands on it
        scratch.Dispose();
        That(unit.Step() == Status.Ok, "it steps on a map that only it keeps");
        unit.Dispose();
    }

    static int Main(string[] args)
    {
        Point from = Read(args[3]), to = Read(args[4]), at = from;
        using (var map = Map.Load(args[0]))
        using (var db = Database.Open(map, args[1]))
        using (var single = Database.Open(map, File.ReadAllBytes(args[2])))
        using (var unit = new Agent(map, db, new AgentOptions { Algorithm = "regions" }))
        using (var other = new Agent(map, single, new AgentOptions { Algorithm = "regions" }))
        {
            string cells = Walk(unit, from, to);
            That(cells == Walk(other, from, to), "a database in memory leads the same way");
            That(db.Has("regions") && !db.Has("knn") && db.StoredBytes > 0, "the database tells what it has");
            for (int i = 0; i < 1000 && !at.Equals(to); i++)
                That(single.Subgoal(at, to, out at) == Status.Ok, "there is a subgoal");
            That(at.Equals(to), "subgoals lead to the goal");
            WalkTogether(map, db, from, to, unit.Statistics.Cost);
            StepWithoutGarbage(map, db, from, to);
            Refuse(map);
            ReadWithOptions(map, args[1]);
            using (var memory = Map.Load(File.ReadAllBytes(args[0])))
                That(memory.Hash == map.Hash, "a map in memory is the same map");
            Console.WriteLine("cost: " + unit.Statistics.Cost.ToString("F8", System.Globalization.CultureInfo.InvariantCulture));
            Console.WriteLine("path: " + cells);
        }
        EditAndGoNear();
        RefuseWhatIsDisposed(args[0], args[1]);
        ForgottenCrowdsLetTheirAgentsGo(args[0]);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return 0;
    }
}
