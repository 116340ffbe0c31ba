import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesOfId = 16;

/** Random bytes in stock: to fetch those of each id from the system takes longer than all else about it. */
const stock = Buffer.alloc(256 * bytesOfId);
let used = stock.length;

function rng(): Uint8Array {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  used += bytesOfId;
  return stock.subarray(used - bytesOfId, used);
}

/** The id of a request: a UUID of version 7 (RFC 9562). */
export function requestId(): string {
  return v7({ rng });
}
