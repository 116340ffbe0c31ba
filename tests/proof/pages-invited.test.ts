import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { startTestService } from '../support/harness.ts';

const test = pageSuite('pages: accounts by invitation only');

test.promise('the sign-up says so in place of its form', async (stage) => {
  const tandem = await startTestService({ AGENT_CONCURRENCY: '0', SIGN_UP: 'invited' });
  try {
    const { page, goTo } = await stage.window({ baseURL: tandem.url, elsewhere: [tandem.url] });
    await goTo('/sign-up', 'Create your account');
    await page.getByText('You need an invitation').waitFor();
    assert.is(await page.locator('form').count(), 0);
    await page.context().close();
  } finally {
    await tandem.close();
  }
});

test.run();
