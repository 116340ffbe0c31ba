import { setImmediate } from 'node:timers/promises';

/** Characters (UTF-16) that are worked on at a time: some milliseconds of the event loop, whatever they are. */
const sliceLength = 65_536;

/** Milliseconds after which others get a turn. */
const maxBlockingMs = 10;

/** How far before its end a slice may end at a better place. */
const maxSearched = 1000;

/**
 * Where a slice from `from` ends: before an ASCII character, because such a character composes with nothing before it,
 * and never within a character.
 */
function endOf(text: string, from: number): number {
  const end = from + sliceLength;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - maxSearched; at -= 1) if (text.charCodeAt(at) < 128) return at;
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end;
}

/** A text in slices that can be normalized and folded apart from each other. */
export function* slicesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = endOf(text, from);
    yield text.slice(from, to);
    from = to;
  }
}

/** Lets other work of the process run, if the last time was about 10 ms ago or more. */
export function turnTaker(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < maxBlockingMs) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}

/** The text that `map` makes of each slice of `text`. Other work of the process runs in between. */
export async function mapSlices(text: string, map: (slice: string) => string): Promise<string> {
  const parts: string[] = [];
  const takeTurn = turnTaker();
  for (const slice of slicesOf(text)) {
    parts.push(map(slice));
    await takeTurn();
  }
  return parts.join('');
}
