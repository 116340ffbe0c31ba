import { z } from 'zod';
import { Id, Instant, saidText, text } from '../fields.ts';

export const Role = z.enum(['owner', 'member']);

/** An e-mail address as people have them; compared without case. */
export const Email = z
  .email('must be an e-mail address, such as ada@example.com')
  .max(254, 'must be at most 254 characters long')
  .meta({ examples: ['ada@example.com'] });

/** A password to set: 12 to 128 characters, any of them (OWASP ASVS 4.0.3, 2.1.1–2.1.3). */
export const NewPassword = text(128)
  .refine((value) => value.length >= 12, 'must be at least 12 characters long')
  .refine((value) => new Set(value).size >= 4, 'must not be one or two characters repeated')
  .meta({ format: 'password', minLength: 12, examples: ['correct horse battery staple'] });

/** A password as it is tried: nothing about it is told. */
export const TriedPassword = z
  .string()
  .min(1)
  .max(1000)
  .meta({ format: 'password', examples: ['correct horse battery staple'] });

export const PersonName = saidText(100).meta({ examples: ['Ada Lovelace'] });
export const WorkspaceName = saidText(100).meta({ examples: ['Studio'] });

/** The token of a letter's link. */
export const LetterToken = z
  .string()
  .min(1)
  .max(200)
  .meta({ examples: ['q3V0b7Yl2nqk5m8zJtXw'] });

const shownName = z.string().meta({ examples: ['Ada Lovelace'] });
const shownEmail = z.string().meta({ examples: ['ada@example.com'] });

const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

function isTimeZone(name: string): boolean {
  if (zones.has(name)) return true;
  if (!/^[A-Z][\w+-]*(\/[\w+-]+)+$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** A time zone of the IANA database. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
  .meta({ examples: ['Europe/Berlin'] });

export { shownEmail, shownName };

export const User = z.object({
  object: z.literal('user'),
  id: Id,
  name: shownName,
  email: shownEmail,
  role: Role.describe('In the workspace that the session is bound to.'),
});

export const Workspace = z
  .object({
    object: z.literal('workspace'),
    id: Id,
    name: z.string().meta({ examples: ['Studio'] }),
    timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
    agentMinutesRemaining: z.number().nullable(),
  })
  .meta({ id: 'Workspace' });

/** A workspace as one of its members sees it. */
export const Membership = Workspace.extend({ role: Role, createdAt: Instant }).meta({ id: 'WorkspaceMembership' });

/** A sign-in. `token` is told when it is made and never again. */
export const NewSession = z
  .object({
    object: z.literal('session'),
    id: Id,
    token: z.string().meta({ description: 'Send it as a bearer. Told only here.', examples: ['tandem_st_…'] }),
    expiresAt: Instant.describe('30 days after the sign-in; 12 hours without a request end it earlier.'),
    user: User,
    workspace: Workspace,
  })
  .meta({ id: 'NewSession' });

export const Session = z
  .object({
    object: z.literal('session'),
    id: Id,
    client: z
      .string()
      .meta({ description: 'What the browser or program said of itself at sign-in.', examples: ['curl/8.5.0'] }),
    isCurrent: z.boolean().describe('True for the session of this request.'),
    workspaceId: Id,
    createdAt: Instant,
    lastUsedAt: Instant.nullable(),
    expiresAt: Instant,
  })
  .meta({ id: 'Session' });

export const SessionEnded = z
  .object({ object: z.literal('deleted'), id: Id, deleted: z.literal(true), recoverable: z.literal(false) })
  .meta({ id: 'SessionEnded' });
