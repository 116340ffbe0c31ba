import type { LiveEvent } from '../../domain/live.ts';

/** A piece of provisional text; see `LiveEvent`. */
export type Delta = Omit<Extract<LiveEvent, { kind: 'delta' }>, 'kind'>;

/** PostgreSQL takes payloads of less than 8,000 bytes. */
const maxPayloadBytes = 7900;

/** The payloads that carry a piece of provisional text, in order, each small enough for one NOTIFY. */
export function deltaPayloads(delta: Delta): string[] {
  const { offset, text } = delta;
  const event: LiveEvent = { kind: 'delta', ...delta };
  const payload = JSON.stringify(event);
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return [payload];
  const middle = text.length >> 1;
  // Not between the two halves of a character.
  const cut = /[\uDC00-\uDFFF]/.test(text[middle] ?? '') ? middle + 1 : middle;
  return [
    ...deltaPayloads({ ...delta, text: text.slice(0, cut) }),
    ...deltaPayloads({ ...delta, offset: offset + cut, text: text.slice(cut) }),
  ];
}
