import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/config.ts';
import { requireWritable, usedDirectories } from '../../server/data-directories.ts';
import { describeStartError } from '../../server/start-errors.ts';
import { startTestService, testDatabaseUrl } from '../support/harness.ts';
import { launch, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

const test = suite('the directories of the service');
const root = mkdtempSync(join(tmpdir(), 'tandem-directories-'));
const file = join(root, 'file');

test.before(() => writeFileSync(file, ''));
test.after(async () => {
  await stopProcesses();
  rmSync(root, { recursive: true, force: true });
});

const used = (environment: Record<string, string>) =>
  usedDirectories(parseConfig({ DATABASE_URL: testDatabaseUrl(), ...environment }));

/** The sentence with which the start ends; '' when it continues. */
function refusal(environment: Record<string, string>, write?: () => Promise<void>): Promise<string> {
  return requireWritable(used(environment), write).then(
    () => '',
    (error: Error) => describeStartError(error),
  );
}

/** Runs `work` without the rights of root, which may write everywhere. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test('a start whose audio or emails could not be stored ends with a sentence that names the directory', async () => {
  for (const setting of ['DATA_DIR', 'AUDIO_DIR']) {
    const path = join(file, 'below');
    const service = await launch({ DATA_DIR: join(root, 'data'), [setting]: path });
    assert.is(await service.exited, 1);
    const sentence = `The directory ${path} of ${setting} is not a directory (ENOTDIR). Set ${setting} to a directory, or remove the file in its place.`;
    assert.is(service.output().trim(), sentence);
  }
});

test('a directory that this user may not write is named, and the port is not blamed', async () => {
  chmodSync(root, 0o755);
  const path = join(root, 'foreign');
  mkdirSync(path, { mode: 0o555 });
  chmodSync(path, 0o555);
  for (const below of [path, join(path, 'made', 'later')]) {
    assert.is(
      await asNobody(() => refusal({ AUDIO_DIR: below, DATA_DIR: tmpdir() })),
      `The directory ${below} of AUDIO_DIR cannot be written (EACCES). Give the user that runs Tandem write access to it, or set AUDIO_DIR to another directory.`,
    );
  }
  const denied = Object.assign(new Error('EACCES: permission denied, mkdir'), { code: 'EACCES', syscall: 'mkdir' });
  assert.not.match(describeStartError(denied, '127.0.0.1', 8080), 'Port');
  const port = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen' });
  assert.match(describeStartError(port, '127.0.0.1', 80), 'Port 80 on 127.0.0.1 may not be opened');
});

test('a full disk, a read-only one and a lost mount each have their sentence', async () => {
  const endings: [code: string, sentence: RegExp][] = [
    ['ENOSPC', /is full \(ENOSPC\)\. Free some space, or set DATA_DIR/],
    ['EDQUOT', /is full \(EDQUOT\)/],
    ['EROFS', /is mounted read-only \(EROFS\)\. Mount it writable/],
    ['ENOTCONN', /cannot be reached \(ENOTCONN\)\. Check that its file system is mounted/],
    ['ESTALE', /cannot be reached \(ESTALE\)/],
  ];
  for (const [code, sentence] of endings) {
    const write = () => Promise.reject(Object.assign(new Error(code), { code }));
    assert.match(await refusal({ DATA_DIR: root }, write), sentence);
  }
});

test('the check leaves nothing behind and makes no directory', async () => {
  const path = join(root, 'empty');
  mkdirSync(path);
  assert.is(await refusal({ DATA_DIR: path, AUDIO_DIR: join(path, 'audio', 'deep') }), '');
  assert.equal(readdirSync(path), []);
});

test('a start removes the temporary audio of processes that died', async () => {
  const data = join(root, 'died');
  const left = [join(data, 'scratch', 'tandem-audio-x'), join(data, 'audio', '.incoming', 'x')];
  const daysAgo = new Date(Date.now() - 48 * 60 * 60 * 1000);
  for (const path of left) {
    mkdirSync(path, { recursive: true });
    utimesSync(path, daysAgo, daysAgo);
  }
  const tandem = await startTestService({ DATA_DIR: data });
  await until(() => !left.some((path) => existsSync(path)));
  await tandem.close();
});

test('only directories that the process writes are checked', () => {
  const s3 = {
    S3_ENDPOINT: 'https://s3.example',
    S3_REGION: 'x',
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  };
  const names = (environment: Record<string, string>) => used(environment).map(({ setting }) => setting);
  const web = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@mail.example', AGENT_CONCURRENCY: '0' };
  assert.equal(names({}), ['DATA_DIR']);
  assert.equal(names({ AUDIO_DIR: root }), ['DATA_DIR', 'AUDIO_DIR']);
  assert.equal(names({ ...web, AUDIO_DIR: root }), ['AUDIO_DIR']);
  assert.equal(names({ ...web, ...s3 }), []);
  assert.equal(names({ ...web, ...s3, AGENT_CONCURRENCY: '1' }), ['DATA_DIR']);
});

test.run();
