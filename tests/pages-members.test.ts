import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from './browser.ts';
import { password } from './people.ts';

const test = pageSuite('pages: members');

async function invite({ window, person }: Stage, email: string) {
  const owner = await person('Olive Owner');
  const owning = await window({ as: owner });
  await owning.goTo('/settings/members', 'Members');
  await owning.page.getByLabel('E-mail address').fill(email);
  await owning.page.getByRole('button', { name: 'Invite', exact: true }).click();
  await owning.page.getByText(`The invitation to ${email} is on its way.`).waitFor();
  await owning.page.getByRole('list', { name: 'Open invitations' }).getByText(email).waitFor();
  assert.is(await owning.page.getByLabel('E-mail address').inputValue(), '');
  return { owner, owning };
}

const member = ({ page }: Window, name: string) =>
  page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: name }).first();

test.promise(
  'an invited person signs up by the letter and is a member; the owner makes them an owner and removes them',
  async (stage) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { owning } = await invite(stage, email);
    const guest = await stage.window();
    await guest.goTo(await stage.linkInLetter(email), 'Join a workspace');
    assert.is(new URL(guest.page.url()).hash, '');
    await guest.page.getByLabel('Your name').fill('Nora New');
    await guest.page.getByLabel('E-mail address').fill(email);
    await guest.page.getByLabel('Password', { exact: true }).fill(password);
    await guest.page.getByRole('button', { name: 'Create account' }).click();
    await guest.sees('Members');
    await guest.page.getByRole('button', { name: 'Workspace: Olive Owner’s workspace' }).waitFor();
    assert.is(await guest.page.getByRole('button', { name: 'Invite', exact: true }).count(), 0);

    await owning.page.reload();
    await owning.page.getByRole('button', { name: /Role of Nora New/ }).click();
    await owning.page.getByRole('option', { name: 'Owner' }).click();
    await owning.page.getByText('Nora New is an owner now.').waitFor();
    await guest.page.reload();
    await guest.page.getByRole('button', { name: 'Invite', exact: true }).waitFor();

    await owning.page.getByRole('button', { name: 'Remove: Nora New' }).click();
    await owning.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await owning.page.getByText('Nora New is no member any more.').waitFor();
    assert.is(await member(owning, 'Nora New').count(), 0);
    await guest.page.reload();
    await guest.sees('Sign in');
  },
);

test.promise('who has an account signs in on the way, accepts, and can leave again', async (stage) => {
  const nora = await stage.person('Nora');
  await invite(stage, nora.email);
  const link = await stage.linkInLetter(nora.email);
  const window = await stage.window();
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  await window.sees('Sign in to join');
  await window.page.getByLabel('E-mail address').fill(nora.email);
  await window.page.getByLabel('Password', { exact: true }).fill(password);
  await window.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.sees('Members');
  await member(window, 'Nora').getByRole('button', { name: 'Leave' }).click();
  await window.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await window.sees('Workspace');
  await window.page.getByRole('button', { name: 'Workspace: Nora’s workspace' }).waitFor();
  await window.page.goto('about:blank');
  await window.goTo(link, 'Join a workspace');
  await window.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await window.page.getByText('This invitation is spent, expired or withdrawn.').waitFor();
});

test.promise('an invitation is sent again and withdrawn; the only owner cannot leave', async (stage) => {
  const { owning } = await invite(stage, 'grace@example.com');
  await owning.page.getByText('The only owner, so you cannot leave').waitFor();
  assert.is(await owning.page.getByRole('button', { name: 'Leave' }).count(), 0);
  await owning.page.getByRole('button', { name: 'Send again: grace@example.com' }).click();
  await owning.page.getByText('the old link is void').waitFor();
  await owning.page.getByRole('button', { name: 'Withdraw: grace@example.com' }).click();
  await owning.page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await owning.page.getByText('No open invitations').waitFor();
});

test.run();
