import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';

const test = pageSuite('pages: answers that come late');

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a read without an answer is said, and tried again by a button: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...options, as: ada, expected: expectedFailures });
    const { page, goTo } = window;
    // Nor does the page repeat it by the clock: its answer would take the button away.
    await page.addInitScript('window.setInterval = () => 0;');
    await goTo('/todos', 'Todos');
    const usage = await breakOperations(page, (id) => id === 'getUsage', 'slow');
    await goTo('/usage', 'Usage');
    const alert = page.getByRole('alert').filter({ hasText: 'The service has not answered for 10 seconds.' }).first();
    await alert.waitFor();
    await look(window, `unanswered-${name}`);
    await usage.mend();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('No minutes were used in these days').waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  test.promise(`where the service asks for a pause, it is counted down and over by itself: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...options, as: ada, expected: expectedFailures });
    const { page, goTo } = window;
    await goTo('/todos', 'Todos');
    const usage = await breakOperations(page, (id) => id === 'getUsage', 429);
    await goTo('/usage', 'Usage');
    const timer = page.getByRole('timer').first();
    await timer.filter({ hasText: /^It is tried again in 3\d s\.$/ }).waitFor();
    await look(window, `countdown-${name}`);
    const before = await timer.innerText();
    await timer.filter({ hasNotText: before }).waitFor();
    await usage.mend();
    assert.is(await page.getByRole('button', { name: 'Try again' }).first().isEnabled(), true);
    // The rest of the pause passes at once.
    await page.evaluate('Date.now = ((now) => () => now() + 60_000)(Date.now)');
    await page.getByText('No minutes were used in these days').waitFor();
    await timer.waitFor({ state: 'detached' });
  });
}

test.run();
