/** A flag that every command takes. */
export interface GeneralFlag {
  flag: string;
  short?: string;
  /** What stands for its value in the help; absent for flags without one. */
  label?: string;
  description: string;
}

export const generalFlags = [
  { flag: 'json', description: 'Print the answer of the API as it is.' },
  { flag: 'jsonl', description: 'Print one JSON object a line: each item, or each event.' },
  { flag: 'fields', label: 'A,B', description: 'Show these fields alone.' },
  { flag: 'profile', label: 'NAME', description: 'Use the sign-in of this name.' },
  { flag: 'timeout', label: 'SECONDS', description: 'Give up on one request after so long (60).' },
  { flag: 'no-retry', description: 'Do not try again what failed on the way.' },
  { flag: 'verbose', short: 'v', description: 'Tell each request and its headers on stderr.' },
  { flag: 'help', short: 'h', description: 'Show this help.' },
] as const satisfies readonly GeneralFlag[];

/** Flags that only some operations take. */
export const operationFlags = {
  all: { flag: 'all', description: 'All pages, not the first alone.' },
  body: { flag: 'body', label: 'JSON', description: 'The whole body; flags go on top. @PATH reads a file, - stdin.' },
  wait: { flag: 'wait', description: 'Follow the agent until it stops; the exit code tells how.' },
  idempotencyKey: {
    flag: 'idempotency-key',
    label: 'KEY',
    description: 'The same key gets the same answer. One is made otherwise.',
  },
  ifMatch: { flag: 'if-match', label: 'ETAG', description: 'Refuse when it changed since; see --verbose.' },
} as const satisfies Record<string, GeneralFlag>;

/** Names that no field of an operation can have as its flag. */
export const takenFlags: ReadonlySet<string> = new Set(
  [...generalFlags, ...Object.values(operationFlags)].flatMap(({ flag }) => [flag, `no-${flag}`]),
);
