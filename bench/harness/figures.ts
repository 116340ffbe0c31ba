/** Printed in place of a figure of a window in which nothing was measured. */
export const notMeasured = 'not measured';

/** A figure with so many decimals, and no sign where they are zero; a figure that is not finite was not measured. */
export function decimals(value: number, digits: number): string {
  if (!Number.isFinite(value)) return notMeasured;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/** An integer with thousands separators. */
export const whole = (value: number) =>
  Number.isFinite(value) ? Math.round(value).toLocaleString('en', { signDisplay: 'negative' }) : notMeasured;
/** One decimal. */
export const tenths = (value: number) => decimals(value, 1);
/** Two decimals. */
export const fine = (value: number) => decimals(value, 2);
/** p50 and p99 in ms. */
export const times = (p50: number, p99: number) =>
  Number.isFinite(p50) ? `${tenths(p50)} / ${tenths(p99)}` : notMeasured;

const measured = (values: readonly number[]) => values.filter(Number.isFinite).toSorted((a, b) => a - b);

/** The lowest and the highest of what was measured. */
export function range(values: readonly number[]): string {
  const sorted = measured(values);
  return sorted.length === 0 ? notMeasured : `${fine(sorted[0] ?? Number.NaN)}–${fine(sorted.at(-1) ?? Number.NaN)}`;
}

/** The median of what was measured; NaN when nothing was. */
export function median(values: readonly number[]): number {
  const sorted = measured(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below which `part` of the values lie; NaN for no values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** `amount / count`; NaN unless both are above zero, because nothing was measured then. */
export function quotient(amount: number, count: number): number {
  return amount > 0 && count > 0 ? amount / count : Number.NaN;
}
