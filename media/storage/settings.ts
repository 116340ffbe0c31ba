import { join } from 'node:path';
import { z } from 'zod';
import { asciiWord, providerFields, type SettingFault } from '../../engine/providers/settings.ts';
import { createDiskStore } from './disk.ts';
import { createS3Store } from './s3.ts';
import type { S3Settings } from './s3-requests.ts';
import type { AudioStore } from './store.ts';

/** The settings of the audio store: a directory, or a bucket of a store with S3's protocol. */
export const storageEnvironment = {
  AUDIO_DIR: z.string().min(1).optional(),
  S3_ENDPOINT: providerFields.baseUrl.optional(),
  S3_REGION: asciiWord.optional(),
  S3_BUCKET: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      'must be the name of a bucket: 3 to 63 lower-case letters, digits, . or -',
    )
    .optional(),
  S3_ACCESS_KEY_ID: asciiWord.optional(),
  S3_SECRET_ACCESS_KEY: asciiWord.optional(),
  S3_PREFIX: z
    .string()
    .refine(
      (prefix) => prefix.split('/').every((name) => /^([\w-][\w.-]*)?$/.test(name)),
      'must be names of letters, digits, _, - and . between slashes',
    )
    .transform((prefix) => prefix.replace(/\/+/g, '/').replace(/^\//, ''))
    .transform((prefix) => (prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`))
    .optional(),
  S3_PATH_STYLE: z
    .enum(['true', 'false'], { error: 'must be true (the bucket stands in the path) or false (in the host)' })
    .transform((value) => value === 'true')
    .optional(),
};

/** The values of these settings. */
export type StorageSettings = { [Key in keyof typeof storageEnvironment]?: z.infer<(typeof storageEnvironment)[Key]> };

const needed = ['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
const optional = ['S3_PREFIX', 'S3_PATH_STYLE'] as const;

/** What is wrong with the settings together, by the setting that is to be changed. */
export function storageFaults(given: StorageSettings): SettingFault[] {
  if (![...needed, ...optional].some((setting) => given[setting] !== undefined)) return [];
  const missing = needed.filter((setting) => given[setting] === undefined);
  const faults = missing.map((setting) => ({ setting, message: `is missing: audio in S3 needs ${needed.join(', ')}` }));
  if (given.AUDIO_DIR === undefined) return faults;
  const message = 'says that audio lies on disk, and S3_… that it lies in a bucket: keep one of them';
  return [...faults, { setting: 'AUDIO_DIR', message }];
}

/** The bucket that the settings name; undefined when audio lies on disk. */
export function bucketOf(given: StorageSettings): S3Settings | undefined {
  const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: bucket } = given;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = given;
  if (!endpoint || !region || !bucket || !accessKeyId || !secretAccessKey) return undefined;
  const { S3_PREFIX: prefix = '', S3_PATH_STYLE: pathStyle = true } = given;
  return { endpoint, region, bucket, accessKeyId, secretAccessKey, prefix, pathStyle };
}

/** The directory of audio on disk: `AUDIO_DIR`, or `audio` in the data directory. */
export function audioDirectory({ AUDIO_DIR, DATA_DIR }: Pick<StorageSettings, 'AUDIO_DIR'> & { DATA_DIR: string }) {
  return AUDIO_DIR ?? join(DATA_DIR, 'audio');
}

/** The store of the settings: S3 when they name a bucket, else on disk. */
export function openAudioStore(given: StorageSettings & { DATA_DIR: string }): AudioStore {
  const bucket = bucketOf(given);
  return bucket ? createS3Store(bucket) : createDiskStore(audioDirectory(given));
}
