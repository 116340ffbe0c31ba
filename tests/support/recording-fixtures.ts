import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStore } from '../../media/storage/disk.ts';
import { chunkOf, chunkPrefix } from '../../media/storage/keys.ts';
import type { AudioStore } from '../../media/storage/store.ts';
import type { ServiceParts } from '../../server/service-parts.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { bodyOf } from './work-fixtures.ts';

/** A recording session as it came over the wire, with its workspace. */
export interface OpenedSession {
  workspaceId: string;
  captureId: string;
  recordingId: string;
  socketUrl: string;
  token: string;
}

/** Audio of a test: random, so that no two chunks are alike. */
export function audio(bytes = 200): Buffer {
  return randomBytes(bytes);
}

export async function openSession(workspace: TestWorkspace, body: object = {}): Promise<OpenedSession> {
  const key = await workspace.session();
  const session = bodyOf(await workspace.call('POST /captures/recordings', body, { key }), 201);
  return { ...session, workspaceId: workspace.workspaceId };
}

/** A directory for the audio of a test file. */
export async function audioDirectory(): Promise<{ path: string; store: AudioStore; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tandem-audio-'));
  return { path, store: createDiskStore(path), remove: () => rm(path, { recursive: true, force: true }) };
}

/** The chunks of a recording in the order of their keys. */
export async function storedChunks(
  store: AudioStore,
  { workspaceId, recordingId }: { workspaceId: string; recordingId: string },
): Promise<{ sequence: number; begins: boolean; audio: Buffer }[]> {
  const chunks = [];
  for (const object of await store.list(chunkPrefix({ workspaceId, recordingId }))) {
    const chunk = chunkOf(object);
    if (!chunk) continue;
    const { sequence, begins, key } = chunk;
    const pieces: Uint8Array[] = [];
    for await (const piece of store.read(key)) pieces.push(piece);
    chunks.push({ sequence, begins, audio: Buffer.concat(pieces) });
  }
  return chunks;
}

/** A store whose writes wait for the test, or fail as it says. */
export interface HeldStore extends AudioStore {
  /** Writes wait from now on. */
  hold(): void;
  /** Lets all go that wait, and all to come. */
  release(): void;
  /** Lets one go, once one waits. */
  letOne(): Promise<void>;
  /** So many writes fail from now on. */
  failNext(times: number): void;
  /** Writes that wait. */
  readonly waiting: number;
  /** Keys written, in order. */
  readonly written: string[];
}

function heldStore(store: AudioStore): HeldStore {
  const waiting: (() => void)[] = [];
  const written: string[] = [];
  let [isHeld, failures] = [false, 0];
  let arrived = Promise.withResolvers<void>();
  return {
    ...store,
    written,
    get waiting() {
      return waiting.length;
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
    },
    letOne: async () => {
      while (waiting.length === 0) await arrived.promise;
      waiting.shift()?.();
    },
    failNext: (times) => {
      failures = times;
    },
    put: async (key, bytes) => {
      if (isHeld) {
        await new Promise<void>((go) => {
          waiting.push(go);
          arrived.resolve();
          arrived = Promise.withResolvers();
        });
      }
      if (failures > 0) {
        failures -= 1;
        throw new Error('no space left on device');
      }
      await store.put(key, bytes);
      written.push(key);
    },
  };
}

export interface RecordingWorld extends TestService {
  store: HeldStore;
}

/** For a service that takes recordings and leaves the work on them to others. */
export const idle = { AGENT_CONCURRENCY: '0' };

/** A service that takes recordings into `store`. */
export async function startIntake(
  store: AudioStore,
  environment: Record<string, string> = {},
  overrides: Partial<ServiceParts> = {},
): Promise<RecordingWorld> {
  const held = heldStore(store);
  return { ...(await startTestService(environment, { audio: held, ...overrides })), store: held };
}

/** The socket of another service that takes the same recordings. */
export function socketOf({ url }: { url: string }): string {
  return `${url.replace(/^http/, 'ws')}/recordings`;
}

export interface RecordingRow {
  holder: string | null;
  isHeld: boolean;
  chunks: number;
  sizeBytes: number;
  stopReason: string | null;
  status: string;
  mediaType: string | null;
}

/** A recording as the database has it. */
export async function rowOf({ db }: Pick<TestService, 'db'>, { recordingId }: { recordingId: string }) {
  const text = `select r.holder, r.holder is not null and r.lease_until > now() as "isHeld", r.chunks,
      r.size_bytes::int as "sizeBytes", r.stop_reason as "stopReason", c.status, r.media_type as "mediaType"
    from recordings r join captures c on c.workspace_id = r.workspace_id and c.id = r.capture_id where r.id = $1`;
  const [row] = await db.rows<RecordingRow>(text, [recordingId]);
  if (!row) throw new Error('there is no such recording');
  return row;
}
