import { QueueFull } from '../../db/fair-queue.ts';
import { Failure, invalid } from '../../domain/errors.ts';
import type { Media } from '../../domain/media.ts';
import { type Engine, ModelFault } from '../../engine/engine.ts';
import { offlineEngine } from '../../engine/offline/index.ts';
import type { Writer } from '../../engine/writer/writer.ts';
import type { Measure } from '../runtime/metrics.ts';
import { TaskPool } from './pool.ts';
import { isSmall } from './size.ts';
import { TaskLimit, type TaskLimits } from './task-process.ts';
import { type Arguments, type Outcome, type TaskName, tasks } from './tasks.ts';

/** Heap of a process, in MiB: the largest captures take half of it. */
const maxMegabytes = 384;
const idleSeconds = 2;

/** What a request waits for. With the largest transcript a process is busy for a second. */
const forRequests = { maxRunning: 1, maxWaiting: 16, maxWaitingPerKey: 4, maxSeconds: 10, maxMegabytes, idleSeconds };
/** The workers wait for each other: there are never more works than jobs in progress. */
const unbounded = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingPerKey: Number.POSITIVE_INFINITY };
const forJobs = { maxRunning: 2, ...unbounded, maxSeconds: 30, maxMegabytes, idleSeconds };

/** Messages are read by more rules than captures: two of them of the longest kind that is read as a request. */
const maxSmallTurn = 4000;

/** Pure work beside the event loop: small work at once, all other in processes. */
export interface OfflineWork {
  engine: Engine;
  writer: Writer;
  readTranscript: Media['readTranscript'];
  measures: Measure[];
  close(): Promise<void>;
}

/**
 * Does a task in a process of the pool, or at once in this process if its arguments (or the ones that matter) are
 * small.
 */
async function work<Name extends TaskName>(
  pool: TaskPool,
  key: string,
  name: Name,
  args: Arguments<Name>,
  signal?: AbortSignal,
  { small = isSmall(args), onStart }: { small?: boolean; onStart?: () => void } = {},
): Promise<Outcome<Name>> {
  if (!small) return pool.run(key, name, args, signal, onStart);
  onStart?.();
  const task = tasks[name] as unknown as (...values: Arguments<Name>) => Promise<Outcome<Name>>;
  return task(...args);
}

function engineOf(pool: TaskPool): Engine {
  return {
    name: offlineEngine.name,
    async answer({ signal, onText, onRestart: _, onActive, onWait: __, onPause, tools, ...request }) {
      signal.throwIfAborted();
      // The engine needs the names of the tools, and the schemas of all are long.
      const named = tools.map(({ name }) => ({ name, description: '', inputSchema: {} }));
      const { conversation, facts } = request;
      const small = isSmall([conversation, facts?.todo, facts?.captures], maxSmallTurn);
      const key = facts?.workspace.id ?? 'turn';
      // The wait for a process is caused by others: it is no work of this turn.
      const goOn = small ? undefined : onPause?.();
      let began = Number.POSITIVE_INFINITY;
      const onStart = () => {
        goOn?.();
        began = performance.now();
      };
      try {
        const args: Arguments<'answer'> = [{ ...request, system: '', tools: named }];
        const answer = await work(pool, key, 'answer', args, signal, { small, onStart });
        if (answer.toolCalls.length === 0) onText?.(answer.text);
        return answer;
      } catch (error) {
        if (!(error instanceof TaskLimit)) throw error;
        const message = `${error.message} for the built-in engine. Write a shorter message in a new chat.`;
        throw new ModelFault(message, { retryable: false, cause: error });
      } finally {
        onActive?.(Math.max(0, performance.now() - began));
      }
    },
  };
}

function writerOf(pool: TaskPool): Writer {
  return {
    title: (message, signal) => work(pool, 'digest', 'title', [message], signal),
    subtitle: ({ title, lines }, signal) => work(pool, 'digest', 'subtitle', [title, lines], signal),
    skillSummary: (name, instructions, signal) => work(pool, 'digest', 'skillSummary', [name, instructions], signal),
    minutesSaved: (todo, run, signal) => work(pool, 'digest', 'minutesSaved', [todo, run], signal),
    capture: (material, { signal }) => work(pool, 'capture', 'capture', [material], signal),
  };
}

function readerOf(pool: TaskPool): Media['readTranscript'] {
  return async ({ format, body }, param, workspaceId) => {
    try {
      return await work(pool, workspaceId, 'transcript', [format, body, param]);
    } catch (error) {
      if (error instanceof TaskLimit) {
        throw invalid(param, 'It takes too long to read this transcript. Pass it in several parts.');
      }
      if (!(error instanceof QueueFull)) throw error;
      const message = 'Too many transcripts are waiting to be read. Try again in a few seconds.';
      const problem = { status: 503, code: 'internal_error', reason: 'unavailable', retryAfterSeconds: 5 } as const;
      throw new Failure({ ...problem, message }, error);
    }
  };
}

/** The offline engine and writer and the reader of transcripts. No process starts before it is needed. */
export function openOfflineWork(limits: Partial<TaskLimits> = {}): OfflineWork {
  const requests = new TaskPool({ ...forRequests, ...limits });
  const jobs = new TaskPool({ ...forJobs, ...limits });
  const pools = [requests, jobs];
  const sum = (of: (pool: TaskPool) => number) => pools.reduce((total, pool) => total + of(pool), 0);
  return {
    engine: engineOf(jobs),
    writer: writerOf(jobs),
    readTranscript: readerOf(requests),
    measures: [
      {
        kind: 'gauge',
        name: 'tandem_compute_processes',
        help: 'Compute processes of this service process',
        read: () => sum(({ size }) => size.processes),
      },
      {
        kind: 'gauge',
        name: 'tandem_compute_tasks_waiting',
        help: 'Jobs that wait for a compute process',
        read: () => sum(({ size }) => size.waiting),
      },
    ],
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}
