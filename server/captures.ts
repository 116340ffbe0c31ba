import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import type { Space } from '../db/disk-space.ts';
import type { CaptureContext } from '../domain/captures/processing/saves.ts';
import type { Media } from '../domain/media.ts';
import type { Writer } from '../engine/writer/writer.ts';
import { removeAbandonedScratch } from '../media/audio/scratch.ts';
import { openAudioStore } from '../media/storage/settings.ts';
import type { AudioStore } from '../media/storage/store.ts';
import { createTranscriber } from '../media/transcription/index.ts';
import type { Background } from './background.ts';
import type { Config } from './config.ts';
import { mediaLinks } from './downloads/links.ts';
import { createIntake, type Intake, maxRecordingSockets } from './recordings/intake.ts';
import { silenceWatch } from './recordings/silence.ts';
import { defaultTimes } from './recordings/times.ts';
import { watchSpace } from './runtime/audio-space.ts';
import type { Periodic } from './runtime/periodic.ts';
import type { ServiceParts } from './service-parts.ts';
import { removalHandler } from './workers/captures/removals.ts';
import { captureHandler } from './workers/captures/worker.ts';
import type { Handlers } from './workers/work.ts';

/** What captures need beside the requests. */
export interface CapturesAtWork {
  audio: AudioStore;
  audioSpace: Space;
  /** Makes links to audio; `key` is their secret, shared by all processes. */
  media: Media;
  mediaKey: KeyObject;
  /** Takes the audio of recordings. */
  intake: Intake;
  /** Process captures, and remove the audio of erased ones. */
  handlersOf(ctx: CaptureContext, writer: Writer): Pick<Handlers, 'onCapture' | 'onRemoval'>;
  /** Adds the periodic work of every process with workers, and begins with what shall not wait. */
  addPeriodic(periodic: Pick<Periodic, 'every'>): void;
}

type CaptureOverrides = Pick<
  ServiceParts,
  'audio' | 'intakeTimes' | 'maxRecordingSockets' | 'capturePauses' | 'captureTurnMs'
>;

/** Opens the audio store and the intake. Nothing is connected to before it is needed. */
export async function openCaptures(
  config: Config,
  ctx: Pick<CaptureContext, 'db'> &
    Pick<Background, 'pgListener'> &
    Pick<Media, 'readTranscript'> & { workers: Db; settings: { publicUrl: string }; mediaKey: KeyObject },
  log: Logger,
  overrides: Partial<CaptureOverrides> = {},
): Promise<CapturesAtWork> {
  const { db, workers, pgListener, settings, readTranscript, mediaKey } = ctx;
  const links = mediaLinks(mediaKey);
  const { store, space } = watchSpace(overrides.audio ?? openAudioStore(config));
  const times = { ...defaultTimes, ...overrides.intakeTimes };
  const maxRecordingBytes = config.RECORDING_MAX_MEGABYTES * 2 ** 20;
  const scratch = join(config.DATA_DIR, 'scratch');
  const tidy = () => Promise.all([removeAbandonedScratch(scratch), store.tidy?.()]);
  const maxSockets = overrides.maxRecordingSockets ?? maxRecordingSockets;
  return {
    audio: store,
    audioSpace: space,
    mediaKey,
    // The address of the service is complete only once it listens.
    media: {
      urlFor: (target, now) => links.urlFor({ ...target, publicUrl: settings.publicUrl, now }),
      readTranscript,
    },
    intake: createIntake({ db, log, times, pgListener, store, maxRecordingBytes, maxSockets }),
    handlersOf: (captureContext, writer) => {
      const transcriber = createTranscriber(config, { log });
      const { capturePauses: pauses, captureTurnMs: turnMs } = overrides;
      const parts = { ctx: captureContext, log, store, writer, transcriber, scratch };
      return {
        onCapture: captureHandler({ ...parts, ...(pauses && { pauses }), ...(turnMs !== undefined && { turnMs }) }),
        onRemoval: removalHandler(workers, store, scratch),
      };
    },
    addPeriodic: (periodic) => {
      periodic.every(5, 'stop silent recordings', silenceWatch({ db: workers }, times, log));
      tidy().catch((err: unknown) => log.warn({ err }, 'temporary audio was not removed'));
      periodic.every(300, 'remove temporary audio', tidy);
    },
  };
}
