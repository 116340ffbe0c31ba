import { z } from 'zod';
import { Email, EmailToken, Membership, Role, ShownEmail, ShownName, WorkspaceName } from '../accounts/shapes.ts';
import { Id, Instant, listOf, TimeZone } from '../fields.ts';

export const WorkspaceList = listOf(Membership, 'WorkspaceList');

export const WorkspaceCreateParams = z
  .strictObject({ name: WorkspaceName, timezone: TimeZone.default('UTC') })
  .meta({ id: 'WorkspaceCreateParams' });

export type NewWorkspace = z.infer<typeof WorkspaceCreateParams>;

export const WorkspaceUpdateParams = z
  .strictObject({
    workspaceId: Id,
    name: WorkspaceName.optional(),
    timezone: TimeZone.optional(),
    requireSecondFactor: z.boolean().optional(),
  })
  .meta({ id: 'WorkspaceUpdateParams' });

export type WorkspaceChanges = z.infer<typeof WorkspaceUpdateParams>;

export const Member = z
  .object({
    object: z.literal('member'),
    id: Id.describe('Id of the user.'),
    name: ShownName,
    email: ShownEmail,
    role: Role,
    createdAt: Instant.describe('When the person became a member.'),
  })
  .meta({ id: 'Member' });

export type MemberAnswer = z.infer<typeof Member>;

export const MemberUpdateParams = z
  .strictObject({ workspaceId: Id, userId: Id, role: Role })
  .meta({ id: 'MemberUpdateParams' });

export type MemberChanges = z.infer<typeof MemberUpdateParams>;

export const Invitation = z
  .object({
    object: z.literal('invitation'),
    id: Id,
    workspaceId: Id,
    email: ShownEmail,
    anyoneWithLink: z.boolean().describe('Whether any account may accept it, or only that of its address.'),
    role: Role,
    createdAt: Instant,
    expiresAt: Instant,
  })
  .meta({ id: 'Invitation' });

export type InvitationAnswer = z.infer<typeof Invitation>;

/** A new invitation. `link` is returned only here. */
export const CreatedInvitation = Invitation.extend({
  link: z
    .string()
    .nullable()
    .meta({
      description:
        'The link with which the guest accepts it. Null where the service emailed it, unless anyone with the link may accept it. Returned only here.',
      examples: ['https://tandem.example/join#token=…'],
    }),
}).meta({ id: 'CreatedInvitation' });

export type CreatedInvitationAnswer = z.infer<typeof CreatedInvitation>;

export const InvitationCreateParams = z
  .strictObject({
    workspaceId: Id,
    email: Email,
    role: Role.default('member'),
    anyoneWithLink: z
      .boolean()
      .default(false)
      .describe('Whether any account may accept it, or only that of this address.'),
  })
  .meta({ id: 'InvitationCreateParams' });

export type NewInvitation = z.infer<typeof InvitationCreateParams>;

export const InvitationAcceptParams = z
  .strictObject({ invitationToken: EmailToken })
  .meta({ id: 'InvitationAcceptParams' });
