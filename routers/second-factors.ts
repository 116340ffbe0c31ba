import { z } from 'zod';
import { Id } from '../domain/fields.ts';
import { getSecondFactors } from '../domain/second-factors/factors.ts';
import {
  beginPasskey,
  createPasskey,
  deletePasskey,
  listPasskeys,
  updatePasskey,
} from '../domain/second-factors/passkeys.ts';
import { createRecoveryCodes } from '../domain/second-factors/recovery-codes.ts';
import {
  NewPasskey,
  Passkey,
  PasskeyCreateParams,
  PasskeyCreation,
  PasskeyDeleted,
  PasskeyList,
  PasskeyUpdateParams,
  RecoveryCodes,
  SecondFactors,
  TotpConfirmed,
  TotpConfirmParams,
  TotpEnrolment,
  TotpRemoved,
} from '../domain/second-factors/shapes.ts';
import { beginTotp, confirmTotp, removeTotp } from '../domain/second-factors/totp.ts';
import { op, procedure, router } from './base.ts';

const needsReauthentication = 'Needs a sign-in or `reauthenticate` in this session in the last 10 minutes.';

/** Also in a workspace that requires a second factor, of a person who has none yet. */
const always = { access: 'session', beforeSecondFactor: true } as const;

/** How a person signs in beside the password. Every change is reported to them by email. */
export const secondFactors = router({
  get: procedure
    .meta(
      op('GET /auth/second-factors', {
        id: 'getSecondFactors',
        ...always,
        summary: 'Get which second factors you have',
        description:
          'Returns whether you have an authenticator app, passkeys and recovery codes, and whether the workspace of this session requires a second factor. listPasskeys has the names of the passkeys.',
      }),
    )
    .input(z.strictObject({}))
    .output(SecondFactors)
    .query(({ ctx }) => getSecondFactors(ctx)),

  beginTotp: procedure
    .meta(
      op('POST /auth/second-factors/totp', {
        id: 'beginTotp',
        ...always,
        summary: 'Begin to set up an authenticator app',
        description: `Returns a new secret (RFC 6238). It counts once confirmTotp has its first code. ${needsReauthentication}`,
        status: 201,
        statuses: [409],
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(TotpEnrolment)
    .mutation(({ ctx }) => beginTotp(ctx)),

  confirmTotp: procedure
    .meta(
      op('POST /auth/second-factors/totp/confirm', {
        id: 'confirmTotp',
        ...always,
        summary: 'Activate the authenticator app with its first code',
        description: `Checks the first code of the app that has the secret of beginTotp; from then on each sign-in with the password asks for a code. With the first second factor you get recovery codes, which are returned only here. ${needsReauthentication}`,
        statuses: [409],
        events: [],
      }),
    )
    .input(TotpConfirmParams)
    .output(TotpConfirmed)
    .mutation(({ ctx, input }) => confirmTotp(ctx, input)),

  removeTotp: procedure
    .meta(
      op('DELETE /auth/second-factors/totp', {
        id: 'removeTotp',
        ...always,
        summary: 'Remove the authenticator app',
        description: `Removes the authenticator app, and notifies you by email. Without another second factor the recovery codes end too. ${needsReauthentication}`,
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(TotpRemoved)
    .mutation(({ ctx }) => removeTotp(ctx)),

  createRecoveryCodes: procedure
    .meta(
      op('POST /auth/second-factors/recovery-codes', {
        id: 'createRecoveryCodes',
        ...always,
        summary: 'Replace your recovery codes',
        description: `Returns ten new codes, each for one sign-in without the other factors; the old ones end. ${needsReauthentication}`,
        status: 201,
        statuses: [409],
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(RecoveryCodes)
    .mutation(({ ctx }) => createRecoveryCodes(ctx)),

  listPasskeys: procedure
    .meta(
      op('GET /auth/passkeys', {
        id: 'listPasskeys',
        ...always,
        summary: 'List your passkeys',
        description:
          'Lists your passkeys, oldest first, with the name and the last use of each. Add one with beginPasskey and createPasskey, both called by the page in the browser.',
      }),
    )
    .input(z.strictObject({}))
    .output(PasskeyList)
    .query(({ ctx }) => listPasskeys(ctx)),

  beginPasskey: procedure
    .meta(
      op('POST /auth/passkeys/options', {
        id: 'beginPasskey',
        ...always,
        summary: 'Begin to add a passkey',
        description: `Returns the options for \`navigator.credentials.create()\` in a browser (WebAuthn). Send what the browser answers to createPasskey, in the same session. ${needsReauthentication}`,
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(PasskeyCreation)
    .mutation(({ ctx }) => beginPasskey(ctx)),

  createPasskey: procedure
    .meta(
      op('POST /auth/passkeys', {
        id: 'createPasskey',
        ...always,
        summary: 'Add the passkey that the browser made',
        description: `Stores the passkey that the browser made for the options of beginPasskey. It signs in alone, and is a second factor after the password. With the first second factor you get recovery codes. ${needsReauthentication}`,
        status: 201,
        statuses: [409],
        events: [],
      }),
    )
    .input(PasskeyCreateParams)
    .output(NewPasskey)
    .mutation(({ ctx, input }) => createPasskey(ctx, input)),

  updatePasskey: procedure
    .meta(
      op('PATCH /auth/passkeys/{passkeyId}', {
        id: 'updatePasskey',
        ...always,
        summary: 'Rename a passkey',
        description:
          'Changes the name under which you recognise a passkey; the passkey itself stays the same. Use deletePasskey for a device that you no longer have.',
        statuses: [404],
        events: [],
      }),
    )
    .input(PasskeyUpdateParams)
    .output(Passkey)
    .mutation(({ ctx, input }) => updatePasskey(ctx, input)),

  deletePasskey: procedure
    .meta(
      op('DELETE /auth/passkeys/{passkeyId}', {
        id: 'deletePasskey',
        ...always,
        summary: 'Delete a passkey',
        description: `Removes a passkey, which then opens no session any more, and notifies you by email. Without another second factor the recovery codes end too. ${needsReauthentication}`,
        statuses: [404],
        events: [],
      }),
    )
    .input(z.strictObject({ passkeyId: Id }))
    .output(PasskeyDeleted)
    .mutation(({ ctx, input }) => deletePasskey(ctx, input)),
});
