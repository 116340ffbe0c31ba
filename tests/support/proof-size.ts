/*
 * How much a proof does: a small part of it in CI, all of it with `PROOF_SIZE=full` (docs/proofs.md). Each count has a
 * variable of its own too.
 */

const size = process.env.PROOF_SIZE ?? 'ci';
if (size !== 'ci' && size !== 'full') throw new Error(`PROOF_SIZE must be ci or full, not ${size}`);

/** Whether the machine is quiet and has time: only then are seconds judged. */
export const isFull = size === 'full';

/** A count of a proof, which the environment variable `name` overrides. @throws Error when that is no whole number. */
export function countOf(name: string, { ci, full }: { ci: number; full: number }): number {
  const given = process.env[name];
  if (given === undefined) return isFull ? full : ci;
  if (!/^\d+$/.test(given)) throw new Error(`${name} must be a whole number, not ${given}`);
  return Number(given);
}
