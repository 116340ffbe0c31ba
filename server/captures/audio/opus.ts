/** Frames of one configuration, in tenths of a millisecond (RFC 6716, table 2). */
function frameLength(configuration: number): number {
  if (configuration < 12) return [100, 200, 400, 600][configuration % 4] ?? 0;
  if (configuration < 16) return configuration % 2 === 0 ? 100 : 200;
  return [25, 50, 100, 200][configuration % 4] ?? 0;
}

/** How long one packet of Opus plays, in seconds, as its first bytes tell (RFC 6716 §3); null when it is none. */
export function opusDuration(packet: Uint8Array): number | null {
  const [first, second = 0] = packet;
  if (first === undefined) return null;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 63 : 2;
  const length = frames * frameLength(first >> 3);
  return length > 0 && length <= 1200 ? length / 10_000 : null;
}
