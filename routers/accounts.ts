import { z } from 'zod';
import { endOtherSessions, endSession, listSessions, signOut, switchWorkspace } from '../domain/accounts/sessions.ts';
import { NewSession, SessionEnded, SessionList } from '../domain/accounts/shapes.ts';
import { Id } from '../domain/fields.ts';
import { FirstWorkspaceParams, SignInParams, SignInResult, SignUpParams } from '../domain/sign-in/shapes.ts';
import { signIn, signUp } from '../domain/sign-in/sign-in.ts';
import { takeFirstWorkspace } from '../domain/sign-in/welcome.ts';
import { op, procedure, publicProcedure, router } from './base.ts';
import { emailVerificationOperations } from './email-verification.ts';
import { passwordOperations } from './passwords.ts';
import { signInSteps } from './sign-in-steps.ts';

export const auth = router({
  signUp: publicProcedure
    .meta(
      op('POST /auth/accounts', {
        id: 'signUp',
        access: 'public',
        summary: 'Create an account and sign in',
        description:
          'Creates a person and a workspace with a default list and a default agent, and opens a session in it. With `invitationToken` the person joins that workspace too, and the session opens there. Where `signUp` of getServiceInfo is `invited`, a request without it is refused (403, `reason` `invitation_required`). A program needs no account of its own: a person creates an API key for it (createApiKey).',
        sample: {
          email: 'ada@example.com',
          password: 'correct horse battery staple',
          name: 'Ada Lovelace',
          timezone: 'Europe/Berlin',
        },
        status: 201,
        statuses: [403, 409],
        events: ['workspace.created', 'member.added', 'todo_list.created', 'agent.created', 'invitation.accepted'],
      }),
    )
    .input(SignUpParams)
    .output(NewSession)
    .mutation(({ ctx, input }) => signUp(ctx, input)),

  takeFirstWorkspace: publicProcedure
    .meta(
      op('POST /auth/welcome', {
        id: 'takeFirstWorkspace',
        access: 'public',
        summary: 'Take the first workspace of a new service',
        description:
          'Makes you the owner of the workspace that the first start made, and signs you in. The first start prints the link with the `token`, which works once and for 24 hours; `npm run welcome` prints a new one. What was created with its API key is yours, and the key stays valid. For every other account use signUp.',
        status: 201,
        statuses: [409],
        events: ['workspace.updated', 'member.changed'],
      }),
    )
    .input(FirstWorkspaceParams)
    .output(NewSession)
    .mutation(({ ctx, input }) => takeFirstWorkspace(ctx, input)),

  signIn: publicProcedure
    .meta(
      op('POST /auth/sessions', {
        id: 'signIn',
        access: 'public',
        summary: 'Sign in',
        description:
          'Opens a session in the given workspace, or in the one used last. If you have a second factor, it returns a `sign_in_challenge` instead, and completeSignIn opens the session.',
        status: 201,
        statuses: [401, 403],
        events: [],
      }),
    )
    .input(SignInParams)
    .output(SignInResult)
    .mutation(({ ctx, input }) => signIn(ctx, input)),

  listSessions: procedure
    .meta(
      op('GET /auth/sessions', {
        id: 'listSessions',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'List where you are signed in',
        description:
          'Lists your open sessions in all workspaces, newest first, with the client that opened each; `isCurrent` marks the one of this request. End one that you do not recognise with endSession, or all but this one with endOtherSessions.',
      }),
    )
    .input(z.strictObject({}))
    .output(SessionList)
    .query(({ ctx }) => listSessions(ctx)),

  signOut: procedure
    .meta(
      op('DELETE /auth/sessions/current', {
        id: 'signOut',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'Sign out',
        description:
          'Ends the session of this request, and clears its cookie in a browser. Other sessions, API keys and connected apps stay valid: use endOtherSessions, revokeApiKey and revokeConnectedApp for those.',
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(SessionEnded)
    .mutation(({ ctx }) => signOut(ctx)),

  endSession: procedure
    .meta(
      op('DELETE /auth/sessions/{sessionId}', {
        id: 'endSession',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'End one of your sessions',
        description:
          'Ends one session of yours by its id from listSessions; its next request is refused with 401. Use signOut for the session of this request.',
        statuses: [404],
        events: [],
      }),
    )
    .input(z.strictObject({ sessionId: Id }))
    .output(SessionEnded)
    .mutation(({ ctx, input }) => endSession(ctx, input)),

  switchWorkspace: procedure
    .meta(
      op('POST /auth/sessions/current/workspace', {
        id: 'switchWorkspace',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'Move this session to another of your workspaces',
        description:
          'A session opens one workspace at a time: this one is replaced by a session in another workspace of yours. The answer has a new token, which expires when the old one would have; the old one is refused from then on. Use listWorkspaces for the ids.',
        status: 201,
        events: [],
      }),
    )
    .input(z.strictObject({ workspaceId: Id }).meta({ id: 'SwitchWorkspaceParams' }))
    .output(NewSession)
    .mutation(({ ctx, input }) => switchWorkspace(ctx, input)),

  endOtherSessions: procedure
    .meta(
      op('DELETE /auth/sessions', {
        id: 'endOtherSessions',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'End all your other sessions',
        description:
          'Ends every session of yours except the one of this request, and returns the sessions that remain. Use it when a device was lost; API keys and connected apps are not sessions and stay valid.',
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(SessionList)
    .mutation(({ ctx }) => endOtherSessions(ctx)),

  ...signInSteps,
  ...passwordOperations,
  ...emailVerificationOperations,
});
