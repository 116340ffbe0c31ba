import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, parseConfig } from '../../server/config.ts';
import { startTestService } from '../support/harness.ts';

const test = suite('the setting of a standby');

const own = 'postgres://tandem:hidden@db1:5432/tandem';

function faultOf(settings: Record<string, string>): string {
  try {
    parseConfig(settings);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

test('is the address of one other server', () => {
  assert.is(faultOf({ DATABASE_URL: own, DATABASE_READ_URL: 'postgres://reader:p%40ss@db2/tandem' }), '');
  for (const [read, fault] of [
    [own, /DATABASE_READ_URL must not be the server of DATABASE_URL but a standby of it$/],
    ['postgres://other:secret@db1:5432/tandem?sslmode=require', /must not be the server of DATABASE_URL/],
    ['postgres://tandem:hidden@db2,db3/tandem', /DATABASE_READ_URL must name one server/],
    ['https://db2/tandem', /DATABASE_READ_URL must begin with postgres:\/\/ or postgresql:\/\/$/],
  ] as const) {
    const message = faultOf({ DATABASE_URL: own, DATABASE_READ_URL: read });
    assert.match(message, fault);
    assert.not.match(message, /hidden|secret/);
  }
  assert.match(faultOf({ DATABASE_READ_URL: own }), /DATABASE_READ_URL needs DATABASE_URL/);
});

test('may be absent: requests that accept an old answer get a current one', async () => {
  const tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  try {
    const { call } = await tandem.workspace();
    const answer = await call('GET /todos', undefined, { headers: { 'cache-control': 'max-stale=60' } });
    assert.equal([answer.status, answer.headers.get('age')], [200, null]);
    const ready = await fetch(`${tandem.url}/readyz`);
    assert.equal(await ready.json(), { status: 'ok' });
  } finally {
    await tandem.close();
  }
});

test.run();
