import catalogue from 'tandem:catalogue';
import { openSources } from './arguments/sources.ts';
import { Store } from './credentials/store.ts';
import { openOutput } from './output/terminal.ts';
import { runClient } from './run.ts';

/* The process: what the client is given of the machine. */

const { env: environment, stdin, stdout, stderr } = process;
// Who reads a list through `head` has enough: that is no fault.
for (const stream of [stdout, stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
}
const world = {
  catalogue,
  environment,
  out: openOutput(stdout, environment),
  err: openOutput(stderr, environment),
  sources: openSources(stdin),
  store: new Store(environment),
  now: new Date(),
};
void runClient(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
});
