import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** The rest of a longer password makes it stronger still, and would take long to estimate. */
const maxLength = 64;

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** How hard a password is to guess, from 0 to 4 (zxcvbn); `known` are words that belong to its person. */
export async function estimate(password: string, known: readonly string[]): Promise<number> {
  const { score } = await estimator.checkAsync(password.slice(0, maxLength), [...known, 'tandem']);
  return score;
}
