/** Words of everyday work, the most frequent first. */
const head = `the to and for a of in on with review team update call plan report send new meeting client draft check
  prepare budget project from write customer week follow up invoice contract next release notes email schedule fix
  design about page site order list test data before price offer office market sales support supplier answer ask book
  travel hotel flight agenda slides deck quarter year goal hiring candidate interview onboarding training survey
  feedback ticket bug deploy server backup migration database security audit policy legal privacy insurance tax payroll
  expense receipt refund payment bank account logo brand photo video blog post newsletter campaign launch event venue
  catering speaker sponsor partner warehouse shipping delivery stock return warranty repair clean paint move furniture
  window garden kitchen`
  .split(/\s+/)
  .filter(Boolean);

/** Consonant, vowel, consonant; rare consonants and vowels come later, so that they occur in rare words only. */
const syllables = Array.from(
  { length: 140 },
  (_, n) => `${'trsnlmdkpbvfgwhzjqx'[n % 19]}${'aeiou'[n % 5]}${'nrtlmdkpbgfvz'[(n * 3) % 13]}`,
);
const packed = syllables.join('');
const tail = syllables.length ** 2;

/** The word of a rank, 1 the most frequent: everyday words, then made-up ones of two syllables. */
export function wordOf(rank: number): string {
  const index = rank - head.length - 1;
  if (index < 0) return head[rank - 1] ?? '';
  const syllable = (place: number) => syllables[Math.floor(index / syllables.length ** place) % syllables.length];
  return `${syllable(0)}${syllable(1)}`;
}

/** How many different words there are. */
const vocabulary = head.length + tail;

/**
 * An SQL expression: `count` words chosen at random, the word of rank r about 1/r as often as the first (Zipf).
 * `count` must mention a column, or it is computed once for all rows.
 */
export function wordsSql(count: string): string {
  const index = `(r - ${head.length + 1})`;
  const syllable = (place: number) =>
    `substr('${packed}', 1 + 3 * (${index} / ${syllables.length ** place} % ${syllables.length}), 3)`;
  return `(select string_agg(case when r <= ${head.length} then ('{${head.join(',')}}'::text[])[r]
      else ${syllable(0)} || ${syllable(1)} end, ' ')
    from (select floor(exp(random() * ln(${vocabulary})))::int as r from generate_series(1, ${count})) as ranks)`;
}
