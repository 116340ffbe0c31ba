import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/**
 * Characters that may wait to be written. Lines beyond them are dropped: the reader of the log is too slow, or stopped.
 */
const maxWaiting = 4_000_000;
/** So long is waited where a pipe is full, in ms: between two lines, and when the process ends. */
const [fullMs, fullAtEndMs] = [100, 10];

const newline = 10;

/** A pipe is full whose reader is slow. */
const isFull = ({ code }: NodeJS.ErrnoException) => code === 'EAGAIN' || code === 'EBUSY';

/**
 * Where the lines of the log are written: a file descriptor, by default the standard output. A line that cannot be
 * written is dropped, and the next one is tried: neither a full disk nor a closed terminal may end the service or keep
 * it from ending. (pino's own destination throws an error that nobody catches, and when the process ends it tries
 * forever to write the rest.) `maxEndMs`: when the process ends, how long to wait for a pipe that takes nothing.
 */
export function logOutput(fd = 1, maxEndMs = 2000): DestinationStream & { flushSync: () => void } {
  let waiting: string[] = [];
  let length = 0;
  let isWriting = false;
  /** What a full pipe did not take. */
  let held: Buffer | undefined;
  /** The last line that was written has no end. */
  let isWithinLine = false;

  const taken = () => {
    const text = (isWithinLine ? '\n' : '') + waiting.join('');
    isWithinLine = false;
    waiting = [];
    length = 0;
    return Buffer.from(text);
  };
  const send = (bytes: Buffer, isRest = false) => {
    isWriting = true;
    held = undefined;
    write(fd, bytes, (error, written) => {
      if (error && isFull(error)) {
        held = bytes;
        setTimeout(() => held === bytes && send(bytes, isRest), fullMs).unref();
        return;
      }
      if (!error && written < bytes.length) return send(bytes.subarray(written), bytes[written - 1] !== newline);
      if (error) isWithinLine = isRest || bytes[0] === newline;
      isWriting = false;
      if (waiting.length > 0) send(taken());
    });
  };
  /** Until nothing can be written, or a pipe takes nothing for too long. */
  const writeNow = (bytes: Buffer) => {
    let [place, deadline] = [0, performance.now() + maxEndMs];
    while (place < bytes.length && performance.now() < deadline) {
      try {
        place += writeSync(fd, bytes, place);
        deadline = performance.now() + maxEndMs;
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullAtEndMs);
      }
    }
  };
  const flushSync = () => {
    if (held) {
      const rest = held;
      held = undefined;
      isWriting = false;
      writeNow(rest);
    }
    if (waiting.length > 0) writeNow(taken());
  };
  process.once('exit', flushSync);
  return {
    write: (line) => {
      if (length + line.length > maxWaiting) return;
      waiting.push(line);
      length += line.length;
      if (!isWriting) send(taken());
    },
    flushSync,
  };
}
