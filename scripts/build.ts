import { client } from './build-cli.ts';
import { service } from './build-server.ts';
import { pages } from './build-web.ts';
import { buildAsPart } from './built-folder.ts';

/*
 * `npm run build`: builds the service, the pages and the command-line client, each unless it is up to date. Node runs
 * this without a loader, which would take most of the time where nothing has changed. `--try`, at install: a failure is
 * printed only. `--start`, before `npm start`: only the service must be there. Both print what was found, so that it
 * can be seen whether sources or an earlier build run.
 */

const isTrial = process.argv.includes('--try');
const isStart = process.argv.includes('--start');

const outcomes = [
  await buildAsPart(pages, isTrial || isStart ? 'the API works without them' : undefined),
  await buildAsPart(client, isTrial || isStart ? 'the API works without it' : undefined),
  await buildAsPart(service, isTrial ? '`npm start` tries again' : undefined),
];
if (isStart && outcomes.every((outcome) => outcome === 'fresh'))
  process.stdout.write(
    'The build in dist/ is up to date with the sources; `npm run dev` runs the sources themselves.\n',
  );
