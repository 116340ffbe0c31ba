import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { logOutput } from '../../server/log-output.ts';
import { temporaryDirectory } from '../support/people.ts';
import { until } from '../support/until.ts';

/* Where the lines of the log go when they cannot be written. */

const test = suite('the output of the log');
const directory = temporaryDirectory();
test.after(() => directory.remove());

test('lines are written in their order', async () => {
  const path = join(directory.path, 'log');
  const fd = openSync(path, 'w');
  const output = logOutput(fd);
  for (let place = 0; place < 1000; place++) {
    output.write(`${place}\n`);
    if (place % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n');
  await until(() => lines().length === 1000);
  assert.equal(
    lines(),
    Array.from({ length: 1000 }, (_, place) => String(place)),
  );
  closeSync(fd);
});

test('a process that ends writes what waits, also to a pipe that is full', async () => {
  const source = JSON.stringify(new URL('../../server/log-output.ts', import.meta.url).href);
  const program = `const { logOutput } = await import(${source});
    const output = logOutput(1, 60_000);
    for (let place = 0; place < 4000; place++) output.write(place + ' ' + 'x'.repeat(240) + '\\n');
    process.exit(1);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve) => child.on('close', resolve));
  const places = text
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.split(' ')[0]));
  assert.equal(
    places.toSorted((x, y) => x - y),
    Array.from({ length: 4000 }, (_, place) => place),
  );
});

test('where the disk is full lines are dropped, and nothing is thrown', async () => {
  const fd = openSync('/dev/full', 'w');
  const output = logOutput(fd);
  for (let place = 0; place < 100; place++) {
    output.write('{}\n');
    await new Promise((resolve) => setImmediate(resolve));
  }
  output.flushSync();
  closeSync(fd);
});

test('a pipe that nobody reads for a while gets all, and no more is kept than its bound', async () => {
  const path = join(directory.path, 'pipe');
  await new Promise((resolve) => spawn('mkfifo', [path]).on('close', resolve));
  const [reader, writer] = [
    openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    openSync(path, constants.O_WRONLY | constants.O_NONBLOCK),
  ];
  const output = logOutput(writer);
  const line = `${'x'.repeat(999)}\n`;
  for (let place = 0; place < 6000; place++) output.write(line);
  let read = 0;
  const chunk = Buffer.alloc(65_536);
  const readSome = () => {
    try {
      read += readSync(reader, chunk);
    } catch {
      // Nothing is there at the moment.
    }
    return read;
  };
  await until(() => readSome() >= 4_000_000);
  assert.ok(read <= 4_200_000, `${read} bytes`);
  output.write('the last\n');
  await until(() => {
    readSome();
    return chunk.includes('the last');
  });
  for (const fd of [reader, writer]) closeSync(fd);
});

test.run();
