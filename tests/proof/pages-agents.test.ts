import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { tabTo } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf, endOfRun } from '../support/work-fixtures.ts';

const test = pageSuite('pages: agents');

test.promise('an agent is made, what is typed outlives a reload, and it is given work', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/todos', 'Todos');
  await page.getByRole('link', { name: 'Agents' }).click();
  await sees('Agents');
  await page.getByText('An agent for each kind of work').waitFor();
  await page.getByRole('link', { name: 'New agent' }).click();
  await sees('New agent');
  await page.getByLabel('Name').fill('Assistant');
  await page.getByLabel('Instructions').fill('Name your sources.\nBe brief.');
  await page.reload();
  await sees('New agent');
  assert.is(await page.getByLabel('Instructions').inputValue(), 'Name your sources.\nBe brief.');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page
    .getByRole('alert')
    .getByText(/active agent/i)
    .waitFor();
  await page.getByLabel('Name').fill('Scout');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await sees('Scout');
  const created = bodyOf(await call('GET /agents')).data.find(({ name }: { name: string }) => name === 'Scout');
  assert.equal([created.instructions, created.requiresApproval], ['Name your sources.\nBe brief.', true]);

  await page.getByLabel('Todo', { exact: true }).fill('Find a caterer');
  await page.getByRole('button', { name: 'Assign' }).click();
  await sees('Find a caterer');
  const [todo] = bodyOf(await call(`GET /todos?assigneeId=${created.id}`)).data;
  assert.equal([todo.title, todo.latestRun], ['Find a caterer', null]);
  await goTo('/agents', 'Agents');
  const card = page
    .locator('#content')
    .getByRole('list', { name: 'Agents' })
    .getByRole('listitem')
    .filter({ hasText: 'Scout' })
    .first();
  await card.getByText('Name your sources.', { exact: true }).waitFor();
  await card.getByText('Asks before it changes anything').waitFor();
  await card.getByText('At any time').waitFor();
  await card.getByRole('link', { name: '1 open todo' }).waitFor();
  await card.getByRole('link', { name: 'Scout' }).click();
  await sees('Scout');
  await page.getByLabel('Message to Scout').fill('Who are you?');
  await page.getByRole('button', { name: 'Start the chat' }).click();
  await page.getByText('Who are you?').first().waitFor();
  await until(() => /\/chats\/[0-9a-f-]+$/.test(page.url()));
});

test.promise('two windows change the instructions: both changes are shown, merged and saved', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const id = await agentOf({ call }, { name: 'Scout', instructions: 'One\nTwo\nThree' });
  const stored = async () => bodyOf(await call(`GET /agents/${id}`)).instructions;
  const path = `/agents/${id}/instructions`;
  const [mine, theirs] = [await stage.window({ as: ada }), await stage.window({ as: ada })];
  for (const window of [mine, theirs]) await window.goTo(path, 'Scout');
  const text = (window: Window) => window.page.getByLabel('Instructions', { exact: true });
  const save = (window: Window) => window.page.getByRole('button', { name: 'Save instructions' });
  // What this window reads comes late, so that its change is refused by the service.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await mine.page.route('**/trpc/**agents.get**', async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  const statuses: number[] = [];
  mine.page.on('response', (response) => {
    if (response.url().includes('agents.update')) statuses.push(response.status());
  });
  await text(theirs).fill('One\nTwo\nThree of theirs');
  await save(theirs).click();
  await theirs.page.getByText('Instructions saved.').waitFor();
  await text(mine).fill('One of mine\nTwo\nThree');
  await save(mine).click();
  await until(() => statuses.includes(409));
  release();
  await mine.page.getByText('Somebody else changed the instructions since you began.').waitFor();
  const changed = mine.page.getByRole('list', { name: 'What they changed in the instructions' });
  await changed.getByRole('listitem').filter({ hasText: 'Added: Three of theirs' }).waitFor();
  assert.is(await text(mine).inputValue(), 'One of mine\nTwo\nThree');
  assert.is(await stored(), 'One\nTwo\nThree of theirs', 'nothing is overwritten');
  await mine.page.reload();
  await mine.page.getByText('This is not saved yet.').waitFor();
  await mine.page.getByRole('button', { name: 'Use both changes' }).click();
  await text(mine).and(mine.page.locator(':focus')).waitFor();
  assert.is(await text(mine).inputValue(), 'One of mine\nTwo\nThree of theirs');

  await mine.page.getByRole('button', { name: 'Preview changes' }).click();
  await mine.page.getByText('Instructions: from 23 to 31 characters').waitFor();
  const lines = mine.page.getByRole('list', { name: 'Old and new lines' }).getByRole('listitem');
  assert.equal(
    (await lines.allTextContents()).map((line) => line.slice(1)),
    ['Removed: One', 'Added: One of mine', 'Two', 'Three of theirs'],
  );
  assert.is(await stored(), 'One\nTwo\nThree of theirs', 'a preview changes nothing');
  await text(theirs).fill('Others');
  await save(mine).click();
  await mine.page.getByText('Instructions saved.').waitFor();
  assert.is(await stored(), 'One of mine\nTwo\nThree of theirs');

  await theirs.page.getByText('You both changed the same lines.').waitFor();
  await save(theirs).click();
  await theirs.page.locator('.callout:focus').waitFor();
  await theirs.page.getByRole('button', { name: 'Keep yours' }).click();
  await save(theirs).click();
  await until(async () => (await stored()) === 'Others');
});

