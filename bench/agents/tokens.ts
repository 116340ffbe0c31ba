/** Milliseconds on a clock that all processes of this machine share (CLOCK_MONOTONIC). */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A mark in a message, by which whoever sees it knows which one it is. */
export function tokenOf(turn: number): string {
  return `no${turn.toString(36)}on`;
}

/** The last mark in a text. */
export function tokenIn(text: string): string | undefined {
  return [...text.matchAll(/\bno[0-9a-z]+on\b/g)].at(-1)?.[0];
}
