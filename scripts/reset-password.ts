import { operatorResetLink } from '../domain/sign-in/passwords.ts';
import { operatorCommand } from './operator.ts';

/*
 * `npm run reset-password -- EMAIL`: prints a link with which that person sets a new password, once and within an hour.
 */

void operatorCommand({
  usage: `npm run reset-password -- EMAIL

Prints a link with which the person with this e-mail address sets a new password. It works once, and for an hour.`,
  accepts: (args) => args.length === 1 && args[0]?.includes('@') === true,
  run: async ({ db, publicUrl, args: [email = ''], refuse }) => {
    const made = await operatorResetLink(db, email, publicUrl);
    if (!made) return refuse(`Nobody has the e-mail address ${email}.`);
    return [`Hand this link over to ${email} (it works once, and for an hour):`, `  ${made.link}`].join('\n');
  },
});
