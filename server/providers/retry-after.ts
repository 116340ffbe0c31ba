/**
 * Milliseconds that a provider asks to wait: `retry-after-ms` (OpenAI, Azure), or `Retry-After` in seconds or as an
 * HTTP date (RFC 9110, 10.2.3). Undefined when it asks for nothing that can be read. `now` is in ms since 1970.
 */
export function readRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** “90 s”, “5 min”, “3 h”: rounded up, so that whoever waits so long has waited enough. */
export function inWords(ms: number): string {
  if (ms <= 90_000) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  if (ms <= 90 * 60_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${Math.ceil(ms / 3_600_000)} h`;
}
