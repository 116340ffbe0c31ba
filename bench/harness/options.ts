import { parseArgs } from 'node:util';

/** Sizes of the database, and of the load. */
export interface Options {
  workspaces: number;
  todos: number;
  /** Todos of the one giant workspace, among `todos`. */
  giant: number;
  /** Length of one round, in seconds. */
  seconds: number;
  rounds: number;
  connections: number;
  /** Sequential requests of each latency probe. */
  probes: number;
  /** Concurrent requests with `waitSeconds`. */
  waiters: number;
  /** Schedules, how many come due at once, and the idle time before that. */
  schedules: number;
  due: number;
  idleSeconds: number;
  /** Streams of events on one process. */
  followers: number;
  /** Concurrent recordings, and the length of each. */
  recordings: number;
  recordingSeconds: number;
  /** Messages of the history that `growth` makes. */
  messages: number;
  /** Starts on a running database; a third as many with PostgreSQL, and on no data. */
  starts: number;
  /** Length of the load of `soak`. */
  minutes: number;
  /**
   * Prefixes of the workloads to run, or `agents`, `events`, `mcp`, `pages`, `recordings`, `schedules`, `searches`,
   * `start`; all of these when empty. `growth`, which makes a database of its own, `peers`, which installs others, and
   * `soak`, which takes half an hour, are measured only when they are named, and so are `citus`, `standby` and
   * `tenfold`, each alone.
   */
  only: string[];
  /** Data directory that is kept; a temporary one when undefined. */
  data: string | undefined;
}

const full = {
  workspaces: 1000,
  todos: 1_000_000,
  giant: 200_000,
  seconds: 4,
  rounds: 5,
  connections: 32,
  probes: 400,
  waiters: 1000,
  schedules: 100_000,
  due: 1000,
  idleSeconds: 30,
  followers: 5000,
  recordings: 50,
  recordingSeconds: 20,
  messages: 1_000_000,
  starts: 9,
  minutes: 30,
};
const quick = {
  workspaces: 20,
  todos: 10_000,
  giant: 4000,
  seconds: 1,
  rounds: 3,
  connections: 16,
  probes: 100,
  waiters: 100,
  schedules: 2000,
  due: 50,
  idleSeconds: 2,
  followers: 1000,
  recordings: 10,
  recordingSeconds: 3,
  messages: 20_000,
  starts: 3,
  minutes: 2,
};

export const usage = `npm run bench -- [--quick] [--workspaces N] [--todos N] [--giant N] [--data DIR]
  [--seconds N] [--rounds N] [--connections N] [--probes N]
  [--waiters N] [--schedules N] [--due N] [--idleSeconds N]
  [--followers N] [--recordings N] [--recordingSeconds N]
  [--messages N] [--starts N] [--minutes N]
  [--only getTodo,listTodos,agents,events,growth,mcp,pages,peers,recordings,schedules,searches,soak,start,…]
  [--only citus] [--only standby] [--only tenfold]`;

/** Parts that are measured alone, on databases of their own. */
export const aloneParts = ['citus', 'standby', 'tenfold'] as const;

/** Parses the command line. @throws Error for an unknown flag or an invalid size. */
export function parseOptions(args: string[]): Options {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      workspaces: number,
      todos: number,
      giant: number,
      seconds: number,
      rounds: number,
      connections: number,
      probes: number,
      waiters: number,
      schedules: number,
      due: number,
      idleSeconds: number,
      followers: number,
      recordings: number,
      recordingSeconds: number,
      messages: number,
      starts: number,
      minutes: number,
      only: { type: 'string', default: '' },
      data: { type: 'string' },
    },
  });
  const defaults = values.quick ? quick : full;
  const sizeOf = (name: keyof typeof full) => {
    const size = Number(values[name] ?? defaults[name]);
    if (!(size > 0)) throw new Error(`--${name} must be a number above 0`);
    return size;
  };
  const options: Options = {
    workspaces: sizeOf('workspaces'),
    todos: sizeOf('todos'),
    giant: sizeOf('giant'),
    seconds: sizeOf('seconds'),
    rounds: sizeOf('rounds'),
    connections: sizeOf('connections'),
    probes: sizeOf('probes'),
    waiters: sizeOf('waiters'),
    schedules: sizeOf('schedules'),
    due: sizeOf('due'),
    idleSeconds: sizeOf('idleSeconds'),
    followers: sizeOf('followers'),
    recordings: sizeOf('recordings'),
    recordingSeconds: sizeOf('recordingSeconds'),
    messages: sizeOf('messages'),
    starts: sizeOf('starts'),
    minutes: sizeOf('minutes'),
    only: values.only.split(',').filter(Boolean),
    data: values.data,
  };
  const alone = aloneParts.find((each) => options.only.includes(each));
  if (alone && options.only.length > 1) throw new Error(`${alone} is measured alone`);
  if (options.workspaces < 2) throw new Error('--workspaces must be at least 2: the giant one and a small one');
  if (options.todos - options.giant < 50 * (options.workspaces - 1)) {
    throw new Error('--todos must leave at least 50 for each workspace beside the giant one');
  }
  return options;
}
