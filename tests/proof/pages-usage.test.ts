import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { assistantOf } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: usage');

const insert = `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger, created_at)
  values ($1, gen_random_uuid(), 'turn', -($2::numeric), $3, gen_random_uuid(), gen_random_uuid(), $4,
    now() - $5 * interval '1 day')`;
const take = 'update workspaces set agent_minutes = agent_minutes - $2::numeric where id = $1';

/** Work in the ledger as if it had been charged these days ago, and a todo that is done and has saved 45 minutes. */
async function worked({ tandem }: Stage, person: Person) {
  const workspaceId = person.session.workspace.id;
  const call = callsOf(tandem, person);
  const assistant = await assistantOf(tandem, workspaceId);
  const scout = bodyOf(await call('POST /agents', { name: 'Scout, "deep"' }), 201).id;
  const entries: [daysAgo: number, minutes: number, agentId: string, trigger: string][] = [
    [40, 20, assistant, 'chat'],
    [9, 12.3, assistant, 'chat'],
    [3, 4.5, scout, 'schedule'],
    [3, 0.2, assistant, 'manual'],
    [0, 7, scout, 'assignment'],
  ];
  for (const [daysAgo, minutes, agentId, trigger] of entries) {
    await tandem.db.rows(insert, [workspaceId, minutes, agentId, trigger, daysAgo]);
    await tandem.db.rows(take, [workspaceId, minutes]);
  }
  const { id } = bodyOf(await call('POST /todos', { title: 'Report' }), 201);
  bodyOf(await call(`PATCH /todos/${id}`, { status: 'done' }));
  await tandem.db.rows('update todos set minutes_saved = 45 where id = $1', [id]);
  return call;
}

test.promise(
  'the page, its table and its file have the figures of the service, for the period of the address',
  async (stage) => {
    const ada = await stage.person();
    const call = await worked(stage, ada);
    const { page, goTo, sees } = await stage.window({ as: ada });
    await goTo('/todos', 'Todos');
    await page.getByRole('link', { name: /agent minutes left$/ }).click();
    await sees('Usage');
    const usage = bodyOf(await call('GET /usage'));
    assert.is(usage.minutesUsed, 24);
    const sums = page.getByRole('region', { name: 'Summary' });
    await sums.getByText('45 min').waitFor();
    await sums.getByText('24 min', { exact: true }).waitFor();
    await sums.getByText('At the pace of these days, 2.4 minutes a day, what is left lasts').waitFor();
    const rowsOf = async (name: string) =>
      (await page.getByRole('table', { name }).locator('tbody tr').allInnerTexts()).map((row) =>
        row.split(/\s*\t\s*/).slice(-2),
      );
    const used = usage.byDay.filter(({ minutes }: { minutes: number }) => minutes > 0).reverse();
    const figures = ({ minutes, turns }: { minutes: number; turns: number }) => [String(minutes), String(turns)];
    assert.equal(await rowsOf('Agent minutes by day'), used.map(figures));
    assert.equal(await rowsOf('Agent minutes by agent'), usage.byAgent.map(figures));
    assert.is(await page.locator('.bars rect').count(), 30);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    assert.is(file.suggestedFilename(), `usage-${usage.from}-${usage.to}.csv`);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n').slice(1);
    const sumsOf = (group: string) =>
      lines.filter((line) => line.startsWith(`${group},`)).map((line) => line.split(',').slice(-2).map(Number));
    const sent = (all: { minutes: number; turns: number }[]) => all.map(({ minutes, turns }) => [minutes, turns]);
    assert.equal(sumsOf('day'), sent(usage.byDay));
    assert.equal(sumsOf('agent'), sent(usage.byAgent));
    assert.equal(sumsOf('started by'), sent(usage.byTrigger));
    assert.ok(lines.some((line) => line.startsWith('agent,"Scout, ""deep""",11.5,2')));

    await page.getByRole('link', { name: '7 days' }).click();
    await sums.getByText('11.7 min', { exact: true }).waitFor();
    assert.match(page.url(), /\/usage\?from=[\d-]+&to=[\d-]+$/);
    await page.reload();
    await sums.getByText('11.7 min', { exact: true }).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await until(async () => Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320);
    await page.getByLabel('From').fill('2020-01-02');
    await page.getByText('Choose 366 days at most.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-03');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No minutes were used in these days').waitFor();
    await page.getByRole('button', { name: 'Show' }).and(page.locator(':focus')).waitFor();
    assert.match(page.url(), /\?from=2020-01-02&to=2020-01-03$/);
    assert.is(await sums.getByText('At the pace').count(), 0, 'a past period has no forecast');
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the page of usage is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const window = await stage.window({ ...options, as: ada });
    await window.goTo('/usage', 'Usage');
    await window.page.getByText('Nothing was used in these days').waitFor();
    await look(window, `usage-empty-${name}`);
    await worked(stage, ada);
    await window.goTo('/usage?from=2020-01-01', 'Usage');
    await window.page.getByRole('table', { name: 'Agent minutes by day' }).waitFor();
    await window.page.getByText('45 min').waitFor();
    await look(window, `usage-${name}`);
  });
}

test.run();
