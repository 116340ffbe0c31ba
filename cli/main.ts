import { writeSync } from 'node:fs';
import catalogue from 'tandem:catalogue';
import { Store } from './credentials/store.ts';
import { exitCodes } from './model/failure.ts';
import { runClient } from './run.ts';
import { openOutput } from './terminal/output.ts';
import { openSources } from './terminal/sources.ts';

/* Entry of the client: passes the process's streams, environment and clock. */

const { env: environment, stdin, stdout, stderr } = process;
/** Writes synchronously: the program exits before a stream has written. */
function reportUnwritten(reason: string): void {
  try {
    writeSync(stderr.fd, `Error: the output cannot be written: ${reason}\n`);
  } catch {}
}

const out = openOutput(stdout, environment);
const err = openOutput(stderr, environment);
// Without a reader of stderr the command goes on: its exit code still says what came of it.
err.isOptional = true;

for (const [stream, output] of [
  [stdout, out],
  [stderr, err],
] as const) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && output.isOptional) return;
    // Normal when output is piped to `head`.
    if (code === 'EPIPE') process.exit(process.exitCode ?? exitCodes.done);
    if (stream === stdout) reportUnwritten(message);
    process.exit(exitCodes.failed);
  });
}
const context = {
  catalogue,
  environment,
  out,
  err,
  sources: openSources(stdin),
  store: new Store(environment),
  program: process.argv[1],
  now: new Date(),
};
void runClient(process.argv.slice(2), context).then((code) => {
  process.exitCode = code;
});
