import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { asks } from '../support/inbox-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { bodyOf, held, untilStatus } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: agents in the sidebar', async () => ({ engine }));

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`each agent says what it does, and the chats what waits to be sent: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callsOf(stage.tandem, ada);
    const atWork = held(reply('Six desks.'));
    const plan = engine.plan(atWork.script);
    const { id: agentId } = bodyOf(await call('POST /agents', { name: 'Accountant' }), 201);
    const asked = { message: `Count them: ${plan}`, agentId, title: 'Desks' };
    const { id: chatId } = bodyOf(await call('POST /chats', asked), 201);
    await untilStatus({ call }, chatId, 'running');
    await atWork.asked();
    await asks(stage, engine, ada, [['create_todo', { title: 'Order desks' }]], 'Researcher');
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo, sees } = window;
    const isPhone = 'isMobile' in options;
    await goTo(`/chats/${chatId}`, 'Desks');
    await page.getByRole('textbox', { name: /Message/ }).fill('And chairs?');
    await page.keyboard.press('Enter');
    await page.getByText('Queued until this turn ends').waitFor();

    const chats = page.getByRole('navigation').getByRole('link', { name: 'Chats 1 waits' });
    await chats.waitFor();
    if (isPhone) await page.getByRole('button', { name: 'Open the navigation' }).click();
    const side = page.getByRole('navigation', { name: 'Work' });
    const agents = side.getByRole('list', { name: 'Agents' });
    await agents.getByRole('link', { name: 'Accountant At work' }).waitFor();
    await agents.getByRole('link', { name: 'Researcher Needs you' }).waitFor();
    await agents.getByRole('link', { name: 'Assistant Idle' }).scrollIntoViewIfNeeded();
    await look(window, `side-agents-${name}`);
    await agents.getByRole('link', { name: 'Accountant At work' }).click();
    await sees('Accountant');
    // The queued message follows by itself, and nothing is left to say.
    atWork.release();
    await chats.waitFor({ state: 'detached' });
    if (isPhone) await page.getByRole('button', { name: 'Open the navigation' }).click();
    await settled({ call }, chatId);
    await agents.getByRole('link', { name: 'Accountant Idle' }).waitFor();
    assert.is(await agents.getByRole('link').count(), 3);
  });
}

test.run();
