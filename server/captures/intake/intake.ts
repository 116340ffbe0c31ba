import type { Logger } from 'pino';
import { v4 as newHolder } from 'uuid';
import type { WebSocket } from 'ws';
import { hashSecret } from '../../../db/secrets.ts';
import { mintRecordingToken, type World } from '../../../routers/captures/recording.ts';
import type { Line } from '../../live/line.ts';
import type { Measure } from '../../metrics.ts';
import { within } from '../../patience.ts';
import type { ChunkStore } from './chunks.ts';
import { letGo, takeOver } from './claims.ts';
import { type Admission, Connection, type ConnectionParts } from './connection.ts';
import { createKeeper } from './keeper.ts';
import { moment } from './moment.ts';
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

/** Takes the audio of recordings, on one process. */
export interface Intake {
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
  const held = { bytes: 0 };
  let bytes = 0;
  let isClosing = false;

  const keeper = createKeeper(db, times, log);
  const news = hearNews(line, keeper.look, log);
  const onWritten = (written: number) => {
    bytes += written;
  };
  const parts: ConnectionParts = { ...world, limits, keeper, news, held, onWritten };
  const beating = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, times.beatMs);
  beating.unref();

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
      read: () => held.bytes,
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
      const [since, fresh] = [moment(), mintRecordingToken()];
      const { leaseMs } = times;
      const claim = await takeOver(db, token, { holder: newHolder(), resumeHash: hashSecret(fresh), leaseMs });
      return { claim, since, resumeToken: claim.resumes ? token : fresh };
    },
    serve: (socket, admission) => {
      const connection = new Connection(socket, admission, parts);
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
