import type { Logger } from 'pino';
import { v4 as newHolder } from 'uuid';
import type { WebSocket } from 'ws';
import { hashSecret } from '../../db/secrets.ts';
import { maxRunning, mintRecordingToken, type RecordingContext } from '../../domain/captures/recording.ts';
import { OpenOfWorkspaces, requireFewStreams } from '../../domain/streams.ts';
import type { PgListener } from '../pubsub/listener.ts';
import type { Measure } from '../runtime/metrics.ts';
import { within } from '../runtime/timeouts.ts';
import type { ChunkStore } from './chunks.ts';
import { releaseClaim, takeOver } from './claims.ts';
import { Connection } from './connection.ts';
import { listenForEvents } from './events.ts';
import { createLeaseRenewal } from './lease-renewal.ts';
import type { Admission, ConnectionParts } from './parts.ts';
import { defaultLimits, type IntakeTimes, now } from './times.ts';

/**
 * Sockets that a workspace may have open on a process: for each recording one, and the previous one, which ends when it
 * is replaced.
 */
export const maxRecordingSockets = 2 * maxRunning;

export interface IntakeParts extends RecordingContext {
  pgListener: PgListener;
  store: ChunkStore;
  log: Logger;
  times: IntakeTimes;
  /** Bytes of the largest recording. */
  maxRecordingBytes: number;
  /** Sockets that a workspace may have on this process. */
  maxSockets: number;
}

/** Takes the audio of recordings, on one process. */
export interface Intake {
  readonly isClosing: boolean;
  /** Gives the recording to the client with a valid token. @throws Failure 401, 409, 429. */
  admit(token: string): Promise<Admission>;
  /** Serves it over this socket. */
  serve(socket: WebSocket, admission: Admission): void;
  /** Releases the claim of a client that left before it was connected. */
  abandon(admission: Admission): Promise<void>;
  /** Writes what was received and closes all connections, within so many seconds. */
  close(seconds: number): Promise<void>;
  measures: Measure[];
}

/** Opens the intake of this process: its leases, events and heartbeats. `close` ends them. */
export function createIntake({ pgListener, maxRecordingBytes, maxSockets, ...world }: IntakeParts): Intake {
  const { db, log, times } = world;
  const connections = new Set<Connection>();
  const limits = { ...defaultLimits, maxRecordingBytes };
  const queued = { bytes: 0 };
  const sockets = new OpenOfWorkspaces();
  let bytes = 0;
  let isClosing = false;

  const leases = createLeaseRenewal(db, times, log);
  const events = listenForEvents(pgListener, leases.renewNow, log);
  const onWritten = (written: number) => {
    bytes += written;
  };
  const parts: ConnectionParts = { ...world, limits, leases, events, queued, onWritten };
  const heartbeats = setInterval(() => {
    for (const connection of connections) connection.heartbeat();
  }, times.heartbeatMs);
  heartbeats.unref();

  const measures: Measure[] = [
    {
      kind: 'gauge',
      name: 'tandem_recordings_open',
      help: 'Recordings whose recorder is connected to this process',
      read: () => connections.size,
    },
    {
      kind: 'gauge',
      name: 'tandem_recordings_held_bytes',
      help: 'Audio that this process received and has not stored yet',
      read: () => queued.bytes,
    },
    {
      kind: 'counter',
      name: 'tandem_recordings_stored_bytes_total',
      help: 'Audio of recordings that this process stored',
      read: () => bytes,
    },
  ];

  return {
    measures,
    get isClosing() {
      return isClosing;
    },
    admit: async (token) => {
      const [since, fresh] = [now(), mintRecordingToken()];
      const { leaseMs } = times;
      let stopCounting = () => {};
      const onFound = (workspaceId: string) => {
        // The transaction may be repeated.
        stopCounting();
        requireFewStreams('recording sockets', sockets.of(workspaceId), maxSockets);
        stopCounting = sockets.add(workspaceId);
      };
      try {
        const claim = await takeOver(db, token, {
          holder: newHolder(),
          resumeHash: hashSecret(fresh),
          leaseMs,
          onFound,
        });
        return { claim, claimedAt: since, resumeToken: claim.resumes ? token : fresh, stopCounting };
      } catch (error) {
        stopCounting();
        throw error;
      }
    },
    serve: (socket, admission) => {
      const connection = new Connection(socket, admission, parts);
      connections.add(connection);
      void connection.over.then(() => {
        connections.delete(connection);
        admission.stopCounting();
      });
      if (isClosing) connection.shutDown();
    },
    abandon: async ({ claim, stopCounting }) => {
      stopCounting();
      if (!claim.previous) await releaseClaim(db, claim, { chunks: null, sizeBytes: null, quietMs: null });
    },
    close: async (seconds) => {
      isClosing = true;
      for (const connection of connections) connection.shutDown();
      const over = () => Promise.all([...connections].map((connection) => connection.over));
      await within(seconds, over());
      for (const connection of connections) connection.terminate();
      events.close();
      leases.close();
      clearInterval(heartbeats);
    },
  };
}
