import { z } from 'zod';
import {
  Email,
  EmailToken,
  NewPassword,
  NewSession,
  PersonName,
  ShownEmail,
  TriedPassword,
  WorkspaceName,
} from '../accounts/shapes.ts';
import { Id, Instant, TimeZone } from '../fields.ts';
import { Method, passkeyProof, recoveryCodeProof, totpProof } from '../second-factors/shapes.ts';
import { AssertionResponse } from '../second-factors/webauthn-shapes.ts';

export const SignUpParams = z
  .strictObject({
    email: Email,
    password: NewPassword,
    name: PersonName,
    workspaceName: WorkspaceName.optional(),
    timezone: TimeZone.default('UTC').describe('Time zone of the new workspace.'),
    invitationToken: EmailToken.optional().describe('The token in the link of an invitation.'),
  })
  .meta({ id: 'SignUpParams' });

export type SignUp = z.infer<typeof SignUpParams>;

export const FirstWorkspaceParams = z
  .strictObject({
    token: EmailToken.meta({
      description: 'The token in the link that the first start or `npm run welcome` printed.',
      examples: ['q3V0b7Yl'],
    }),
    name: PersonName,
    email: Email,
    password: NewPassword,
    timezone: TimeZone.optional().describe('Of the workspace; unchanged if omitted.'),
  })
  .meta({ id: 'FirstWorkspaceParams' });

export type FirstWorkspace = z.infer<typeof FirstWorkspaceParams>;

export const SignInParams = z
  .strictObject({ email: Email, password: TriedPassword, workspaceId: Id.optional() })
  .meta({ id: 'SignInParams' });

export type SignIn = z.infer<typeof SignInParams>;

/** The password was right, and a second factor is needed. `token` is returned only here. */
export const SignInChallenge = z
  .object({
    object: z.literal('sign_in_challenge'),
    token: z.string().meta({
      description: 'Send it with the second factor to completeSignIn.',
      examples: ['q3V0b7Yl2nqk5m8zJtXw'],
    }),
    methods: z.array(Method).describe('The methods for the second factor.'),
    expiresAt: Instant.describe('After 10 minutes. The fifth wrong code or a changed password ends it earlier.'),
  })
  .meta({ id: 'SignInChallenge' });

export type SignInChallengeAnswer = z.infer<typeof SignInChallenge>;

export const SignInResult = z.discriminatedUnion('object', [NewSession, SignInChallenge]).meta({ id: 'SignInResult' });

export type SignInAnswer = z.infer<typeof SignInResult>;

const ChallengeToken = EmailToken.describe('Returned by signIn.');

export const SignInCompletionParams = z
  .discriminatedUnion('method', [
    totpProof.extend({ token: ChallengeToken }).meta({ id: 'TotpCompletion' }),
    recoveryCodeProof.extend({ token: ChallengeToken }).meta({ id: 'RecoveryCodeCompletion' }),
    passkeyProof.extend({ token: ChallengeToken }).meta({ id: 'PasskeyCompletion' }),
  ])
  .meta({ id: 'SignInCompletionParams' });

export type SignInCompletion = z.infer<typeof SignInCompletionParams>;

export const PasskeyRequestParams = z
  .strictObject({
    token: ChallengeToken.optional().describe(
      'Returned by signIn, for a passkey as second factor. Omit it to sign in with a passkey alone.',
    ),
  })
  .meta({ id: 'PasskeyRequestParams' });

export const PasskeySignInParams = z
  .strictObject({ credential: AssertionResponse, workspaceId: Id.optional() })
  .meta({ id: 'PasskeySignInParams' });

const accessRevoked = 'Whether the API keys and connected apps of the person, in all workspaces, were revoked too.';

export const PasswordChangeParams = z
  .strictObject({
    currentPassword: TriedPassword,
    newPassword: NewPassword,
    revokeAccess: z
      .boolean()
      .default(false)
      .describe('Also revoke your API keys and connected apps, in all workspaces.'),
  })
  .meta({ id: 'PasswordChangeParams' });

export type PasswordChange = z.infer<typeof PasswordChangeParams>;

export const PasswordSet = z
  .object({
    object: z.literal('password_set'),
    sessionsEnded: z.literal(true),
    accessRevoked: z.boolean().describe(accessRevoked),
  })
  .meta({ id: 'PasswordSet' });

export const PasswordResetParams = z.strictObject({ email: Email }).meta({ id: 'PasswordResetParams' });

export const PasswordResetRequested = z
  .object({
    object: z.literal('password_reset_requested'),
    email: ShownEmail,
    sendsEmail: z
      .boolean()
      .describe('False where the service has no mail server: its operator makes a link with `npm run reset-password`.'),
  })
  .meta({ id: 'PasswordResetRequested' });

export const PasswordResetConfirmParams = z
  .strictObject({
    token: EmailToken,
    newPassword: NewPassword,
    revokeAccess: z
      .boolean()
      .default(true)
      .describe('Also revoke the API keys and connected apps of the account, in all workspaces.'),
  })
  .meta({ id: 'PasswordResetConfirmParams' });

export type PasswordResetConfirm = z.infer<typeof PasswordResetConfirmParams>;
