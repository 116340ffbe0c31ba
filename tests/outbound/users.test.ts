import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createS3Store } from '../../media/storage/s3.ts';
import { closeModelServers, underTest as modelUnderTest, protocols } from '../support/model-engine.ts';
import { startS3 } from '../support/s3-server.ts';
import { closeTranscriptionServers, underTest as transcriptionUnderTest } from '../support/transcription-fixtures.ts';

const test = suite('outgoing requests: who sends them');
const { fetch } = globalThis;

test.before(() => {
  globalThis.fetch = async () => {
    throw new Error('the global fetch was used');
  };
});
test.after(async () => {
  globalThis.fetch = fetch;
  await closeModelServers();
  await closeTranscriptionServers();
});

for (const protocol of protocols) {
  test(`${protocol}: a model is asked by the client of the service`, async () => {
    const { ask, server } = await modelUnderTest(protocol, () => 'Yes.');
    assert.is((await ask()).text, 'Yes.');
    assert.is(server.received[0]?.headers['accept-encoding'], 'identity');
  });
}

test('audio is transcribed by the client of the service', async () => {
  const { ask, server } = await transcriptionUnderTest('Yes.');
  assert.is((await ask())[0]?.text, 'Yes.');
  assert.is(server.requests[0]?.headers['accept-encoding'], 'identity');
});

test('S3 is asked by the client of the service', async () => {
  const s3 = await startS3();
  try {
    const store = createS3Store(s3.settings, { maxTries: 1 });
    await store.put('a/b', new Uint8Array([1]));
    assert.is(await store.size('a/b'), 1);
    const encodings = s3.seen.map(({ headers }) => headers['accept-encoding']);
    assert.equal(encodings, ['identity', 'identity']);
  } finally {
    await s3.close();
  }
});

test.run();
