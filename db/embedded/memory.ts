import { totalmem } from 'node:os';

const mebibyte = 2 ** 20;
/** PostgreSQL's own default, and what one workspace of a million todos has in use. */
const [least, most] = [128, 1024];
/** The service and other programs use the same machine; the page cache of the system holds the files too. */
const fraction = 1 / 16;

/** Bytes of memory that this process may use: of the machine, or of its container where that has less. */
function availableBytes(): number {
  const limit = process.constrainedMemory();
  // 0 where there is no limit to read, and more than the machine has where there is none.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** The setting `shared_buffers` of the embedded PostgreSQL for a machine with so much memory. */
export function sharedBuffersFor(bytes = availableBytes()): string {
  const wanted = Math.floor((bytes * fraction) / mebibyte);
  return `${Math.min(most, Math.max(least, wanted))}MB`;
}
