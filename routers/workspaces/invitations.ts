import { createHash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { Role, shownEmail } from '../accounts/shapes.ts';
import { invalid, notFound } from '../errors.ts';
import { Id, Instant } from '../fields.ts';
import type { Letter } from '../mail.ts';

const days = 7;

export const Invitation = z
  .object({
    object: z.literal('invitation'),
    id: Id,
    workspaceId: Id,
    email: shownEmail,
    role: Role,
    createdAt: Instant,
    expiresAt: Instant,
  })
  .meta({ id: 'Invitation' });

export type InvitationAnswer = z.infer<typeof Invitation>;

const columns = `id, workspace_id as "workspaceId", email, role, created_at as "createdAt", expires_at as "expiresAt"`;
const open = 'accepted_at is null and revoked_at is null and expires_at > now()';
const list = `select ${columns} from invitations where workspace_id = $1 and ${open} order by created_at desc, id desc`;
const supersede = `update invitations set revoked_at = now() where workspace_id = $1 and lower(email) = lower($2) and ${open}`;
const insert = `insert into invitations (workspace_id, id, email, role, token_hash, invited_by, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + interval '${days} days') returning ${columns}`;
const revoke = `update invitations set revoked_at = now() where workspace_id = $1 and id = $2 and ${open} returning id`;
const accept = `update invitations set accepted_at = now() where token_hash = $1 and ${open}
  returning workspace_id as "workspaceId", role`;
const join = `insert into members as m (workspace_id, user_id, role) values ($1, $2, $3)
  on conflict (workspace_id, user_id) do update set removed_at = null, role = case when m.removed_at is null then m.role else excluded.role end`;
const names = `select w.name, u.name as "inviter" from workspaces w, users u where w.id = $1 and u.id = $2`;

type Row = Omit<InvitationAnswer, 'object'>;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The open invitations of a workspace, newest first. */
export async function listInvitations(db: Db, workspaceId: string): Promise<InvitationAnswer[]> {
  return (await db.rows<Row>(list, [workspaceId])).map((row) => ({ object: 'invitation', ...row }));
}

/** Invites an address; an earlier open invitation of the same address is replaced. Returns the letter to post. */
export async function invite(
  db: Db,
  by: { workspaceId: string; userId: string },
  request: { email: string; role: 'owner' | 'member' },
  publicUrl: string,
): Promise<{ invitation: InvitationAnswer; letter: Letter }> {
  const { workspaceId, userId } = by;
  const token = randomBytes(32).toString('base64url');
  const [name] = await db.rows<{ name: string; inviter: string }>(names, [workspaceId, userId]);
  const row = await db.transaction(async (tx) => {
    await tx.rows(supersede, [workspaceId, request.email]);
    const [made] = await tx.rows<Row>(insert, [
      workspaceId,
      newId(),
      request.email,
      request.role,
      sha256(token),
      userId,
    ]);
    if (!made) throw new Error('an insert returned nothing');
    return made;
  });
  const oneLine = (text = '') => text.replace(/\s+/g, ' ');
  const text = `${oneLine(name?.inviter)} invites you to the workspace “${oneLine(name?.name)}” in Tandem.

To join, open this link within ${days} days:
${publicUrl}/join#token=${token}
`;
  const subject = `Join “${oneLine(name?.name)}” in Tandem`;
  return { invitation: { object: 'invitation', ...row }, letter: { to: request.email, subject, text } };
}

/** @throws Failure 404 when there is no such open invitation. */
export async function revokeInvitation(db: Db, workspaceId: string, invitationId: string): Promise<void> {
  const gone = await db.rows(revoke, [workspaceId, invitationId]);
  if (gone.length === 0) throw notFound('open invitation', 'invitationId');
}

/** Makes a person a member by the token of an invitation; returns the workspace. In a transaction. @throws Failure 400. */
export async function acceptInvitation(db: Db, token: string, userId: string): Promise<string> {
  const [accepted] = await db.rows<{ workspaceId: string; role: string }>(accept, [sha256(token)]);
  if (!accepted) throw invalid('invitationToken', 'This invitation is spent, expired or withdrawn. Ask for a new one.');
  await db.rows(join, [accepted.workspaceId, userId, accepted.role]);
  return accepted.workspaceId;
}
