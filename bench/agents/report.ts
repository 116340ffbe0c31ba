import { decimals, fine, median, range, tenths, times, whole } from '../harness/figures.ts';
import type { Options } from '../harness/options.ts';
import { table } from '../harness/report.ts';
import type { FirstStep } from './first-step.ts';
import type { AgentsResult } from './index.ts';
import type { TurnsResult } from './turns.ts';
import type { Waiting } from './waiting.ts';

/** Milliseconds from createChat to the first step, p50 of one at a time (docs/bench.md). */
const firstStepTarget = 50;

const mebi = (bytes: number) => decimals(bytes / 2 ** 20, 0);

function turnsRow({ errand, service, ceiling, ratios }: TurnsResult): string[] {
  const other = <Text>(text: (pace: NonNullable<typeof ceiling>) => Text) => (ceiling ? text(ceiling) : '');
  return [
    errand.name,
    tenths(service.perSecond),
    `${other((pace) => tenths(pace.perSecond))}`,
    ceiling ? fine(median(ratios)) : '',
    ceiling ? range(ratios) : '',
    times(service.p50, service.p99),
    `${other((pace) => times(pace.p50, pace.p99))}`,
    `${tenths(service.cpu)}${other((pace) => ` / ${tenths(pace.cpu)}`)}`,
    `${service.errors + (ceiling?.errors ?? 0)}`,
  ];
}

function firstStepRow({ inFlight, samples, p50, p95, p99, errors }: FirstStep): string[] {
  const missed = p50 >= firstStepTarget;
  return [
    inFlight === 1 ? 'one at a time' : `${inFlight} in flight, each at once after the last`,
    missed ? `**${tenths(p50)}**` : tenths(p50),
    tenths(p95),
    tenths(p99),
    `${samples}`,
    `${errors}`,
  ];
}

function waitingRows(waiting: Waiting): string[][] {
  const { waiters, before, during, connectionsBefore, connectionsDuring } = waiting;
  const each = (from: number, to: number) => `${tenths((to - from) / waiters / 1024)} KiB each`;
  const change = (from: number, to: number) => [mebi(from), mebi(to), each(from, to)];
  return [
    ['heap of the service, garbage collected, MiB', ...change(before.heapUsed, during.heapUsed)],
    ['resident memory of the service, MiB', ...change(before.rss, during.rss)],
    [
      'database connections of the service',
      `${connectionsBefore.open}`,
      `${connectionsDuring.open}`,
      `at most ${connectionsDuring.busy} busy at a time`,
    ],
    ['CPU of the service, % of one core', '', tenths(waiting.cpuShare * 100), ''],
  ];
}

/** The agents as Markdown. What misses its target is bold. */
export function reportAgents({ turns, perTurn, firstSteps, waiting }: AgentsResult, { connections }: Options): string {
  const { waiters, atWork, answeredP50, answeredMax, allAnswered, errors } = waiting;
  return `#### Agents at work

One process of the service with its default settings. ${connections} chats in flight, each the next message once the reply is
there (\`waitSeconds\`), five turns a chat; the rate counts until titles and subtitles are written too. The ceiling does the
same turns by hand in three statements, and two for each title or subtitle, without queue, leases and news between processes.

${table(
  [
    'turns',
    'service turns/s',
    'ceiling turns/s',
    'ratio',
    'rounds',
    'service p50 / p99 ms',
    'ceiling p50 / p99 ms',
    'CPU ms per turn',
    'errors',
  ],
  turns.map(turnsRow),
)}

One such turn of the instant model, title and subtitle included, is ${tenths(perTurn.statements)} statements that the service sends to the database in
${tenths(perTurn.sends)} pieces.

From sending createChat to the model being asked, ms (target: p50 under ${firstStepTarget}):

${table(['new chats', 'p50', 'p95', 'p99', 'samples', 'errors'], firstSteps.map(firstStepRow))}

${whole(waiters)} requests of createChat that wait with \`waitSeconds\`, ${atWork} of them for a turn that is at work, the others for a worker:

${table(['what waiting costs', 'before', 'while they wait', ''], waitingRows(waiting))}

Once the model answers, all are answered in ${tenths(allAnswered)} s, each ${tenths(answeredP50)} ms (p50), ${tenths(answeredMax)} ms (most) after the news that its chat
settled; ${errors} errors.`;
}
