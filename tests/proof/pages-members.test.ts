import type { Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { answerLate, breakOperations, expectedFailures, sentenceOf } from '../support/page-faults.ts';
import { password } from '../support/people.ts';

const test = pageSuite('pages: members');

async function invite({ window, person }: Stage, email: string) {
  const owner = await person('Olive Owner');
  const owning = await window({ as: owner });
  await owning.goTo('/settings/members', 'Members');
  await owning.page.getByLabel('Email address').fill(email);
  await owning.page.getByRole('button', { name: 'Invite', exact: true }).click();
  await owning.page.getByText(`The invitation to ${email} is ready.`).waitFor();
  await owning.page.getByRole('list', { name: 'Open invitations' }).getByText(email).waitFor();
  assert.is(await owning.page.getByLabel('Email address').inputValue(), '');
  return { owner, owning };
}

const member = ({ page }: Window, name: string) =>
  page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: name }).first();

test.promise(
  'an invited person signs up by the email and is a member; the owner makes them an owner and removes them',
  async (stage) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { owning } = await invite(stage, email);
    const guest = await stage.window();
    await guest.goTo(await stage.linkInEmail(email), 'Join a workspace');
    assert.is(new URL(guest.page.url()).hash, '');
    await guest.page.getByLabel('Your name').fill('Nora New');
    const address = guest.page.getByLabel('Email address');
    assert.equal([await address.inputValue(), await address.isEditable()], [email, false]);
    await guest.page.getByLabel('Password', { exact: true }).fill(password);
    await guest.page.getByRole('button', { name: 'Create account' }).click();
    await guest.sees('Welcome');
    await guest.page.getByRole('button', { name: 'Workspace: Olive Owner’s workspace' }).waitFor();
    await guest.goTo('/settings/members', 'Members');
    assert.is(await guest.page.getByRole('button', { name: 'Invite', exact: true }).count(), 0);

    await owning.page.reload();
    await owning.page.getByRole('button', { name: /Role of Nora New/ }).click();
    await owning.page.getByRole('option', { name: 'Owner' }).click();
    await owning.page.getByText('Nora New is now an owner.').waitFor();
    await guest.page.reload();
    await guest.page.getByRole('button', { name: 'Invite', exact: true }).waitFor();

    await owning.page.getByRole('button', { name: 'Remove: Nora New' }).click();
    await owning.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await owning.page.getByText('Nora New is no longer a member.').waitFor();
    await member(owning, 'Nora New').waitFor({ state: 'detached' });
    await guest.page.reload();
    await guest.sees('Sign in');
  },
);

test.promise('who has an account signs in on the way, accepts, and can leave again', async (stage) => {
  const nora = await stage.person('Nora');
  await invite(stage, nora.email);
  const link = await stage.linkInEmail(nora.email);
  const window = await stage.window();
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  await window.sees('Sign in to join');
  assert.is(await window.page.getByLabel('Email address').inputValue(), nora.email);
  await window.page.getByLabel('Password', { exact: true }).fill(password);
  await window.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.sees('Welcome');
  await window.goTo('/settings/members', 'Members');
  await member(window, 'Nora').getByRole('button', { name: 'Leave' }).click();
  await window.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await window.sees('Workspace');
  await window.page.getByRole('button', { name: 'Workspace: Nora’s workspace' }).waitFor();
  await window.page.goto('about:blank');
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.page.getByText('This invitation was used or withdrawn, or has expired.').waitFor();
});

test.promise('who cannot leave reads why, in the workspace that they were to go on in', async (stage) => {
  const nora = await stage.person('Nora');
  await invite(stage, nora.email);
  const link = await stage.linkInEmail(nora.email);
  const window = await stage.window({ as: nora, expected: expectedFailures });
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.sees('Welcome');
  await window.goTo('/settings/members', 'Members');
  await breakOperations(window.page, (id) => id === 'removeMember', 503);
  await member(window, 'Nora').getByRole('button', { name: 'Leave' }).click();
  await window.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await window.page.getByText(`You did not leave Olive Owner’s workspace. ${sentenceOf(503)}`).waitFor();
});

test.promise('who accepted goes on where the way into the workspace failed, by pressing again', async (stage) => {
  const nora = await stage.person('Nora');
  await invite(stage, nora.email);
  const window = await stage.window({ as: nora, expected: expectedFailures });
  await window.goTo(await stage.linkInEmail(nora.email), 'Join a workspace');
  const accept = window.page.getByRole('button', { name: 'Accept the invitation' });
  const broken = await breakOperations(window.page, (id) => id === 'switchWorkspace', 503);
  await accept.click();
  await window.page.getByText(sentenceOf(503)).waitFor();
  await broken.mend();
  await accept.click();
  await window.sees('Welcome');
  await window.page.getByText('Welcome to Olive Owner’s workspace.').waitFor();
});

