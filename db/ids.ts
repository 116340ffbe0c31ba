import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesOfId = 16;

/** Random bytes in stock: to fetch those of each id from the system takes longer than all else about it. */
const stock = Buffer.alloc(256 * bytesOfId);
let used = stock.length;

function randomBytesOfId(): Uint8Array {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  used += bytesOfId;
  return stock.subarray(used - bytesOfId, used);
}

let msecs = 0;
let seq = 0;

/**
 * A UUID of version 7 (RFC 9562), greater than all that this process made before: a counter of 32 bits, which begins at
 * a random number in each millisecond (§6.2, method 1), as `v7` of uuid has it without options.
 */
export function newId(): string {
  const random = randomBytesOfId();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq =
      ((random[6] ?? 0) & 0x7f) * 0x1000000 + (((random[7] ?? 0) << 16) | ((random[8] ?? 0) << 8) | (random[9] ?? 0));
  } else if (++seq > 0xffffffff) {
    seq = 0;
    msecs++;
  }
  return v7({ random, msecs, seq });
}
