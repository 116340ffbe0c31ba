import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handleFailures } from '../../adapters/http.ts';
import type { ServiceSettings } from '../../domain/context.ts';
import { mountRecordings } from '../../server/recordings/handshake.ts';
import type { Intake } from '../../server/recordings/intake.ts';
import { refusalOf } from '../support/recorder.ts';

const test = suite('the recording socket of a process that is stopping');

test('a recorder that connects is refused as unavailable, with the seconds to wait', async () => {
  const app = fastify();
  const service = { publicUrl: 'http://127.0.0.1' } as ServiceSettings;
  const intake = { isClosing: true, close: async () => {} } as unknown as Intake;
  handleFailures(app, service);
  mountRecordings(app, intake, service, { host: '127.0.0.1', allowedOrigins: [] }, 0);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const { status, body, headers } = await refusalOf(`${url}/recordings`, 'a'.repeat(43));
    assert.equal(
      [status, body.code, body.reason, body.retryable, headers.get('retry-after')],
      [503, 'internal_error', 'unavailable', true, '2'],
    );
  } finally {
    await app.close();
  }
});

test.run();
