import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notOnCluster } from '../support/citus.ts';
import { inLanes } from '../support/lanes.ts';

const test = suite('bench');
const onPostgres = notOnCluster(
  test,
  'its parts bring a PostgreSQL without Citus; `citus-bench` has the part of Citus',
);

const sizes = '--workspaces 3 --todos 600 --giant 300 --seconds 0.1 --rounds 1 --connections 4 --probes 4 --waiters 20';

function bench(args: string[]): Promise<{ code: number | null; output: string }> {
  const run = spawn(process.execPath, ['bench/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => run.on('close', (code) => resolve({ code, output })));
}

/** One at a time is what a measurement needs; here only what is said matters, and much of a bench is waiting. */
const atOnce = 3;
const ends = new Map<string, PromiseWithResolvers<Awaited<ReturnType<typeof bench>>>>();
let all: Promise<unknown> = Promise.resolve();

test.before(() => {
  if (onPostgres !== test) return;
  const parts = {
    requests: '--only get,list,create,update,summary,search',
    schedules: '--schedules 100 --due 10 --idleSeconds 1 --only schedules',
    agents: '--only agents',
    events: '--followers 40 --idleSeconds 1 --only events',
    searches: '--only searches',
    pages: '--only pages',
    start: '--starts 3 --only start',
    growth: '--messages 4000 --only growth',
    soak: '--seconds 0.2 --minutes 0.01 --only soak',
    tenfold: '--workspaces 20 --todos 2000 --giant 300 --only tenfold',
  };
  const works = Object.entries(parts);
  for (const [part] of works) ends.set(part, Promise.withResolvers());
  all = inLanes(works.length, atOnce, async (place) => {
    const [part = '', args = ''] = works[place] ?? [];
    ends.get(part)?.resolve(await bench(`${sizes} ${args}`.split(' ')));
  });
});
test.after(async () => {
  await all;
});

async function ended(part: string): Promise<string> {
  const { code, output = '' } = (await ends.get(part)?.promise) ?? {};
  assert.is(code, 0, output);
  // A difference may be a little below zero, such as -0.3.
  assert.not.match(output, /NaN|Infinity|-0(\.0+)?(?![.\d])/, output);
  return output;
}

/** A figure, bold or not; on a busy machine nothing may have been measured within the short windows of this test. */
const figure = /^((\*\*)?\d[\d,.]*(\*\*)?|not measured)$/;
const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| '));
const cellsOf = (row = '') => row.split('|').map((cell) => cell.trim());

onPostgres(
  'every workload of the bench runs without errors, and the ceiling answers what the service answers',
  async () => {
    const output = await ended('requests');
    const rows = rowsOf(output);
    const [compared, sized] = [rows.filter((row) => row.includes(' / ')), rows.filter((row) => !row.includes(' / '))];
    assert.is(compared.length, 1 + 14, output);
    for (const row of compared.slice(1)) assert.match(row, /\| 0 \|$/);
    for (const request of ['getTodo', 'listTodos', 'search', 'summary']) {
      assert.ok(
        sized.some((row) => row.startsWith(`| ${request} |`)),
        `${request} is compared between sizes`,
      );
    }
    assert.match(output, /Memory after the load: service \d+ MiB \(target ≤ 300\), ceiling \d+ MiB\./);
    assert.not.match(output, /Agents at work|Recordings/);
  },
);

onPostgres('starts are measured on each database that they may find, with their memory', async () => {
  const output = await ended('start');
  const rows = rowsOf(output).map(cellsOf).slice(2);
  assert.equal(
    rows.map(([, start, , , , , , count]) => [start?.split(' ')[0], count]),
    [
      ['on', '3'],
      ['with', '1'],
      ['the', '1'],
    ],
  );
  for (const [, , cpu = '', , ms = '', , resident = ''] of rows)
    for (const value of [cpu, ms, resident]) assert.match(value, /^(\*\*)?[1-9][\d,]*(\*\*)?$/);
  assert.match(output, /Resident some seconds after a start: [1-9]\d+ MiB\./);
});

onPostgres('MCP is compared with REST, in both protocol versions, without errors', async () => {
  const { code, output } = await bench(`${sizes} --only mcp`.split(' '));
  assert.is(code, 0, output);
  assert.not.match(output, /req\/s|Agents at work/);
  const rows = rowsOf(output).filter((row) => row.includes('tools/'));
  assert.is(rows.length, 8, output);
  for (const row of rows) {
    assert.match(row, /\| 0 \|$/);
    const [, name, , , cpu, , ratio] = cellsOf(row);
    assert.match(cpu ?? '', figure, row);
    assert.is(figure.test(ratio ?? ''), name?.startsWith('tools/call'), row);
  }
});

onPostgres('searches are measured: buffers and times of each class of words, without errors', async () => {
  const output = await ended('searches');
  assert.not.match(output, /req\/s|Agents at work/);
  const rows = rowsOf(output).map(cellsOf).slice(2);
  assert.is(rows.length, 16, output);
  for (const row of rows) {
    for (const cell of row.slice(2, 6)) assert.match(cell, figure, row.join());
    assert.is(row.at(-2), '0', `${row[1]}: no request failed`);
  }
});

onPostgres('pages of every filter and sort are measured: the slowest are named, with their buffers', async () => {
  const output = await ended('pages');
  assert.not.match(output, /req\/s|Agents at work/);
  const [, pages, filters] = /(\d+) pages: (\d+) filters/.exec(output) ?? [];
  assert.is(Number(pages), Number(filters) * 20, output);
  assert.ok(Number(filters) > 30, output);
  const rows = rowsOf(output).map(cellsOf).slice(2);
  assert.is(rows.length, 10, output);
  for (const row of rows) for (const cell of row.slice(5, 7)) assert.match(cell, figure, row.join());
});

onPostgres('schedules are measured: what they cost idle, and how soon all that are due have begun', async () => {
  const output = await ended('schedules');
  assert.not.match(output, /req\/s|Agents at work/);
  assert.match(output, /100 schedules, nothing due: (\*\*)?\d+\.\d\d %/);
  assert.match(output, /10 of them due in the same second: the last one began (\*\*)?\d+\.\d s/);
});

onPostgres('events are measured: what they cost, how soon they are read, and many who follow them', async () => {
  const output = await ended('events');
  assert.not.match(output, /req\/s|Agents at work/);
  const rows = rowsOf(output).map(cellsOf);
  const row = (name: string) => rows.find(([, first]) => first?.startsWith(name)) ?? [];
  for (const write of ['createTodo', 'updateTodo status', 'updateTodo title']) {
    const [, , ours, theirs, ratio] = row(write);
    for (const cell of [ours, theirs, ratio]) assert.match(cell ?? '', figure, write);
    assert.is(row(write).at(-2), '0', `${write}: no request failed, without events either`);
  }
  for (const lag of ['idle, written by a service', 'idle, known to no service', '4 connections write']) {
    for (const cell of row(lag).slice(3, 5)) assert.match(cell, figure, lag);
  }
  assert.match(output, /the sequencer takes [\d,]+ ms of CPU a minute, and PostgreSQL [\d,]+ ms for it/);
  // What 20 streams take is less than the memory of a process varies.
  for (const name of ['resident memory of each', 'heap of each']) assert.match(row(name)[2] ?? '', /\d/);
  assert.match(row('from sending a write to each reader')[2] ?? '', /^[\d.]+ \/ (\*\*)?[\d.]+(\*\*)? \/ [\d.]+$/);
});

onPostgres(
  'growth is measured: what each table takes, requests at three sizes without errors, and what retention leaves',
  async () => {
    const output = await ended('growth');
    assert.not.match(output, /req\/s|Agents at work/);
    const tables = ['messages', 'events', 'chats', 'chat_turns', 'minute_entries', 'approvals', 'todo_runs'];
    const rows = rowsOf(output).map(cellsOf);
    const left = new Map<string, number[]>();
    for (const table of tables) {
      const [bytes = [], kept = []] = rows.filter(([, name]) => name === table);
      for (const cell of [...bytes.slice(2, 6), ...kept.slice(2, 6)]) assert.match(cell, figure, table);
      left.set(
        table,
        kept.slice(2, 4).map((cell) => Number(cell.replaceAll(',', ''))),
      );
    }
    assert.equal(left.get('messages'), [4000, 4000], 'messages go with their chats only');
    for (const table of ['events', 'chat_turns', 'minute_entries', 'approvals', 'todo_runs']) {
      const [before = 0, after = 0] = left.get(table) ?? [];
      assert.ok(after < before, `${table}: ${after} of ${before} rows are left`);
    }
    const requests = rows.filter(([, name]) => /^(list|get|create)[A-Z]/.test(name ?? ''));
    assert.is(requests.length, 9, output);
    for (const [, name, ...cells] of requests) {
      for (const cell of cells.slice(0, 3)) assert.match(cell, /^\d+\.\d \/ \d+\.\d$/, name);
    }
    assert.match(output, /^0 requests failed\.$/m);
    assert.match(output, /took \d+\.\d s, of events \d+\.\d s/);
    assert.match(output, /Summing up the ledger of all days took \d+\.\d s/);
  },
);

onPostgres('a soak says how much memory each third of the load takes, and what failed', async () => {
  const output = await ended('soak');
  const rows = rowsOf(output).map(cellsOf).slice(2);
  assert.is(rows.length, 3, output);
  let answered = 0;
  for (const [, name = '', middle = '', most = '', answers = '', errors] of rows) {
    assert.match(name, /^until minute \d+\.\d$/);
    for (const resident of [middle, most]) assert.match(resident, /^(\*\*)?\d{2,3}(\*\*)?$/);
    assert.is(errors, '0');
    answered += Number(answers.replace(',', ''));
  }
  assert.ok(answered > 0, output);
  assert.match(output, /The last third beside the one before: (\*\*)?\d\.\d\d(\*\*)? \(target/);
});

onPostgres('ten times the todos are compared with a tenth of them', async () => {
  const output = await ended('tenfold');
  const [, , ...rows] = rowsOf(output).map(cellsOf);
  assert.is(rows.length, 10, output);
  for (const [, name, perSecond, ratio, , ours, theirs, errors] of rows) {
    assert.match(perSecond ?? '', / \/ /, name);
    assert.match(ratio ?? '', figure, name);
    for (const latency of [ours, theirs]) assert.match(latency ?? '', /^(\d+\.\d \/ \d+\.\d|not measured)$/, name);
    assert.is(errors, '0', name);
  }
  assert.match(output, /on 20 workspaces with 2,000 todos, 300 of them in one \(/);
});

onPostgres(
  'recordings at once are measured: the memory of the process, acknowledgements, and that all are completed',
  async () => {
    const { code, output } = await bench(`${sizes} --recordings 6 --recordingSeconds 2 --only recordings`.split(' '));
    assert.is(code, 0, output);
    assert.not.match(output, /req\/s|Agents at work/);
    const resident = rowsOf(output).find((row) => row.startsWith('| resident'));
    assert.match(resident ?? '', /^\| [^|]+(\| (\*\*)?\d{2,3}(\*\*)? ){4}\|$/);
    assert.match(output, /acknowledgement, when it is durable: \d+\.\d ms \(p50\), \d+\.\d ms \(p99\) of 24\./);
    assert.match(output, /the last one completed: \d+\.\d s; 0 errors\./);
  },
);

onPostgres(
  'agents at work are measured without errors, and the ceiling leaves the rows that the service leaves',
  async () => {
    const output = await ended('agents');
    assert.not.match(output, /req\/s/);
    const rows = rowsOf(output);
    const turns = rows.filter((row) => /^\| (instant model|built-in engine):/.test(row));
    assert.is(turns.length, 4, output);
    for (const row of turns) {
      assert.match(cellsOf(row)[2] ?? '', figure, row);
      assert.match(row, /\| 0 \|$/, 'no turn failed, and every todo was made');
    }
    assert.match(cellsOf(turns[0])[4] ?? '', figure, 'the ratio to the ceiling');
    assert.match(output, /included, is \d+\.\d statements that the service sends to the database in\n\d+\.\d pieces/);
    const firstSteps = rows.filter((row) => /^\| (one at a time|16 in flight)/.test(row));
    assert.is(firstSteps.length, 2, output);
    for (const row of firstSteps)
      assert.match(row, /^\| [^|]+ \| ((\*\*)?\d+\.\d(\*\*)?|(\*\*)?not measured(\*\*)?) \|.*\| \d+ \| 0 \|$/);
    assert.match(
      output,
      /20 requests of createChat that wait with `waitSeconds`, 16 of them for a turn that is at work/,
    );
    assert.match(cellsOf(rows.find((row) => row.includes('database connections')))[3] ?? '', /^\d+$/);
    assert.match(output, /settled; 0 errors\./);
  },
);

onPostgres('a flag or a size that makes no sense is refused with the usage', async () => {
  const wrong = [
    ['--speed', '9'],
    ['--todos', 'many'],
    ['--workspaces', '1'],
    ['--only', 'tenfold', '--todos', '10001'],
  ];
  for (const { code, output } of await Promise.all(wrong.map(bench))) {
    assert.is(code, 1);
    assert.match(output, /npm run bench/);
  }
});

test.run();
