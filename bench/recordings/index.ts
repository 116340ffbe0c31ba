import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from '../../domain/accounts/open-session.ts';
import { heldBy } from '../agents/heap.ts';
import type { BenchDatabase } from '../harness/database.ts';
import { decimals, quantile } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { freePort, type Server, startService } from '../harness/servers.ts';
import { webmChunks } from './audio.ts';
import { type Recorded, record, type Session } from './client.ts';
import { watchMemory } from './memory.ts';

/** Cost of concurrent recordings for one process of the service. Memory in MiB: resident, or heap where named so. */
export interface RecordingFigures {
  recordings: number;
  seconds: number;
  chunks: number;
  chunkBytes: number;
  before: number;
  /** While recording. */
  recording: number;
  /** While the recordings are processed. */
  processing: number;
  after: number;
  heapBefore: number;
  /** Before the stop, after garbage collection. */
  heapRecording: number;
  ackP50: number;
  ackP99: number;
  /** From the common stop to the last completion. */
  completedSeconds: number;
  errors: number;
}

const chunkMs = 500;
const chunkBytes = 4096;
const processingTimeoutMs = 120_000;

const owners = `select m.workspace_id as "workspaceId", m.user_id as "userId" from members m
  where m.role = 'owner' order by m.workspace_id desc limit $1`;

/** Opens recordings in different workspaces, with sessions of their owners. */
async function openRecordings({ db }: BenchDatabase, { url }: Server, recordings: number): Promise<Session[]> {
  const people = await db.rows<{ workspaceId: string; userId: string }>(owners, [recordings]);
  const tokens = await Promise.all(people.map((person) => openSession(db, { ...person, client: 'bench' })));
  return Promise.all(
    Array.from({ length: recordings }, async (_, at) => {
      const authorization = `Bearer ${tokens[at % tokens.length]?.token}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/v1/captures/recordings`, { method: 'POST', headers, body: '{}' });
      if (response.status !== 201) throw new Error(`A recording could not be opened: ${await response.text()}`);
      return (await response.json()) as Session;
    }),
  );
}

const unfinished = `select count(*)::int as n from captures where id = any($1::uuid[]) and status in ('recording', 'processing')`;
const wrong = `select count(*)::int as n from captures where id = any($1::uuid[])
  and not (status = 'completed' and audio_key is not null and abs(duration_seconds - $2) <= 1)`;

async function countOf({ db }: BenchDatabase, text: string, values: unknown[]): Promise<number> {
  return (await db.rows<{ n: number }>(text, values))[0]?.n ?? Number.NaN;
}

/** Waits until all captures are processed. @throws Error on timeout. */
async function completed(database: BenchDatabase, ids: readonly string[]): Promise<void> {
  for (const begun = performance.now(); (await countOf(database, unfinished, [ids])) > 0; await sleep(50))
    if (performance.now() - begun > processingTimeoutMs) throw new Error('The recordings were not processed in time.');
}

interface Run {
  service: Server;
  inspector: number;
  sessions: Session[];
  chunks: Buffer[];
}

/** Records all at once, stops all at once, and waits for their processing. */
async function runAll(database: BenchDatabase, { service, inspector, sessions, chunks }: Run) {
  const ids = sessions.map(({ captureId }) => captureId);
  const heapBefore = (await heldBy(inspector)).heapUsed / 2 ** 20;
  const watch = watchMemory(service.pid);
  try {
    const before = await watch.peak();
    const over = Promise.withResolvers<void>();
    const startAt = performance.now() + 1000;
    // Starts are spread over the length of one chunk, as with independent users.
    const each = sessions.map((session, place) => {
      const timing = { startAt: startAt + (place * chunkMs) / sessions.length, chunkMs, over: over.promise };
      return record(session, chunks, timing);
    });
    await sleep(1000 + (chunks.length + 1) * chunkMs);
    const recording = await watch.peak();
    const heapRecording = (await heldBy(inspector)).heapUsed / 2 ** 20;
    await watch.peak();
    const stopped = performance.now();
    over.resolve();
    const recorded: Recorded[] = await Promise.all(each);
    await completed(database, ids);
    const completedSeconds = (performance.now() - stopped) / 1000;
    const processing = await watch.peak();
    const after = await watch.peak();
    const memory = { before, recording, processing, after, heapBefore, heapRecording };
    return { memory, recorded, completedSeconds };
  } finally {
    await watch.stop();
  }
}

/** Measures concurrent recordings into one process: memory, acknowledgement latency, processing time. */
export async function measureRecordings(
  database: BenchDatabase,
  { recordings, recordingSeconds: seconds }: Options,
  print: (line: string) => void,
): Promise<RecordingFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'tandem-bench-audio-'));
  const inspector = await freePort();
  const environment = {
    DATABASE_URL: database.url,
    AUDIO_DIR: directory,
    RATE_LIMIT_PER_ADDRESS: '1000000',
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspector} --inspect-publish-uid=http`,
  };
  const service = await startService(environment, database.keys[0] ?? '');
  let ids: string[] = [];
  try {
    const sessions = await openRecordings(database, service, recordings);
    ids = sessions.map(({ captureId }) => captureId);
    const chunks = await webmChunks(seconds, chunkMs, chunkBytes);
    const { memory, recorded, completedSeconds } = await runAll(database, { service, inspector, sessions, chunks });
    const faults = recorded.flatMap(({ fault }) => fault ?? []);
    for (const fault of new Set(faults)) print(`  a recording failed: ${fault}`);
    const acks = recorded.flatMap((each) => each.acks);
    const [ackP50, ackP99] = [quantile(acks, 0.5), quantile(acks, 0.99)];
    const errors = faults.length + (await countOf(database, wrong, [ids, seconds]));
    print(`  ${recordings} recordings at once       ${decimals(memory.recording, 0)} MiB, ${errors} errors`);
    const figures = { ...memory, ackP50, ackP99, completedSeconds, errors };
    return { recordings, seconds, chunks: acks.length, chunkBytes, ...figures };
  } finally {
    await service.stop();
    await database.db.rows('delete from captures where id = any($1::uuid[])', [ids]);
    await rm(directory, { recursive: true, force: true });
  }
}
