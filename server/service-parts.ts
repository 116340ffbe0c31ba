import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { operationsOf } from '../adapters/operations.ts';
import type { Database } from '../db/client.ts';
import type { Space } from '../db/disk-space.ts';
import type { ServiceSettings } from '../domain/context.ts';
import type { EventLogs } from '../domain/event-logs.ts';
import type { Live } from '../domain/live.ts';
import type { Mailer } from '../domain/mail.ts';
import type { Media } from '../domain/media.ts';
import type { Engine } from '../engine/engine.ts';
import type { AudioStore } from '../media/storage/store.ts';
import type { PublicOptions } from '../outbound/public.ts';
import type { ProviderParts } from './access/oauth/provider.ts';
import type { TaskLimits } from './compute/task-process.ts';
import type { Config } from './config.ts';
import type { OnSession } from './pubsub/listener.ts';
import type { Intake } from './recordings/intake.ts';
import type { IntakeTimes } from './recordings/times.ts';
import type { CallMetrics } from './runtime/call-metrics.ts';
import type { Draining } from './runtime/draining.ts';
import type { Measure } from './runtime/metrics.ts';
import type { StandbyReads } from './standby.ts';
import type { TurnLimits } from './workers/turns/parts.ts';
import type { Handlers } from './workers/work.ts';

/** What a service is made of; the optional parts are replaced in tests. */
export interface ServiceParts {
  config: Config;
  db: Database;
  standby?: StandbyReads;
  log: Logger;
  settings: ServiceSettings;
  mail: Mailer;
  live: Live;
  logs: EventLogs;
  /** Called when a request has recorded an event. */
  onEvent?: () => void;
  media: Media;
  /** Takes the audio of recordings. */
  intake: Intake;
  /** The store of audio. */
  audio: AudioStore;
  audioSpace: Space;
  /** Secret of the links to audio, shared by all processes. */
  mediaKey: KeyObject;
  /** Timeouts of the intake; others only in tests. */
  intakeTimes?: Partial<IntakeTimes>;
  /** Sockets of recorders that a workspace may have on this process; another number only in tests. */
  maxRecordingSockets?: number;
  /** Pauses before a step of a capture is tried again, in milliseconds; others only in tests. */
  capturePauses?: readonly number[];
  /** After so many milliseconds a capture is handed back, for others to have their turn; others only in tests. */
  captureTurnMs?: number;
  /** Secret of the OAuth server, shared by all processes. */
  oauthKey: Buffer;
  /** Fetches metadata documents of OAuth clients; another one only in tests, which serve them on loopback. */
  oauthFetch: ProviderParts['fetchDocument'];
  /** Of the requests of webhooks; others only in tests. */
  webhookOutbound?: PublicOptions;
  clock?: () => Date;
  /** What the workers of this process do. */
  handlers?: Partial<Handlers>;
  /** Values of /metrics beside those of the requests. */
  measures?: readonly Measure[];
  /** Measures the calls of operations and tools. */
  calls?: CallMetrics;
  draining?: Draining;
  /** Takes locks on the listening connection. */
  onSession?: OnSession;
  /** The engine of the agents; another one only in tests. */
  engine?: Engine;
  /** What a turn may take; other limits only in tests, which cannot wait for minutes. */
  turnLimits?: Partial<TurnLimits>;
  /** What a task in a compute process may take; other limits only in tests. */
  taskLimits?: Partial<TaskLimits>;
  /** The router to serve; another one only in tests of the frame. */
  router?: Parameters<typeof operationsOf>[0];
}
