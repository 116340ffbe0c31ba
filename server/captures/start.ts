import { createSecretKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { sharedSecret } from '../../db/seed.ts';
import type { Media } from '../../routers/captures/media.ts';
import { reclaimCaptures } from '../../routers/captures/processing/claims.ts';
import type { CaptureWorld } from '../../routers/captures/processing/saves.ts';
import type { Writer } from '../agents/writer/index.ts';
import type { Backstage } from '../backstage.ts';
import type { Config } from '../config.ts';
import type { ServiceParts } from '../http.ts';
import type { Periodic } from '../jobs/periodic.ts';
import type { Handlers } from '../jobs/work.ts';
import { createIntake, type Intake } from './intake/intake.ts';
import { stopSilent } from './intake/silence.ts';
import { usualTimes } from './intake/times.ts';
import { mediaLinks } from './media/links.ts';
import { removeErased } from './processing/removals.ts';
import { captureWorker } from './processing/worker.ts';
import { openAudioStore } from './storage/settings.ts';
import type { AudioStore } from './storage/store.ts';
import { createTranscriber } from './transcription/index.ts';

/** Whatever captures need beside the requests. */
export interface CapturesAtWork {
  audio: AudioStore;
  /** Makes links to audio; `key` is their secret, shared by all processes. */
  media: Media;
  mediaKey: KeyObject;
  /** Takes the audio of recordings. */
  intake: Intake;
  /** Works on captures. */
  handler(world: CaptureWorld, writer: Writer): Handlers['onCapture'];
  /** What every process with workers looks after again and again. */
  lookAfter(periodic: Pick<Periodic, 'every'>): void;
}

type CaptureOverrides = Pick<ServiceParts, 'audio' | 'intakeTimes' | 'capturePauses'>;

/** Opens the audio store and the intake. Nothing is connected to before it is needed. */
export async function openCaptures(
  config: Config,
  world: Pick<CaptureWorld, 'db'> & Pick<Backstage, 'queue' | 'line'> & { settings: { publicUrl: string } },
  log: Logger,
  overrides: Partial<CaptureOverrides> = {},
): Promise<CapturesAtWork> {
  const { db, queue, line, settings } = world;
  const mediaKey = createSecretKey(await sharedSecret(db, 'media'));
  const links = mediaLinks(mediaKey);
  const store = overrides.audio ?? openAudioStore(config);
  const times = { ...usualTimes, ...overrides.intakeTimes };
  const recordingBytes = config.RECORDING_MAX_MEGABYTES * 2 ** 20;
  return {
    audio: store,
    mediaKey,
    // The address of the service is complete only once it listens.
    media: { urlFor: (target, now) => links.urlFor({ ...target, publicUrl: settings.publicUrl, now }) },
    intake: createIntake({ db, jobs: queue, log, times, line, store, recordingBytes }),
    handler: (captureWorld, writer) => {
      const transcriber = createTranscriber(config, { log });
      const { capturePauses: pauses } = overrides;
      const parts = { world: captureWorld, log, store, writer, transcriber, scratch: join(config.DATA_DIR, 'scratch') };
      return captureWorker({ ...parts, ...(pauses && { pauses }) });
    },
    lookAfter: (periodic) => {
      periodic.every(3, 'captures that nobody works on', () => reclaimCaptures(db, queue));
      periodic.every(5, 'recordings that fell silent', () => stopSilent({ db, jobs: queue }, times, log));
      periodic.every(2, 'audio of erased captures', () => removeErased(db, store));
    },
  };
}
