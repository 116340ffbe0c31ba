import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from './config.ts';
import { StartError } from './start-errors.ts';

/** A directory that this process writes, and the setting that names it. */
interface UsedDirectory {
  setting: 'DATA_DIR' | 'AUDIO_DIR';
  path: string;
}

type Settings = Pick<
  Config,
  'DATA_DIR' | 'AUDIO_DIR' | 'DATABASE_URL' | 'SMTP_URL' | 'S3_BUCKET' | 'AGENT_CONCURRENCY'
>;

/**
 * The directories that a process with these settings writes. The data directory holds the embedded database, emails
 * without a mail server, audio without another place for it, and the files that workers make of audio.
 */
export function usedDirectories(settings: Settings): UsedDirectory[] {
  const { DATA_DIR, AUDIO_DIR, DATABASE_URL, SMTP_URL, S3_BUCKET, AGENT_CONCURRENCY } = settings;
  const isElsewhere = DATABASE_URL && SMTP_URL && (AUDIO_DIR ?? S3_BUCKET) && AGENT_CONCURRENCY === 0;
  return [
    ...(isElsewhere ? [] : [{ setting: 'DATA_DIR' as const, path: resolve(DATA_DIR) }]),
    ...(AUDIO_DIR === undefined ? [] : [{ setting: 'AUDIO_DIR' as const, path: resolve(AUDIO_DIR) }]),
  ];
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
const probeBytes = 4096;

/** The directory, or the one above it in which it would be made. */
async function existing(path: string): Promise<string> {
  for (let each = path; ; each = dirname(each)) {
    const found = await stat(each).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT' || each === dirname(each)) throw error;
    });
    if (found?.isDirectory()) return each;
    if (found) throw Object.assign(new Error(`${each} is a file`), { code: 'ENOTDIR' });
  }
}

/** Writes a file to the directory, as far as the disk, and removes it. @throws Error of the file system. */
async function probe(path: string): Promise<void> {
  const file = join(await existing(path), `.tandem-${randomUUID()}.probe`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(Buffer.alloc(probeBytes));
    await handle.sync();
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

/** What is wrong with a directory, and what to do about it. `{setting}` stands for the setting. */
const faults: [codes: readonly string[], what: string, remedy: string][] = [
  [['ENOSPC', 'EDQUOT'], 'is full', 'Free some space, or set {setting} to another directory.'],
  [['EROFS'], 'is mounted read-only', 'Mount it writable, or set {setting} to another directory.'],
  [
    ['ENOTDIR', 'EEXIST', 'ELOOP'],
    'is not a directory',
    'Set {setting} to a directory, or remove the file in its place.',
  ],
  [
    ['ENOENT', 'EIO', 'ENXIO', 'ENODEV', 'ENOTCONN', 'ESTALE', 'EHOSTDOWN', 'ETIMEDOUT'],
    'cannot be reached',
    'Check that its file system is mounted, or set {setting} to another directory.',
  ],
];
const denied = 'Give the user that runs Tandem write access to it, or set {setting} to another directory.';

function sentenceOf({ setting, path }: UsedDirectory, error: unknown): string {
  const code = codeOf(error);
  const [, what, remedy] = faults.find(([codes]) => codes.includes(code)) ?? [[], 'cannot be written', denied];
  return `The directory ${path} of ${setting} ${what} (${code}). ${remedy.replace('{setting}', setting)}`;
}

/**
 * Checks before the start that each directory takes a file: later, a recording or an email would be lost to it. Makes
 * no directory. `write` is another one only in tests. @throws StartError that names the directory and what to do.
 */
export async function requireWritable(directories: readonly UsedDirectory[], write = probe): Promise<void> {
  for (const directory of directories) {
    await write(directory.path).catch((error: unknown) => {
      throw new StartError(sentenceOf(directory, error), { cause: error });
    });
  }
}
