import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from '../support/harness.ts';

const test = suite('service information');

const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: 'http://127.0.0.1:9/v1', AI_MODEL: 'test-model' };

for (const [environment, hasModel] of [
  [{}, false],
  [model, true],
] as const) {
  test(`says whether a model answers: ${hasModel}`, async () => {
    const tandem = await startTestService({ AGENT_CONCURRENCY: '0', ...environment });
    try {
      const { status, body } = await tandem.call('GET /', undefined, { key: null });
      const { documentationUrl, openapiUrl, mcpUrl, cliInstallUrl, ...rest } = body;
      assert.is(status, 200);
      assert.equal(rest, {
        object: 'service_info',
        name: 'Tandem',
        version: '1.0.0',
        sendsEmail: false,
        hasModel,
        signUp: 'open',
      });
      for (const address of [documentationUrl, openapiUrl, mcpUrl, cliInstallUrl]) assert.match(address, tandem.url);
    } finally {
      await tandem.close();
    }
  });
}

test.run();