test.promise('the working hours are set by the keyboard alone', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const id = await agentOf({ call }, { name: 'Scout' });
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/agents', 'Agents');
  await tabTo(window, page.locator('#content').getByRole('link', { name: 'Scout' }));
  await page.keyboard.press('Enter');
  await sees('Scout');
  await tabTo(window, page.getByRole('link', { name: 'Hours' }));
  await page.keyboard.press('Enter');
  const grid = page.getByRole('grid', { name: 'Week' });
  const only = page.getByRole('checkbox', { name: 'Only at these hours' });
  await tabTo(window, only);
  assert.is(await grid.count(), 0);
  await page.keyboard.press('Space');
  await tabTo(window, page.getByRole('gridcell', { name: 'Monday 09:00' }));
  await page.keyboard.press('Space');
  const selected = (name: string) => page.getByRole('gridcell', { name }).getAttribute('aria-selected');
  await until(async () => (await selected('Monday 09:00')) === 'false');
  assert.is(await selected('Tuesday 09:00'), 'true');
  for (const key of ['ArrowRight', 'ArrowUp', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown'])
    await page.keyboard.press(key);
  await page
    .locator('td:focus')
    .and(page.getByRole('gridcell', { name: 'Tuesday 11:00' }))
    .waitFor();
  await page.getByText('It works: Tuesday to Friday, 08:00–12:00').waitFor();
  const zone = page.getByLabel('Time zone');
  await page.keyboard.press('Shift+Tab');
  await zone.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('P');
  await until(async () => (await zone.inputValue()).startsWith('Pacific/'));
  const timezone = await zone.inputValue();
  await tabTo(window, page.getByRole('button', { name: 'Save hours' }));
  await page.keyboard.press('Enter');
  await page.getByText('The working hours are saved').waitFor();
  const agent = bodyOf(await call(`GET /agents/${id}`));
  assert.equal(
    [agent.workingHoursEnabled, agent.workingHours],
    [true, { timezone, days: ['tue', 'wed', 'thu', 'fri'], start: '08:00', end: '12:00' }],
  );
  await page.getByLabel('From').fill('10:30');
  bodyOf(await call(`PATCH /agents/${id}`, { workingHours: { ...agent.workingHours, end: '24:00' } }));
  await page.getByText('Somebody else changed the hours since you began.').waitFor();
  await page.getByText('Theirs: Tuesday to Friday, 08:00–24:00').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  const end = page.getByLabel('To (00:00 is midnight)');
  await until(async () => (await end.inputValue()) === '00:00');
  await end.fill('07:00');
  await page.getByText('The end must be later than the start').waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await until(async () => Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320);
});

test.promise('skills and approval are changed, and the archive explains what waits', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const id = await agentOf({ call }, { name: 'Scout', requiresApproval: true });
  const schedule = { every: 'day', at: '09:00' };
  for (const more of [{ title: 'a' }, { title: 'b', schedule }])
    bodyOf(await call('POST /todos', { ...more, assignees: [{ id }] }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/agents/${id}/skills`, 'Scout');
  await page.getByText('No skills yet').waitFor();
  await page.getByRole('link', { name: 'Add skill' }).click();
  await page.getByLabel('Name').fill('Weekly digest');
  await page.getByLabel('Instructions').fill('Ten lines.');
  await page.getByRole('button', { name: 'Add skill' }).click();
  await page.getByRole('link', { name: 'Weekly digest' }).click();
  await page.getByLabel('Instructions', { exact: true }).fill('Five lines.');
  await page.getByRole('button', { name: 'Save instructions' }).click();
  await page.getByText('Instructions saved.').waitFor();
  const skills = async () => bodyOf(await call(`GET /skills?agentId=${id}&includeArchived=true`)).data;
  const [skill] = await skills();
  assert.equal([skill.name, skill.instructions], ['Weekly digest', 'Five lines.']);
  // A change of another client that the page has not read yet: the name is still free to be changed.
  bodyOf(await call(`PATCH /agents/${id}/skills/${skill.id}`, { instructions: 'Six lines.' }));
  await page.getByLabel('Name', { exact: true }).fill('Digest');
  await page.keyboard.press('Enter');
  await page.getByText('Name saved.').waitFor();
  assert.equal(
    (await skills()).map(({ name, instructions }: Record<string, string>) => [name, instructions]),
    [['Digest', 'Six lines.']],
  );
  await page.getByRole('link', { name: 'All skills' }).click();
  await page.getByRole('button', { name: 'Archive Digest' }).click();
  await page.getByRole('button', { name: 'Restore Digest' }).click();
  await page.getByText('“Digest” is restored.').waitFor();
  assert.is((await skills())[0].isArchived, false);

  await page.getByRole('link', { name: 'Approval' }).click();
  await page.getByText('Scout asks a person before it changes anything').click();
  await page.getByText('Scout makes changes without asking.').waitFor();
  await page.getByRole('button', { name: 'Ask before anything that a customer would see.' }).click();
  await page.getByRole('button', { name: 'Save guidance' }).click();
  await page.getByText('Guidance saved.').waitFor();
  const { requiresApproval, approvalGuidance } = bodyOf(await call(`GET /agents/${id}`));
  assert.equal([requiresApproval, approvalGuidance], [false, 'Ask before anything that a customer would see.']);

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('2 open todos wait for it').waitFor();
  await page.getByRole('button', { name: 'Archive: Scout' }).click();
  await page.getByRole('alertdialog').getByText('1 schedule of them fails at the next time').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This agent is archived and accepts no new work.').waitFor();
  await page.locator('h1:focus').waitFor();
  await goTo('/agents', 'Agents');
  await page.locator('#content').getByRole('link', { name: 'Assistant' }).waitFor();
  assert.is(await page.locator('#content').getByRole('link', { name: 'Scout' }).count(), 0);
  await page.getByRole('link', { name: 'Archived' }).click();
  const other = await agentOf({ call }, { name: 'Scout' });
  await page.getByRole('button', { name: 'Restore Scout' }).click();
  await page.getByText('Give it another name on its page, and restore it then.').waitFor();
  bodyOf(await call(`DELETE /agents/${other}`));
  await page.getByRole('button', { name: 'Restore Scout' }).last().click();
  await page.getByText('Scout is restored and accepts new work.').waitFor();
  await page.getByRole('link', { name: 'Active' }).click();
  await page.locator('#content').getByRole('link', { name: 'Assistant' }).click();
  await sees('Assistant');
  await page.getByLabel('Name', { exact: true }).waitFor();
  assert.is(await page.getByRole('button', { name: /Archive/ }).count(), 0, 'the default agent stays');
  await goTo('/agents/nonsense', 'Agent not found');
});

const texts = {
  description: 'Finds out what is new in our field. Never writes to customers.',
  instructions: 'Name your sources.\nAnswer in the language of the question.\n\nAt most ten lines.',
  approvalGuidance: 'Ask before anything that a customer would see.',
};

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the pages of agents are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callsOf(stage.tandem, ada);
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo('/agents', 'Agents');
    await page.getByText('0 open todos').waitFor();
    await look(window, `agents-empty-${name}`);
    const workingHours = { timezone: 'Europe/Berlin', days: ['mon', 'tue', 'thu'], start: '08:30', end: '17:00' };
    const id = await agentOf({ call }, { name: 'Scout', ...texts, workingHours });
    bodyOf(await call(`POST /agents/${id}/skills`, { name: 'Weekly digest', instructions: 'Ten lines.' }), 201);
    const todo = bodyOf(await call('POST /todos', { title: 'List my todos', assignees: [{ id }] }), 201);
    bodyOf(await call(`POST /todos/${todo.id}/runs`, {}), 202);
    await endOfRun({ call }, todo.id);
    bodyOf(await call('POST /todos', { title: 'Find a caterer', assignees: [{ id }] }), 201);
    await goTo('/agents', 'Agents');
    await page.getByRole('link', { name: '1 open todo' }).waitFor();
    await look(window, `agents-${name}`);
    await goTo(`/agents/${id}`, 'Scout');
    await page.getByText('1 open todo waits for it').waitFor();
    await look(window, `agent-${name}`);
    await goTo(`/agents/${id}/instructions`, 'Scout');
    await page
      .getByLabel('Instructions', { exact: true })
      .fill(`${texts.instructions.replace('ten', 'five')}\nBe kind.`);
    await page.getByRole('button', { name: 'Preview changes' }).click();
    await page.getByText('If you save').waitFor();
    await look(window, `agent-preview-${name}`);
    bodyOf(await call(`PATCH /agents/${id}`, { instructions: `First.\n${texts.instructions}` }));
    await page.getByRole('button', { name: 'Save instructions' }).click();
    await page.getByText('Both changes fit together.').waitFor();
    await look(window, `agent-conflict-${name}`);
    await goTo(`/agents/${id}/hours`, 'Scout');
    await page.getByRole('grid', { name: 'Week' }).waitFor();
    await look(window, `agent-hours-${name}`);
    await goTo(`/agents/${id}/approval`, 'Scout');
    await page.getByText('Examples').waitFor();
    await look(window, `agent-approval-${name}`);
    await goTo(`/agents/${id}/skills`, 'Scout');
    await page.getByRole('link', { name: 'Weekly digest' }).waitFor();
    await look(window, `agent-skills-${name}`);
    await goTo(`/agents/${id}/activity`, 'Scout');
    await page.getByText('Finished').waitFor();
    await page.getByText(/ minutes used, in 1 turn/).waitFor();
    await look(window, `agent-activity-${name}`);
    await goTo('/agents/new', 'New agent');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('alert').waitFor();
    await look(window, `agent-new-${name}`);
  });
}

test.run();
