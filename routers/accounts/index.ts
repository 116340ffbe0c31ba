import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { notFound } from '../errors.ts';
import { Id, listOf, wholeList } from '../fields.ts';
import { passwordOperations } from './password-operations.ts';
import { endOtherSessions, openSession } from './sessions.ts';
import {
  Email,
  LetterToken,
  NewPassword,
  NewSession,
  PersonName,
  Session,
  SessionEnded,
  TimeZone,
  TriedPassword,
  WorkspaceName,
} from './shapes.ts';
import { signIn, signUp } from './sign-in.ts';

const SessionList = listOf(Session, 'SessionList');

const sessionsOf = `select id, name as client, id = $2 as "isCurrent", workspace_id as "workspaceId", created_at as "createdAt",
    last_used_at as "lastUsedAt", least(expires_at, coalesce(last_used_at, created_at) + interval '12 hours') as "expiresAt"
  from credentials where user_id = $1 and kind = 'session' and revoked_at is null
    and expires_at > now() and coalesce(last_used_at, created_at) > now() - interval '12 hours'
  order by created_at desc, id desc`;
const endSession = `update credentials set revoked_at = now()
  where user_id = $1 and id = $2 and kind = 'session' and revoked_at is null returning id`;

type SessionRow = Omit<z.infer<typeof Session>, 'object'>;

export const auth = router({
  signUp: procedure
    .meta(
      op('POST /auth/accounts', {
        id: 'signUp',
        access: 'public',
        summary: 'Make an account and sign in',
        description:
          'Makes a person and a workspace with a default list and a default agent; with an invitation, joins that workspace.',
        status: 201,
        statuses: [401, 409],
      }),
    )
    .input(
      z
        .strictObject({
          email: Email,
          password: NewPassword,
          name: PersonName,
          workspaceName: WorkspaceName.optional(),
          timezone: TimeZone.default('UTC').describe('Of the new workspace.'),
          invitationToken: LetterToken.optional().describe('From the link of an invitation.'),
        })
        .meta({ id: 'SignUpParams' }),
    )
    .output(NewSession)
    .mutation(async ({ ctx, input }) => {
      const session = await signUp(ctx.db, ctx.service, ctx.client, input);
      ctx.reply.session = session;
      return session;
    }),

  signIn: procedure
    .meta(
      op('POST /auth/sessions', {
        id: 'signIn',
        access: 'public',
        summary: 'Sign in',
        description: 'Opens a session in the workspace named, or in the one used last.',
        status: 201,
        statuses: [401, 403],
      }),
    )
    .input(
      z
        .strictObject({ email: Email, password: TriedPassword, workspaceId: Id.optional() })
        .meta({ id: 'SignInParams' }),
    )
    .output(NewSession)
    .mutation(async ({ ctx, input }) => {
      const session = await signIn(ctx.db, ctx.client, input);
      ctx.reply.session = session;
      return session;
    }),

  listSessions: procedure
    .meta(op('GET /auth/sessions', { id: 'listSessions', access: 'session', summary: 'List where you are signed in' }))
    .input(z.strictObject({}))
    .output(SessionList)
    .query(async ({ ctx }) => {
      const { userId, credentialId } = principalOf(ctx);
      const rows = await ctx.db.rows<SessionRow>(sessionsOf, [userId, credentialId]);
      return wholeList(rows.map((row) => ({ object: 'session' as const, ...row })));
    }),

  signOut: procedure
    .meta(op('DELETE /auth/sessions/current', { id: 'signOut', access: 'session', summary: 'Sign out' }))
    .input(z.strictObject({}))
    .output(SessionEnded)
    .mutation(async ({ ctx }) => {
      const { userId, credentialId } = principalOf(ctx);
      await ctx.db.rows(endSession, [userId, credentialId]);
      ctx.reply.session = null;
      return { object: 'deleted' as const, id: credentialId, deleted: true as const, recoverable: false as const };
    }),

  endSession: procedure
    .meta(
      op('DELETE /auth/sessions/{sessionId}', {
        id: 'endSession',
        access: 'session',
        summary: 'End one of your sessions',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ sessionId: Id }))
    .output(SessionEnded)
    .mutation(async ({ ctx, input }) => {
      const ended = await ctx.db.rows(endSession, [principalOf(ctx).userId, input.sessionId]);
      if (ended.length === 0) throw notFound('session', 'sessionId');
      return { object: 'deleted' as const, id: input.sessionId, deleted: true as const, recoverable: false as const };
    }),

  switchWorkspace: procedure
    .meta(
      op('POST /auth/sessions/current/workspace', {
        id: 'switchWorkspace',
        access: 'session',
        summary: 'Move this session to another of your workspaces',
        description: 'Answers the session with a new token; the old token ends.',
        status: 201,
      }),
    )
    .input(z.strictObject({ workspaceId: Id }).meta({ id: 'SwitchWorkspaceParams' }))
    .output(NewSession)
    .mutation(async ({ ctx, input }) => {
      const { userId } = principalOf(ctx);
      const session = await ctx.db.transaction(async (tx) => {
        const opened = await openSession(tx, { workspaceId: input.workspaceId, userId, client: ctx.client.name });
        await tx.rows(endSession, [userId, principalOf(ctx).credentialId]);
        return opened;
      });
      ctx.reply.session = session;
      return session;
    }),

  endOtherSessions: procedure
    .meta(
      op('DELETE /auth/sessions', {
        id: 'endOtherSessions',
        access: 'session',
        summary: 'End all your other sessions',
      }),
    )
    .input(z.strictObject({}))
    .output(SessionList)
    .mutation(async ({ ctx }) => {
      const { userId, credentialId } = principalOf(ctx);
      await endOtherSessions(ctx.db, userId, credentialId);
      const rows = await ctx.db.rows<SessionRow>(sessionsOf, [userId, credentialId]);
      return wholeList(rows.map((row) => ({ object: 'session' as const, ...row })));
    }),

  ...passwordOperations,
});
