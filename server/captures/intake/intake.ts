import type { Logger } from 'pino';
import { v4 as newHolder } from 'uuid';
import type { WebSocket } from 'ws';
import { hashSecret } from '../../../db/secrets.ts';
import { mintRecordingToken, type World } from '../../../routers/captures/recording.ts';
import type { Line } from '../../live/line.ts';
import type { Measure } from '../../metrics.ts';
import { within } from '../../patience.ts';
import type { ChunkStore } from './chunks.ts';
import { type Claim, letGo, takeOver } from './claims.ts';
import { type Connection, type ConnectionParts, serveRecording } from './connection.ts';
import { createKeeper } from './keeper.ts';
import { type Moment, moment } from './moment.ts';
import { hearNews } from './news.ts';
import { type IntakeTimes, usualLimits } from './times.ts';

export interface IntakeParts extends World {
  line: Line;
  store: ChunkStore;
  log: Logger;
  times: IntakeTimes;
  /** The longest recording. */
  recordingBytes: number;
}

/** The right of a client to be connected to its recording. */
export interface Admission {
  claim: Claim;
  resumeToken: string;
  since: Moment;
}

/** Takes the audio of recordings, on one process. */
export interface Intake {
  /** Connections. */
  readonly open: number;
  /** Audio that was received and is not stored yet. */
  readonly heldBytes: number;
  readonly isClosing: boolean;
  /** Whoever shows a valid token has the recording from now on. @throws Failure 401, 409. */
  admit(token: string): Promise<Admission>;
  /** Serves it over this socket. */
  serve(socket: WebSocket, admission: Admission): void;
  /** Its client went away before it was connected. */
  forget(admission: Admission): Promise<void>;
  /** Writes what was received and closes all connections, within so many seconds. */
  close(seconds: number): Promise<void>;
  measures: Measure[];
}

export function createIntake({ line, recordingBytes, ...world }: IntakeParts): Intake {
  const { db, log, times } = world;
  const connections = new Set<Connection>();
  const limits = { ...usualLimits, recordingBytes };
  let bytes = 0;
  let isClosing = false;

  const keeper = createKeeper(db, times, log);
  const news = hearNews(line, keeper.look, log);
  const onWritten = (written: number) => {
    bytes += written;
  };
  const parts: ConnectionParts = { ...world, limits, keeper, news, onWritten };
  const beating = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, times.beatMs);
  beating.unref();

  const heldBytes = () => [...connections].reduce((sum, connection) => sum + connection.heldBytes, 0);
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
      read: heldBytes,
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
    get open() {
      return connections.size;
    },
    get heldBytes() {
      return heldBytes();
    },
    get isClosing() {
      return isClosing;
    },
    admit: async (token) => {
      const [since, fresh] = [moment(), mintRecordingToken()];
      const { leaseMs } = times;
      const claim = await takeOver(db, token, { holder: newHolder(), resumeHash: hashSecret(fresh), leaseMs });
      return { claim, since, resumeToken: claim.resumes ? token : fresh };
    },
    serve: (socket, { claim, resumeToken, since }) => {
      const connection = serveRecording(socket, claim, resumeToken, since, parts);
      connections.add(connection);
      void connection.over.then(() => connections.delete(connection));
      if (isClosing) connection.shutDown();
    },
    forget: async ({ claim }) => {
      if (!claim.before) await letGo(db, claim, { chunks: null, sizeBytes: null, quietMs: null });
    },
    close: async (seconds) => {
      isClosing = true;
      for (const connection of connections) connection.shutDown();
      const over = () => Promise.all([...connections].map((connection) => connection.over));
      await within(seconds, over());
      for (const connection of connections) connection.terminate();
      news.close();
      keeper.close();
      clearInterval(beating);
    },
  };
}
