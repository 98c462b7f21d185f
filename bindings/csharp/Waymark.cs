// SPDX-License-Identifier: MIT
//
// Waymark for C#: waymark.h through P/Invoke, for Unity and others. One file, C# 6, no unsafe code.
//
//   using (var map = Map.Load("grotto.map"))
//   using (var db = Database.Open(map, "maps.wmdb"))
//   using (var unit = new Agent(map, db, new AgentOptions { Algorithm = "auto" }))
//       if (unit.Begin(new Point(4, 4), new Point(90, 90)) == Status.Ok)
//           while (unit.Step() == Status.Ok) Draw(unit.Position);
//
// The objects and their rules are those of waymark.h, which is the manual. Making an object throws a
// WaymarkException with the library's sentence; what is called every frame returns a Status and makes
// no garbage: Step, Crowd.Step, Position, Begin, Subgoal, Route. Dispose what you make; objects stay
// alive while others stand on them, in whatever order they are disposed of or collected.
//
// The native library is libwaymark.so.1, waymark.dll or libwaymark.dylib; define WAYMARK_INTERNAL
// where it is linked into the player (iOS, WebGL).
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Waymark
{
    public enum Status
    {
        Ok = 0, Arrived = 1, NoPath = 2, ErrArgument = -1, ErrMemory = -2, ErrIo = -3, ErrFormat = -4,
        ErrVersion = -5, ErrMismatch = -6, ErrNotFound = -7, ErrBusy = -8, ErrInterrupted = -9,
        ErrTooFew = -10, ErrBlocked = -11, ErrShort = -12,
    }

    /// When a diagonal step is legal.
    public enum Diagonal { None = 0, Squeeze = 1 }

    /// What an agent knows of the map.
    public enum Terrain { Known = 0, Unknown = 1 }

    /// How an agent guesses distances.
    public enum Heuristic { Octile = 0, Max = 1, Min = 2 }

    /// A cell by its column and row; (0,0) is the upper left corner, y grows downward.
    [StructLayout(LayoutKind.Sequential)]
    public struct Point : IEquatable<Point>
    {
        public int X, Y;

        public Point(int x, int y) { X = x; Y = y; }
        public bool Equals(Point other) { return X == other.X && Y == other.Y; }
        public override bool Equals(object other) { return other is Point && Equals((Point)other); }
        public override int GetHashCode() { return X * 4099 + Y; }
        public override string ToString() { return X + ":" + Y; }
    }

    /// A cell that becomes open, or blocked.
    [StructLayout(LayoutKind.Sequential)]
    public struct CellEdit
    {
        public Point At;
        byte open; // one byte, so that arrays of these go to the library as they are

        public CellEdit(Point at, bool isOpen) { At = at; open = (byte)(isOpen ? 1 : 0); }
        public bool IsOpen { get { return open != 0; } }
    }

    /// What an agent has done since it was begun: wm_agent_stats.
    [StructLayout(LayoutKind.Sequential)]
    public struct Statistics
    {
        public ulong Moves, Waits, BackMoves, Expansions, MaxExpansionsPerMove;
        public double Cost;
        public UIntPtr MemoryBytes;
    }

    /// The share of a frame that a crowd gets: wm_frame. Keep it from frame to frame.
    [StructLayout(LayoutKind.Sequential)]
    public struct Frame
    {
        public ulong MaxExpansions; ///< In: for one call.
        UIntPtr next;
        UIntPtr moved, ended;
        public ulong Expansions; ///< Out: what it came to.

        /// Without a bound.
        public static Frame Default { get { return Native.wm_frame_default(); } }
        public Frame(ulong maxExpansions) { this = Default; MaxExpansions = maxExpansions; }
        public int Moved { get { return (int)moved; } } ///< Agents that were stepped.
        public int Ended { get { return (int)ended; } } ///< Those of them that are no longer on their way.
    }

    public sealed class WaymarkException : Exception
    {
        public Status Status { get; private set; }

        internal WaymarkException(Status status, string message) : base(message) { Status = status; }
    }

    public struct MapOptions
    {
        public Diagonal Diagonal;
        public bool Editable;
        public int AgentSize; ///< 0 is the default, 1.
    }

    public struct DatabaseOptions
    {
        public string Name;    ///< null is the default: found by the map's hash.
        public ulong MaxBytes; ///< Refuse to unpack more than this. 0 is the default, 256 MiB.
    }

    public struct AgentOptions
    {
        public string Algorithm; ///< null is the default, "auto".
        public Terrain Terrain;
        public Heuristic Heuristic;
        public bool SkipReachableCheck;
        public bool NearestGoal;
        public Scratch Scratch;
    }

    /// A wm_ object. It keeps those that it stands on: collected in any order, released in the right one.
    public abstract class Handle : SafeHandle
    {
        Handle[] needs = new Handle[0];

        protected Handle() : base(IntPtr.Zero, true) { }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        internal void Own(IntPtr made, params Handle[] standsOn)
        {
            needs = standsOn;
            foreach (Handle need in needs)
            {
                bool added = false;
                if (need != null) need.DangerousAddRef(ref added);
            }
            SetHandle(made);
        }

        protected abstract void Release(IntPtr made);

        protected override bool ReleaseHandle()
        {
            Release(handle);
            foreach (Handle need in needs)
                if (need != null) need.DangerousRelease();
            return true;
        }

        internal static void Check(Status status, byte[] error)
        {
            if (status == Status.Ok) return;
            int length = error == null ? 0 : Array.IndexOf(error, (byte)0);
            throw new WaymarkException(status, length > 0 ? Encoding.UTF8.GetString(error, 0, length) : status.ToString());
        }

        // Where the object lies, none for null. What was disposed of may lie there no more.
        internal static IntPtr Address(Handle handle)
        {
            if (handle == null) return IntPtr.Zero;
            if (handle.IsClosed) throw new ObjectDisposedException(handle.GetType().Name);
            return handle.DangerousGetHandle();
        }

        internal static byte[] Utf8(string text)
        {
            if (text == null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException("a text with a zero in it would end there");
            return Encoding.UTF8.GetBytes(text + "\0");
        }
    }

    // A text that stays where it is until it is disposed of.
    struct PinnedText : IDisposable
    {
        GCHandle bytes;

        internal PinnedText(string text)
        {
            bytes = text == null ? default(GCHandle) : GCHandle.Alloc(Handle.Utf8(text), GCHandleType.Pinned);
        }

        internal IntPtr Address { get { return bytes.IsAllocated ? bytes.AddrOfPinnedObject() : IntPtr.Zero; } }
        public void Dispose() { if (bytes.IsAllocated) bytes.Free(); }
    }

    /// wm_map: a grid. Any number of threads may share it; an edit needs it to itself.
    public sealed class Map : Handle
    {
        Map() { }

        /// Loads a MovingAI .map file.
        public static Map Load(string path, MapOptions options = default(MapOptions))
        {
            var config = Config(options);
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            Check(Native.wm_map_load(out made, Utf8(path), ref config, error), error);
            var map = new Map();
            map.Own(made);
            return map;
        }

        /// The same for the content of such a file: a TextAsset, say.
        public static Map Load(byte[] bytes, MapOptions options = default(MapOptions))
        {
            var config = Config(options);
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            Check(Native.wm_map_load_memory(out made, bytes, (UIntPtr)bytes.Length, ref config, error), error);
            var map = new Map();
            map.Own(made);
            return map;
        }

        /// Makes a map from one byte a cell, row by row: zero is blocked, anything else is open.
        public static Map Create(byte[] open, int width, int height, int stride, MapOptions options = default(MapOptions))
        {
            if (width < 1 || height < 1 || stride < width || open.Length < (height - 1) * (long)stride + width)
                throw new ArgumentException("too few bytes for so many rows and columns");
            var config = Config(options);
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            Check(Native.wm_map_create(out made, open, width, height, (UIntPtr)stride, ref config, error), error);
            var map = new Map();
            map.Own(made);
            return map;
        }

        static Native.MapConfig Config(MapOptions options)
        {
            var config = Native.wm_map_config_default();
            config.diagonal = options.Diagonal;
            config.editable = (byte)(options.Editable ? 1 : 0);
            if (options.AgentSize != 0) config.agent_size = options.AgentSize;
            return config;
        }

        /// Changes cells of an editable map. No agent may be stepped meanwhile.
        public void Edit(CellEdit[] edits)
        {
            var error = new byte[Native.ErrorBytes];
            Check(Native.wm_map_edit(this, edits, (UIntPtr)edits.Length, error), error);
        }

        public int Width { get { return Native.wm_map_width(this); } }
        public int Height { get { return Native.wm_map_height(this); } }
        public ulong Hash { get { return Native.wm_map_hash(this); } }
        public uint Revision { get { return Native.wm_map_revision(this); } }
        public int AgentSize { get { return Native.wm_map_agent_size(this); } }
        public bool IsOpen(Point point) { return Native.wm_map_is_open(this, point) != 0; }
        public bool Connected(Point a, Point b) { return Native.wm_map_connected(this, a, b) != 0; }
        public uint Component(Point point) { return Native.wm_map_component(this, point); }

        /// The cell nearest to `wanted` that a walk from `from` reaches.
        public Status Nearest(Point from, Point wanted, out Point nearest)
        {
            return Native.wm_map_nearest(this, from, wanted, out nearest);
        }

        protected override void Release(IntPtr made) { Native.wm_map_unload(made); }
    }

    /// wm_db: search data that waymark-build made for a map. Any number of threads may share it.
    public sealed class Database : Handle
    {
        Database() { }

        /// Reads and checks the map's data in a .wmdb or .wmb file.
        public static Database Open(Map map, string path, DatabaseOptions options = default(DatabaseOptions))
        {
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            using (var name = new PinnedText(options.Name))
            {
                var config = Config(options, name);
                Check(Native.wm_db_open(out made, map, Utf8(path), ref config, error), error);
            }
            var db = new Database();
            db.Own(made, map);
            return db;
        }

        /// The same for the bytes of a .wmb file: a TextAsset, say. The name is not used.
        public static Database Open(Map map, byte[] bytes, DatabaseOptions options = default(DatabaseOptions))
        {
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            using (var name = new PinnedText(options.Name))
            {
                var config = Config(options, name);
                Check(Native.wm_db_open_memory(out made, map, bytes, (UIntPtr)bytes.Length, ref config, error), error);
            }
            var db = new Database();
            db.Own(made, map);
            return db;
        }

        static Native.DbConfig Config(DatabaseOptions options, PinnedText name)
        {
            var config = Native.wm_db_config_default();
            config.name = name.Address;
            if (options.MaxBytes != 0) config.max_bytes = (UIntPtr)options.MaxBytes;
            return config;
        }

        public ulong StoredBytes { get { return (ulong)Native.wm_db_stored_bytes(this); } }
        public bool Has(string method) { return Native.wm_db_has(this, Utf8(method)) != 0; }

        /// Where to go next on the way from `from` to `goal`, for games with movement of their own.
        public Status Subgoal(Point from, Point goal, out Point subgoal)
        {
            return Native.wm_db_subgoal(this, from, goal, out subgoal);
        }

        protected override void Release(IntPtr made) { Native.wm_db_close(made); }
    }

    /// wm_scratch: working memory that agents of one thread share. Belongs to that thread.
    public sealed class Scratch : Handle
    {
        public Scratch(Map map, ulong bytes = 0)
        {
            var config = Native.wm_scratch_config_default();
            config.bytes = (UIntPtr)bytes;
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            Check(Native.wm_scratch_create(out made, map, ref config, error), error);
            Own(made, map);
        }

        protected override void Release(IntPtr made) { Native.wm_scratch_destroy(made); }
    }

    /// wm_agent: one unit. Belongs to one thread at a time.
    public sealed class Agent : Handle
    {
        public Agent(Map map, Database db = null, AgentOptions options = default(AgentOptions))
        {
            var config = Native.wm_agent_config_default();
            config.terrain = options.Terrain;
            config.heuristic = options.Heuristic;
            config.skip_reachable_check = (byte)(options.SkipReachableCheck ? 1 : 0);
            config.nearest_goal = (byte)(options.NearestGoal ? 1 : 0);
            config.scratch = Address(options.Scratch);
            var error = new byte[Native.ErrorBytes];
            IntPtr made;
            using (var name = new PinnedText(options.Algorithm))
            {
                if (options.Algorithm != null) config.algorithm = name.Address;
                Check(Native.wm_agent_create(out made, map, Address(db), ref config, error), error);
            }
            Own(made, map, db, options.Scratch);
            GC.KeepAlive(db);
            GC.KeepAlive(options.Scratch);
        }

        /// Puts the agent on `start` and gives it a goal. May be called again at any time.
        public Status Begin(Point start, Point goal) { return Native.wm_agent_begin(this, start, goal); }
        /// Plans and makes one move.
        public Status Step() { return Native.wm_agent_step(this); }
        /// Forgets the goal.
        public void Reset() { Native.wm_agent_reset(this); }
        public Status Result { get { return Native.wm_agent_result(this); } }
        public Point Position { get { return Native.wm_agent_position(this); } }
        public Point Goal { get { return Native.wm_agent_goal(this); } }
        public Statistics Statistics { get { return Native.wm_agent_statistics(this); } }

        /// Writes the cells that the agent will step on; `length` is how many there are, also with ErrShort.
        public Status Route(Point[] cells, out int length)
        {
            UIntPtr count;
            Status status = Native.wm_agent_route(this, cells, (UIntPtr)cells.Length, out count);
            length = (int)count;
            return status;
        }

        protected override void Release(IntPtr made) { Native.wm_agent_destroy(made); }
    }

    /// The agents of one thread, stepped together within a frame's bound.
    public sealed class Crowd : IDisposable
    {
        readonly Agent[] agents;
        readonly IntPtr[] handles; // what wm_agents_step takes, made once
        bool isDisposed;

        /// Entries may be null. The crowd keeps the agents until it is disposed of.
        public Crowd(Agent[] agents)
        {
            this.agents = (Agent[])agents.Clone();
            foreach (Agent agent in this.agents) Handle.Address(agent); // says so if one is gone
            handles = new IntPtr[agents.Length];
            for (int i = 0; i < handles.Length; i++)
            {
                if (this.agents[i] == null) continue;
                bool added = false;
                this.agents[i].DangerousAddRef(ref added);
                handles[i] = this.agents[i].DangerousGetHandle();
            }
        }

        ~Crowd() { Release(); }

        public Status Step(ref Frame frame)
        {
            if (isDisposed) return Status.ErrArgument;
            Status status = Native.wm_agents_step(handles, (UIntPtr)handles.Length, ref frame);
            GC.KeepAlive(this);
            return status;
        }

        public void Dispose()
        {
            Release();
            GC.SuppressFinalize(this);
        }

        void Release()
        {
            isDisposed = true;
            for (int i = 0; handles != null && i < handles.Length; i++)
            {
                if (handles[i] != IntPtr.Zero) agents[i].DangerousRelease();
                handles[i] = IntPtr.Zero;
            }
        }
    }

    public static class Library
    {
        /// "major.minor.patch"
        public static string Version { get { return Marshal.PtrToStringAnsi(Native.wm_version()); } }
        /// The status as words.
        public static string Name(Status status) { return Marshal.PtrToStringAnsi(Native.wm_status_name(status)); }
    }

    static class Native
    {
#if WAYMARK_INTERNAL
        const string Dll = "__Internal";
#else
        const string Dll = "waymark";
#endif
        const CallingConvention C = CallingConvention.Cdecl;

        internal const int ErrorBytes = 1024; // sizeof(wm_error)

        [StructLayout(LayoutKind.Sequential)]
        internal struct Allocator { IntPtr allocate, release, user; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct MapConfig
        {
            internal uint size;
            internal Diagonal diagonal;
            internal byte editable;
            internal int agent_size;
            internal Allocator allocator;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct DbConfig
        {
            internal uint size;
            internal IntPtr name;
            internal UIntPtr max_bytes;
            internal Allocator allocator;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ScratchConfig
        {
            internal uint size;
            internal UIntPtr bytes;
            internal Allocator allocator;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct AgentConfig
        {
            internal uint size;
            internal IntPtr algorithm;
            internal Terrain terrain;
            internal Heuristic heuristic;
            internal byte skip_reachable_check;
            internal byte nearest_goal;
            internal IntPtr scratch;
            internal Allocator allocator;
        }

        [DllImport(Dll, CallingConvention = C)] internal static extern IntPtr wm_status_name(Status status);
        [DllImport(Dll, CallingConvention = C)] internal static extern IntPtr wm_version();

        [DllImport(Dll, CallingConvention = C)] internal static extern MapConfig wm_map_config_default();
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_map_load(out IntPtr made, byte[] path, ref MapConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_map_load_memory(out IntPtr made, byte[] bytes, UIntPtr size, ref MapConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_map_create(out IntPtr made, byte[] open, int width, int height, UIntPtr stride, ref MapConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_map_edit(Map map, CellEdit[] edits, UIntPtr count, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern uint wm_map_revision(Map map);
        [DllImport(Dll, CallingConvention = C)] internal static extern void wm_map_unload(IntPtr map);
        [DllImport(Dll, CallingConvention = C)] internal static extern int wm_map_width(Map map);
        [DllImport(Dll, CallingConvention = C)] internal static extern int wm_map_height(Map map);
        [DllImport(Dll, CallingConvention = C)] internal static extern ulong wm_map_hash(Map map);
        [DllImport(Dll, CallingConvention = C)] internal static extern byte wm_map_is_open(Map map, Point point);
        [DllImport(Dll, CallingConvention = C)] internal static extern byte wm_map_connected(Map map, Point a, Point b);
        [DllImport(Dll, CallingConvention = C)] internal static extern uint wm_map_component(Map map, Point point);
        [DllImport(Dll, CallingConvention = C)] internal static extern int wm_map_agent_size(Map map);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_map_nearest(Map map, Point from, Point wanted, out Point nearest);

        [DllImport(Dll, CallingConvention = C)] internal static extern DbConfig wm_db_config_default();
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_db_open(out IntPtr made, Map map, byte[] path, ref DbConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_db_open_memory(out IntPtr made, Map map, byte[] bytes, UIntPtr size, ref DbConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern void wm_db_close(IntPtr db);
        [DllImport(Dll, CallingConvention = C)] internal static extern UIntPtr wm_db_stored_bytes(Database db);
        [DllImport(Dll, CallingConvention = C)] internal static extern byte wm_db_has(Database db, byte[] method);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_db_subgoal(Database db, Point from, Point goal, out Point subgoal);

        [DllImport(Dll, CallingConvention = C)] internal static extern ScratchConfig wm_scratch_config_default();
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_scratch_create(out IntPtr made, Map map, ref ScratchConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern void wm_scratch_destroy(IntPtr scratch);

        [DllImport(Dll, CallingConvention = C)] internal static extern AgentConfig wm_agent_config_default();
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agent_create(out IntPtr made, Map map, IntPtr db, ref AgentConfig config, byte[] error);
        [DllImport(Dll, CallingConvention = C)] internal static extern void wm_agent_destroy(IntPtr agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agent_begin(Agent agent, Point start, Point goal);
        [DllImport(Dll, CallingConvention = C)] internal static extern void wm_agent_reset(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agent_step(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agent_result(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Point wm_agent_position(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Point wm_agent_goal(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agent_route(Agent agent, [Out] Point[] cells, UIntPtr capacity, out UIntPtr length);
        [DllImport(Dll, CallingConvention = C)] internal static extern Statistics wm_agent_statistics(Agent agent);
        [DllImport(Dll, CallingConvention = C)] internal static extern Frame wm_frame_default();
        [DllImport(Dll, CallingConvention = C)] internal static extern Status wm_agents_step(IntPtr[] agents, UIntPtr count, ref Frame frame);
    }
}
