import { service } from '../scripts/build-server.ts';
import { buildApart } from '../scripts/built-folder.ts';
import { agentErrors, measureAgents } from './agents/index.ts';
import { reportAgents } from './agents/report.ts';
import { measureCitus } from './citus/index.ts';
import { reportCitus } from './citus/report.ts';
import { eventErrors, measureEvents } from './events/index.ts';
import { reportEvents } from './events/report.ts';
import { growthErrors, measureGrowth } from './growth/index.ts';
import { reportGrowth } from './growth/report.ts';
import { openBenchDatabase } from './harness/database.ts';
import { aloneParts, type Options, parseOptions, usage } from './harness/options.ts';
import { heading } from './harness/report.ts';
import { mcpErrors, measureMcp, reportMcp } from './mcp/index.ts';
import { measurePages, reportPages } from './pages.ts';
import { measurePeers } from './peers/index.ts';
import { peerErrors, reportPeers } from './peers/report.ts';
import { measureRecordings } from './recordings/index.ts';
import { reportRecordings } from './recordings/report.ts';
import { measureRequests } from './requests/index.ts';
import { reportRequests } from './requests/report.ts';
import { measureSchedules, reportSchedules } from './schedules.ts';
import { measureSearches, reportSearches, searchErrors } from './searches.ts';
import { measureSoak, reportSoak } from './soak.ts';
import { measureStandby, reportStandby } from './standby.ts';
import { measureEmbeddedStarts, measureStarts, reportLoad, reportStarts } from './start.ts';
import { measureTenfold, reportTenfold } from './tenfold.ts';

/*
 * `npm run bench`: measures the service and its ceiling on one database in one run. Exits with 1 when a request failed
 * or their responses differ; a missed target is printed, not an error.
 */

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Parts that are not workloads of requests. */
const others = [
  'agents',
  'events',
  'growth',
  'mcp',
  'pages',
  'peers',
  'recordings',
  'schedules',
  'searches',
  'soak',
  'start',
];
/** Measured alone, on databases of their own: each gives its report, and how many requests failed. */
const alone: Record<(typeof aloneParts)[number], (options: Options) => Promise<void>> = {
  citus: partOf(measureCitus, reportCitus),
  standby: partOf(measureStandby, reportStandby),
  tenfold: partOf(measureTenfold, reportTenfold),
};

function partOf<Figures extends { errors: number }>(
  measure: (options: Options, print: (line: string) => void) => Promise<Figures>,
  report: (figures: Figures, options: Options) => string,
) {
  return async (options: Options) => {
    const figures = await measure(options, print);
    print(`\n${report(figures, options)}`);
    if (figures.errors > 0) throw new Error(`${figures.errors} requests failed.`);
  };
}

const wantsRequests = ({ only }: Options) => only.length === 0 || only.some((each) => !others.includes(each));
const wants = ({ only }: Options, part: string) => only.length === 0 || only.includes(part);

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  // A bundle of older sources would be compared with a ceiling, and with a build without events, of these.
  await buildApart(service, 'build-server.ts');
  for (const name of aloneParts) if (options.only.includes(name)) return alone[name](options);
  const database = await openBenchDatabase(options, print);
  const parts = [heading(database, options)];
  let errors = 0;
  try {
    print(`Measuring on ${database.size}`);
    const measured = wantsRequests(options) ? await measureRequests(database, options, others, print) : undefined;
    const searches = wants(options, 'searches') ? await measureSearches(database, options, print) : undefined;
    const pages = wants(options, 'pages') ? await measurePages(database, print) : undefined;
    const peers = options.only.includes('peers') ? await measurePeers(database, options, print) : undefined;
    const mcp = wants(options, 'mcp') ? await measureMcp(database, options, print) : undefined;
    const agents = wants(options, 'agents') ? await measureAgents(database, options, print) : undefined;
    const events = wants(options, 'events') ? await measureEvents(database, options, print) : undefined;
    const recordings = wants(options, 'recordings') ? await measureRecordings(database, options, print) : undefined;
    const soak = options.only.includes('soak') ? await measureSoak(database, options, print) : undefined;
    const starts = wants(options, 'start') ? await measureStarts(database, options, print) : undefined;
    await database.stop();
    const embedded = starts && (await measureEmbeddedStarts(database, options, print));
    const schedules = wants(options, 'schedules') ? await measureSchedules(options, print) : undefined;
    const growth = options.only.includes('growth') ? await measureGrowth(options, print) : undefined;
    if (measured) {
      const { found, latencies } = measured;
      parts.push(reportRequests(found, latencies, options));
      const all = [...found.flatMap(({ service, ceiling }) => [service, ceiling]), ...latencies];
      errors += all.reduce((sum, each) => sum + each.errors, 0);
    }
    if (starts && embedded) parts.push(reportStarts({ ...starts, ...embedded }));
    if (measured) parts.push(reportLoad(measured.serviceMemory, measured.ceilingMemory));
    if (searches) {
      parts.push(reportSearches(searches, options));
      errors += searchErrors(searches);
    }
    if (pages) parts.push(reportPages(pages, options));
    if (peers) {
      parts.push(reportPeers(peers));
      errors += peerErrors(peers);
    }
    if (mcp) {
      parts.push(reportMcp(mcp));
      errors += mcpErrors(mcp);
    }
    if (agents) {
      parts.push(reportAgents(agents, options));
      errors += agentErrors(agents);
    }
    if (events) {
      parts.push(reportEvents(events));
      errors += eventErrors(events);
    }
    if (recordings) {
      parts.push(reportRecordings(recordings));
      errors += recordings.errors;
    }
    if (soak) {
      parts.push(reportSoak(soak, options));
      errors += soak.errors;
    }
    if (schedules) parts.push(reportSchedules(schedules));
    if (growth) {
      parts.push(reportGrowth(growth));
      errors += growthErrors(growth);
    }
    print(`\n${parts.join('\n\n')}`);
    if (errors > 0) throw new Error(`${errors} requests failed.`);
  } finally {
    await database.stop();
    await database.remove();
  }
}

/** What went wrong, with its cause: that of a request which fails says no more than that. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${reasonOf(error)}\n\n${usage}\n`);
  process.exitCode = 1;
});
