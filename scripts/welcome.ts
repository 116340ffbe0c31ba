import { newWelcomeLink } from '../domain/sign-in/welcome.ts';
import { openFirstWorkspace } from '../server/first-run.ts';
import { operatorCommand } from './operator.ts';

/* `npm run welcome`: prints a new link to take the first workspace, and makes that workspace where there is none. */

const taken = {
  open: 'The first workspace has an owner, so the link is no longer needed. Sign in, or create another account at /sign-up.',
  invited:
    'The first workspace has an owner, so the link is no longer needed. Sign in, or ask an owner for an invitation.',
};

void operatorCommand({
  usage: 'npm run welcome takes no arguments.',
  accepts: (args) => args.length === 0,
  run: async ({ db, config, publicUrl, refuse }) => {
    const made = await openFirstWorkspace(db, config, publicUrl);
    const found = made ?? (await newWelcomeLink(db, publicUrl));
    if (!found) return refuse(taken[config.SIGN_UP]);
    const lines = [
      'Open this link to make your account and take the first workspace (it works once, and for 24 hours):',
      `  ${found.link}`,
      made ? `API key of the workspace, shown only this once: ${made.apiKey}` : 'Earlier links are no longer valid.',
    ];
    return lines.join('\n');
  },
});
