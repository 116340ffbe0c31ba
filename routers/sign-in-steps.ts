import { z } from 'zod';
import { NewSession } from '../domain/accounts/shapes.ts';
import { PasskeyRequest, Reauthentication, ReauthenticationParams } from '../domain/second-factors/shapes.ts';
import { reauthenticate, requestReauthentication, signInWithPasskey } from '../domain/sign-in/passkeys.ts';
import { completeSignIn, requestSignInPasskey } from '../domain/sign-in/second-step.ts';
import { PasskeyRequestParams, PasskeySignInParams, SignInCompletionParams } from '../domain/sign-in/shapes.ts';
import { op, procedure, publicProcedure } from './base.ts';

export const signInSteps = {
  completeSignIn: publicProcedure
    .meta(
      op('POST /auth/sessions/complete', {
        id: 'completeSignIn',
        access: 'public',
        summary: 'Complete a sign-in with a second factor',
        description:
          'Opens the session of a sign-in that returned a `sign_in_challenge`. Send its `token` with a code of the authenticator app, a recovery code or a passkey, as `method` says. A recovery code works once.',
        sample: { method: 'recovery_code', token: 'q3V0b7Yl2nqk5m8zJtXw', code: 'GQ14-YWDA-MWWY-HK69-Y3D3-E7Z8' },
        status: 201,
        statuses: [401, 403],
        events: [],
      }),
    )
    .input(SignInCompletionParams)
    .output(NewSession)
    .mutation(({ ctx, input }) => completeSignIn(ctx, input)),

  requestPasskey: publicProcedure
    .meta(
      op('POST /auth/sessions/passkey-options', {
        id: 'requestSignInPasskey',
        access: 'public',
        summary: 'Get the options for signing in with a passkey',
        description:
          'Returns the options for `navigator.credentials.get()` in a browser (WebAuthn). Without a token the answer of the browser goes to signInWithPasskey. With the `token` of a `sign_in_challenge` it goes to completeSignIn.',
        statuses: [401],
        events: [],
      }),
    )
    .input(PasskeyRequestParams)
    .output(PasskeyRequest)
    .mutation(({ ctx, input }) => requestSignInPasskey(ctx, input)),

  signInWithPasskey: publicProcedure
    .meta(
      op('POST /auth/sessions/passkey', {
        id: 'signInWithPasskey',
        access: 'public',
        summary: 'Sign in with a passkey',
        description:
          'Needs no password: the passkey verifies its user. Opens a session in the given workspace, or in the one used last. Get the options for the browser with requestSignInPasskey first; with a password use signIn.',
        status: 201,
        statuses: [401, 403],
        events: [],
      }),
    )
    .input(PasskeySignInParams)
    .output(NewSession)
    .mutation(({ ctx, input }) => signInWithPasskey(ctx, input)),

  requestReauthentication: procedure
    .meta(
      op('POST /auth/reauthentication/passkey-options', {
        id: 'requestReauthentication',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'Get the options for reauthenticating with a passkey',
        description:
          'Returns the options for `navigator.credentials.get()` in a browser (WebAuthn). Send the answer of the browser to reauthenticate, with the method `passkey`. With a password or a code this step is not needed.',
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(PasskeyRequest)
    .mutation(({ ctx }) => requestReauthentication(ctx)),

  reauthenticate: procedure
    .meta(
      op('POST /auth/reauthentication', {
        id: 'reauthenticate',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'Confirm that it is you',
        description:
          'Checks your password, a code or a passkey. For 10 minutes this session may then change how you sign in.',
        events: [],
      }),
    )
    .input(ReauthenticationParams)
    .output(Reauthentication)
    .mutation(({ ctx, input }) => reauthenticate(ctx, input)),
};
