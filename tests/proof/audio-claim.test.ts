import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audioStoreId } from '../../media/storage/store-id.ts';
import { claimAudioStore, holdAudioStore, lockClass } from '../../server/audio-claim.ts';
import { parseConfig } from '../../server/config.ts';
import { describeStartError } from '../../server/start-errors.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { launch, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

const test = suite('the audio store of several processes');
const root = mkdtempSync(join(tmpdir(), 'tandem-audio-claim-'));
const [shared, other] = [join(root, 'shared'), join(root, 'other')];
const bucket = {
  S3_ENDPOINT: 'https://s3.example.com',
  S3_REGION: 'eu-central-1',
  S3_BUCKET: 'the-bucket',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
};
const refusal =
  /^Another process on this database, connected from 127\.0\.0\.1, stores the audio of recordings elsewhere; recordings would be lost\. Set AUDIO_DIR/;

let sql: postgres.Sql;
test.before(() => {
  sql = postgres(testDatabaseUrl(), { max: 1, onnotice: () => {} });
});
test.after.each(() => stopProcesses());
test.after(async () => {
  await sql.end();
  rmSync(root, { recursive: true, force: true });
});

/** The processes of the server that hold a lock for a store in this database. */
const claiming = () => sql`
  select pid from pg_locks where locktype = 'advisory' and classid = ${lockClass}
    and database = (select oid from pg_database where datname = current_database())`;

const untilClaimed = (count: number) => until(async () => (await claiming()).length === count);

/** The sentence with which the start of a process with these settings ends; '' when it continues. */
const refusalOf = (environment: Record<string, string>) =>
  claimAudioStore(parseConfig({ DATA_DIR: root, ...environment }), sql, pino({ level: 'silent' })).then(
    () => '',
    describeStartError,
  );

test('processes that share a directory start; one with another directory or a bucket ends with a sentence', async () => {
  const [first, second] = await Promise.all([startProcess({ AUDIO_DIR: shared }), startProcess({ AUDIO_DIR: shared })]);
  await untilClaimed(2);
  const third = await launch({ AUDIO_DIR: other });
  assert.is(await third.exited, 1, third.output());
  assert.match(third.output().trim(), refusal);
  assert.match(await refusalOf({}), refusal);
  assert.match(await refusalOf(bucket), refusal);
  assert.is(await refusalOf({ AUDIO_DIR: shared }), '');
  assert.not.match(first.output() + second.output(), 'recordings will be lost');
});

test('a process whose listening connection was lost claims its store again; one that was killed is in nobody’s way', async () => {
  const { child, exited } = await startProcess({ AUDIO_DIR: shared });
  await untilClaimed(1);
  for (const { pid } of await claiming()) await sql`select pg_terminate_backend(${pid}::int, 10000::bigint)`;
  await untilClaimed(1);
  assert.match(await refusalOf(bucket), refusal);
  child.kill('SIGKILL');
  await exited;
  await untilClaimed(0);
  assert.is(await refusalOf(bucket), '');
});

test('two that started at the same moment log an error', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const connections = ['a', 'b', 'b'].map((id) => ({ id, own: postgres(testDatabaseUrl(), { max: 1 }) }));
  for (const { id, own } of connections) await holdAudioStore(own, id, log);
  await Promise.all(connections.map(({ own }) => own.end()));
  const expected = { address: '127.0.0.1', msg: 'another process stores audio elsewhere, recordings will be lost' };
  const found = lines.map((line) => JSON.parse(line)).map(({ address, msg }) => ({ address, msg }));
  assert.equal(found, [expected, expected]);
});

test('a directory has one id, whoever uses it first; another directory and another bucket have others', async () => {
  const idOf = (settings: Record<string, string>) => audioStoreId(parseConfig({ DATA_DIR: root, ...settings }));
  const fresh = { AUDIO_DIR: join(root, 'fresh', 'deep') };
  const ids = await Promise.all(Array.from({ length: 20 }, () => idOf(fresh)));
  assert.is(new Set([...ids, await idOf(fresh)]).size, 1);
  const moved = { ...bucket, S3_ENDPOINT: 'http://10.0.0.1:9000' };
  const all = [fresh, {}, bucket, { ...bucket, S3_PREFIX: 'audio' }, { ...bucket, S3_BUCKET: 'other-bucket' }];
  assert.is(new Set(await Promise.all(all.map(idOf))).size, 5);
  assert.is(await idOf(moved), await idOf(bucket), 'one bucket may have several addresses');
});

test.run();