test.promise(
  'a window goes on in the workspace that another window switched to while it was reading',
  async (stage) => {
    const nora = await stage.person('Nora');
    await invite(stage, nora.email);
    const { page, goTo } = await stage.window({ as: nora, expected: expectedFailures });
    const second = await page.context().newPage();
    // It learns nothing of the switch from the log.
    await second.route(/events\.stream/, () => {});
    await second.goto('/todos');
    await second.getByRole('heading', { name: 'Todos', level: 1 }).waitFor();
    await goTo(await stage.linkInEmail(nora.email), 'Join a workspace');
    const { promise: asked, resolve: hold } = Promise.withResolvers<Route>();
    await second.route(/agents\.list/, hold, { times: 1 });
    await second.evaluate('document.querySelector(\'a[href^="/agents"]\').click()');
    const read = await asked;
    const visited: string[] = [];
    second.on('framenavigated', (frame) => void visited.push(frame.url()));
    const switched = page.waitForResponse(/switchWorkspace/);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await switched;
    // Its answer to the session from before, which the browser has replaced by now.
    const headers = { ...read.request().headers(), cookie: `tandem_session=${nora.session.token}` };
    const response = await read.fetch({ headers });
    assert.is(response.status(), 401);
    await read.fulfill({ response }).catch(() => {});
    for (const each of [page, second]) {
      await each.getByRole('button', { name: 'Workspace: Olive Owner’s workspace' }).waitFor();
    }
    assert.equal(
      visited.filter((url) => url.includes('sign-in')),
      [],
    );
  },
);

test.promise(
  'who switches stays signed in while the answer is under way that brings the new session',
  async (stage) => {
    const nora = await stage.person('Nora');
    const key = nora.session.token;
    const { body: home } = await stage.tandem.call('GET /me', undefined, { key });
    assert.is((await stage.tandem.call('POST /workspaces', { name: 'Elsewhere' }, { key })).status, 201);
    const { page, goTo } = await stage.window({ as: nora, expected: expectedFailures });
    await goTo('/todos', 'Todos');
    const visited: string[] = [];
    page.on('framenavigated', (frame) => void visited.push(new URL(frame.url()).pathname));
    await answerLate(page, /switchWorkspace/);
    await page.getByRole('button', { name: `Workspace: ${home.workspace.name}` }).click();
    await page.getByRole('menuitemradio', { name: 'Elsewhere' }).click();
    await page.getByRole('button', { name: 'Workspace: Elsewhere' }).waitFor();
    assert.not.ok(visited.includes('/sign-in'), visited.join(' '));
  },
);

test.promise('who is signed in as somebody else is asked for the account that was invited', async (stage) => {
  const [nora, other] = [await stage.person('Nora'), await stage.person('Otto Other')];
  const { owning } = await invite(stage, nora.email);
  const link = (await owning.page.getByTestId('invitation-link').textContent()) ?? '';
  assert.is(link, new URL(await stage.linkInEmail(nora.email), link).href);
  const window = await stage.window({ as: other });
  await window.goTo(link, 'Join a workspace');
  await window.page.getByText(`This invitation is for ${nora.email}. You are signed in as Otto Other`).waitFor();
  assert.is(await window.page.getByRole('button', { name: 'Accept the invitation' }).count(), 0);
  await window.page.getByRole('button', { name: 'Use another account' }).click();
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  await window.page.getByLabel('Password', { exact: true }).fill(password);
  await window.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.sees('Welcome');
});

test.promise('an invitation for anyone with the link is accepted by whoever opens it', async (stage) => {
  const [owner, other] = [await stage.person('Olive Owner'), await stage.person('Otto Other')];
  const owning = await stage.window({ as: owner });
  await owning.goTo('/settings/members', 'Members');
  await owning.page.getByLabel('Email address').fill('team@example.com');
  await owning.page.getByRole('button', { name: /Who may accept/ }).click();
  await owning.page.getByRole('option', { name: 'Anyone with the link' }).click();
  await owning.page.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = (await owning.page.getByTestId('invitation-link').textContent()) ?? '';
  const window = await stage.window({ as: other });
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.sees('Welcome');
});

test.promise('an invitation is sent again and withdrawn; the only owner cannot leave', async (stage) => {
  const { owning } = await invite(stage, 'grace@example.com');
  await owning.page.getByText('You cannot leave as the only owner').waitFor();
  assert.is(await owning.page.getByRole('button', { name: 'Leave' }).count(), 0);
  await owning.page.getByRole('button', { name: 'New link: grace@example.com' }).click();
  await owning.page.getByText('The old link is no longer valid').waitFor();
  await owning.page.getByRole('button', { name: 'Withdraw: grace@example.com' }).click();
  await owning.page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await owning.page.getByText('No open invitations').waitFor();
});

test.run();
