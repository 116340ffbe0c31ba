import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';

/** The migrations before the first one whose text has `word`, in a folder of their own. */
export async function migrationsBefore(word: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-before-'));
  await cp('db/migrations', folder, { recursive: true });
  const journal = join(folder, 'meta', '_journal.json');
  const { entries } = JSON.parse(await readFile(journal, 'utf8')) as { entries: { tag: string }[] };
  const texts = await Promise.all(entries.map(({ tag }) => readFile(join(folder, `${tag}.sql`), 'utf8')));
  const first = texts.findIndex((text) => text.includes(word));
  assert.ok(first > 0);
  await writeFile(journal, JSON.stringify({ entries: entries.slice(0, first) }));
  return folder;
}
