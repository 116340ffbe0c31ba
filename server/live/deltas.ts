import type { LiveEvent } from '../../routers/live.ts';

/** PostgreSQL takes payloads of less than 8,000 bytes. */
const largest = 7900;

/** The notices that carry a piece of provisional text, in order, each small enough for one NOTIFY. */
export function deltaPayloads(chatId: string, sequence: number, text: string): string[] {
  const delta: LiveEvent = { kind: 'delta', chatId, sequence, text };
  const payload = JSON.stringify(delta);
  if (Buffer.byteLength(payload) <= largest) return [payload];
  const middle = text.length >> 1;
  // Not between the two halves of a character.
  const cut = /[\uDC00-\uDFFF]/.test(text[middle] ?? '') ? middle + 1 : middle;
  return [text.slice(0, cut), text.slice(cut)].flatMap((part) => deltaPayloads(chatId, sequence, part));
}
