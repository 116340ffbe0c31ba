/** A flag that every command takes. */
export interface GeneralFlag {
  flag: string;
  short?: string;
  /** Placeholder of the value in the help; absent for flags without a value. */
  label?: string;
  description: string;
}

export const generalFlags = [
  { flag: 'json', description: 'Print the API response as JSON.' },
  { flag: 'jsonl', description: 'Print one JSON object per line: each item, or each event.' },
  { flag: 'fields', label: 'A,B', description: 'Show only these fields.' },
  { flag: 'profile', label: 'NAME', description: 'Use this profile.' },
  { flag: 'timeout', label: 'SECONDS', description: 'Timeout of one request (default 60).' },
  { flag: 'no-retry', description: 'Do not retry failed requests.' },
  { flag: 'verbose', short: 'v', description: 'Print requests and headers on stderr.' },
  { flag: 'help', short: 'h', description: 'Show this help.' },
] as const satisfies readonly GeneralFlag[];

/** Flags that only some operations take. */
export const operationFlags = {
  all: { flag: 'all', description: 'Fetch all pages, not only the first.' },
  body: { flag: 'body', label: 'JSON', description: 'The whole body; flags override it. @PATH reads a file, - stdin.' },
  wait: { flag: 'wait', description: 'Follow the agent until it stops; the exit code is its outcome.' },
  idempotencyKey: {
    flag: 'idempotency-key',
    label: 'KEY',
    description: 'Repeats with the same key return the same response. Generated if omitted.',
  },
  ifMatch: { flag: 'if-match', label: 'ETAG', description: 'Fail if the resource changed since; see --verbose.' },
} as const satisfies Record<string, GeneralFlag>;

/** Names that are not available as flags of operation fields. */
export const takenFlags: ReadonlySet<string> = new Set(
  [...generalFlags, ...Object.values(operationFlags)].flatMap(({ flag }) => [flag, `no-${flag}`]),
);
