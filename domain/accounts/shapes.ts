import { z } from 'zod';
import { Id, Instant, listOf, nonBlankText, text } from '../fields.ts';

export const Role = z.enum(['owner', 'member']);

/** An email address in a request; compared without case. */
export const Email = z
  .email('must be an email address, such as ada@example.com')
  .max(254, 'must be at most 254 characters long')
  .meta({ examples: ['ada@example.com'] });

/** A password to set: 12 to 128 characters, any of them (OWASP ASVS 4.0.3, 2.1.1–2.1.3). */
export const NewPassword = text(128)
  .refine((value) => value.length >= 12, 'must be at least 12 characters long')
  .refine((value) => new Set(value).size >= 4, 'must not be one or two characters repeated')
  .meta({ format: 'password', minLength: 12, examples: ['correct horse battery staple'] });

/** A password to be checked: no error describes it. */
export const TriedPassword = z
  .string()
  .min(1)
  .max(1000)
  .meta({ format: 'password', examples: ['correct horse battery staple'] });

export const PersonName = nonBlankText(100).meta({ examples: ['Ada Lovelace'] });
export const WorkspaceName = nonBlankText(100).meta({ examples: ['Studio'] });

/** The token in the link of an email. */
export const EmailToken = z
  .string()
  .min(1)
  .max(200)
  .meta({ examples: ['q3V0b7Yl2nqk5m8zJtXw'] });

/** The name of a person in an answer. */
export const ShownName = z.string().meta({ examples: ['Ada Lovelace'] });
/** The email address of a person in an answer. */
export const ShownEmail = z.string().meta({ examples: ['ada@example.com'] });

export const User = z.object({
  object: z.literal('user'),
  id: Id,
  name: ShownName,
  email: ShownEmail,
  role: Role.describe('The role in the workspace of the session.'),
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
export const Membership = Workspace.extend({
  role: Role,
  createdAt: Instant,
  requireSecondFactor: z
    .boolean()
    .describe('Members without a second factor can only set one up. API keys and connected apps are not affected.'),
}).meta({ id: 'WorkspaceMembership' });

export type MembershipAnswer = z.infer<typeof Membership>;

/** A new session. `token` is returned only here. */
export const NewSession = z
  .object({
    object: z.literal('session'),
    id: Id,
    token: z.string().meta({ description: 'Send it as a bearer. Returned only here.', examples: ['tandem_st_…'] }),
    expiresAt: Instant.describe('30 days after the sign-in; 12 hours without a request end it earlier.'),
    user: User,
    workspace: Workspace,
  })
  .meta({ id: 'NewSession' });

export type OpenedSession = z.infer<typeof NewSession>;

export const Session = z
  .object({
    object: z.literal('session'),
    id: Id,
    client: z
      .string()
      .meta({ description: 'The browser or program, by its User-Agent at sign-in.', examples: ['curl/8.5.0'] }),
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

export const SessionList = listOf(Session, 'SessionList');

export const EmailVerification = z
  .object({
    object: z.literal('email_verification'),
    email: ShownEmail,
    verifiedAt: Instant.nullable().describe('When the person opened the link that was sent to the address.'),
    isRequired: z
      .boolean()
      .describe('Whether this service requires it before API keys are created, apps connected and people invited.'),
  })
  .meta({ id: 'EmailVerification' });

export type EmailVerificationAnswer = z.infer<typeof EmailVerification>;

export const EmailVerificationConfirmParams = z
  .strictObject({ token: EmailToken })
  .meta({ id: 'EmailVerificationConfirmParams' });

export const EmailVerified = z
  .object({ object: z.literal('email_verified'), email: ShownEmail })
  .meta({ id: 'EmailVerified' });
