import { writeSync } from 'node:fs';
import catalogue from 'tandem:catalogue';
import { Store } from './credentials/store.ts';
import { runClient } from './run.ts';
import { openOutput } from './terminal/output.ts';
import { openSources } from './terminal/sources.ts';

/* Entry of the client: passes the process's streams, environment and clock. */

const { env: environment, stdin, stdout, stderr } = process;
/** At once: the program ends before a stream has written. */
function reportUnwritten(reason: string): void {
  try {
    writeSync(stderr.fd, `Error: the output cannot be written: ${reason}\n`);
  } catch {}
}

for (const stream of [stdout, stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // Normal when output is piped to `head`.
    if (code === 'EPIPE') process.exit(0);
    if (stream === stdout) reportUnwritten(message);
    process.exit(1);
  });
}
const context = {
  catalogue,
  environment,
  out: openOutput(stdout, environment),
  err: openOutput(stderr, environment),
  sources: openSources(stdin),
  store: new Store(environment),
  program: process.argv[1],
  now: new Date(),
};
void runClient(process.argv.slice(2), context).then((code) => {
  process.exitCode = code;
});
