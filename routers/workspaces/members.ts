import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { revokeGrantsOf } from '../../db/grants.ts';
import { Role, shownEmail, shownName } from '../accounts/shapes.ts';
import { op, principalOf, procedure } from '../base.ts';
import { conflict, notFound } from '../errors.ts';
import { DeletedResource, Id, Instant, listOf, wholeList } from '../fields.ts';
import { requireMember } from './membership.ts';

const Member = z
  .object({
    object: z.literal('member'),
    id: Id.describe('Of the user.'),
    name: shownName,
    email: shownEmail,
    role: Role,
    createdAt: Instant.describe('Since when a member.'),
  })
  .meta({ id: 'Member' });

type MemberRow = Omit<z.infer<typeof Member>, 'object'>;

const membersOf = `select u.id, u.name, u.email, m.role, m.created_at as "createdAt"
  from members m join users u on u.id = m.user_id where m.workspace_id = $1 and m.removed_at is null`;
const lockOwners = `select user_id as id from members
  where workspace_id = $1 and role = 'owner' and removed_at is null order by user_id for update`;
const remove = 'update members set removed_at = now() where workspace_id = $1 and user_id = $2';
const revokeAll = `update credentials set revoked_at = now() where workspace_id = $1 and user_id = $2 and revoked_at is null`;

/** Whether somebody with this address is a member already. */
export async function isMember(db: Db, workspaceId: string, email: string): Promise<boolean> {
  return (await db.rows(`${membersOf} and lower(u.email) = lower($2)`, [workspaceId, email])).length > 0;
}

/** @throws Failure 404 when the person is no member of the workspace. */
async function findMember(db: Db, workspaceId: string, userId: string) {
  const [row] = await db.rows<MemberRow>(`${membersOf} and m.user_id = $2`, [workspaceId, userId]);
  if (!row) throw notFound('member', 'userId');
  return { object: 'member' as const, ...row };
}

/** With the owners locked: that somebody else owns the workspace when `userId` no longer does. @throws Failure 409. */
async function requireAnotherOwner(tx: Db, workspaceId: string, userId: string): Promise<void> {
  const owners = await tx.rows<{ id: string }>(lockOwners, [workspaceId]);
  if (owners.some((owner) => owner.id !== userId) || !owners.some((owner) => owner.id === userId)) return;
  throw conflict('A workspace keeps at least one owner. Make another member an owner first.');
}

export const memberOperations = {
  listMembers: procedure
    .meta(
      op('GET /workspaces/{workspaceId}/members', {
        id: 'listMembers',
        access: 'session',
        summary: 'List the members of a workspace',
      }),
    )
    .input(z.strictObject({ workspaceId: Id }))
    .output(listOf(Member, 'MemberList'))
    .query(async ({ ctx, input }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, input.workspaceId);
      const rows = await ctx.db.rows<MemberRow>(`${membersOf} order by m.created_at, u.id`, [input.workspaceId]);
      return wholeList(rows.map((row) => ({ object: 'member' as const, ...row })));
    }),

  updateMember: procedure
    .meta(
      op('PATCH /workspaces/{workspaceId}/members/{userId}', {
        id: 'updateMember',
        access: 'session',
        summary: 'Change the role of a member',
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, userId: Id, role: Role }).meta({ id: 'MemberUpdateParams' }))
    .output(Member)
    .mutation(async ({ ctx, input: { workspaceId, userId, role } }) => {
      await requireMember(ctx.db, principalOf(ctx).userId, workspaceId, true);
      return ctx.db.transaction(async (tx) => {
        await findMember(tx, workspaceId, userId);
        if (role !== 'owner') await requireAnotherOwner(tx, workspaceId, userId);
        await tx.rows('update members set role = $3 where workspace_id = $1 and user_id = $2', [
          workspaceId,
          userId,
          role,
        ]);
        return findMember(tx, workspaceId, userId);
      });
    }),

  removeMember: procedure
    .meta(
      op('DELETE /workspaces/{workspaceId}/members/{userId}', {
        id: 'removeMember',
        access: 'session',
        summary: 'Remove a member, or leave',
        description: 'The sessions, keys and grants of that person in this workspace end at once.',
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ workspaceId: Id, userId: Id }))
    .output(DeletedResource)
    .mutation(async ({ ctx, input: { workspaceId, userId } }) => {
      const principal = principalOf(ctx);
      await requireMember(ctx.db, principal.userId, workspaceId, userId !== principal.userId);
      return ctx.db.transaction(async (tx) => {
        await findMember(tx, workspaceId, userId);
        await requireAnotherOwner(tx, workspaceId, userId);
        await tx.rows(remove, [workspaceId, userId]);
        await revokeGrantsOf(tx, workspaceId, userId);
        await tx.rows(revokeAll, [workspaceId, userId]);
        return { object: 'deleted' as const, id: userId, deleted: true as const, recoverable: false };
      });
    }),
};
