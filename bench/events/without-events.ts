import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleService } from '../../scripts/build-server.ts';
import { root } from '../../scripts/built-folder.ts';

const replaced = ['/domain/events/record.ts', '/server/events/sequencer.ts'];
const substitute = join(import.meta.dirname, 'no-events.ts');

/** Replaces what records and numbers events by functions that do nothing. */
const withoutEvents = {
  name: 'without-events',
  enforce: 'pre' as const,
  async resolveId(this: Resolver, source: string, importer: string | undefined) {
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found && replaced.some((each) => found.id === join(root, each)) ? substitute : found;
  },
};

interface Resolver {
  resolve(source: string, importer: string | undefined, options: object): Promise<{ id: string } | null>;
}

/** Bundles the service without events. @returns the file to start, absolute, and what removes the bundle. */
export async function bundleWithoutEvents(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = join(root, 'dist', `without-events-${process.pid}`);
  await bundleService(folder, folder, [withoutEvents]);
  return { file: join(folder, 'start.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
