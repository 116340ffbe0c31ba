import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { incoming, nullIfGone, syncDirectory } from './disk.ts';
import { audioDirectory, bucketOf, type StorageSettings } from './settings.ts';

/** Holds one directory, whose name is the id of the store. No key begins with a dot. */
const place = '.store';

async function idIn(directory: string): Promise<string | undefined> {
  return (await nullIfGone(readdir(join(directory, place))))?.[0];
}

/**
 * The id of the store in `directory`, the same for all processes that see it; made by the first of them. A rename is
 * atomic and does not replace a directory that holds something, also on network file systems.
 */
async function diskStoreId(directory: string): Promise<string> {
  const known = await idIn(directory);
  if (known !== undefined) return known;
  const made = join(directory, incoming, randomUUID());
  await mkdir(join(made, randomUUID()), { recursive: true, mode: 0o700 });
  const fault: unknown = await rename(made, join(directory, place)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await rm(made, { recursive: true, force: true });
  const id = await idIn(directory);
  if (id === undefined) throw fault;
  await syncDirectory(directory);
  return id;
}

/** What distinguishes the audio store of these settings from others. A bucket is known by its name and the prefix. */
export async function audioStoreId(settings: StorageSettings & { DATA_DIR: string }): Promise<string> {
  const bucket = bucketOf(settings);
  if (bucket) return `s3:${bucket.bucket}/${bucket.prefix}`;
  return `disk:${await diskStoreId(resolve(audioDirectory(settings)))}`;
}
