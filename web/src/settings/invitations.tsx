import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, problemOf } from '../api/client.ts';
import { invitationsQuery, readAgain, serviceInfoQuery } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded, Pending } from '../ui/card.tsx';
import { SelectField } from '../ui/choices.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';

/** The roles of a member, as options of a select field. */
export const roles = [
  { id: 'member', label: 'Member' },
  { id: 'owner', label: 'Owner' },
];

/** Who may accept an invitation, as options of a select field. */
const guests = [
  { id: 'address', label: 'Only this address' },
  { id: 'anyone', label: 'Anyone with the link' },
];

type Created = Awaited<ReturnType<typeof api.workspaces.invite.mutate>>;
type Invitation = Omit<Created, 'link'>;

const fields: Fields = {
  email: { label: 'Email address', required: 'Enter the email address to invite' },
  role: { label: 'Role' },
  guest: { label: 'Who may accept' },
};

/** What is said of a new invitation. */
function created({ email, link }: Created): string {
  return link === null ? `The invitation to ${email} is being sent.` : `The invitation to ${email} is ready.`;
}

/** Open invitations, and the form to invite for owners. */
export function Invitations() {
  const { workspace, user } = useIdentity();
  const isOwner = user.role === 'owner';
  const invitations = useQuery(invitationsQuery(workspace.id));
  const [latest, setLatest] = useState<Created | null>(null);
  const service = useQuery(serviceInfoQuery);
  const sends = service.data?.sendsEmail;
  if (service.isLoading) return <Pending what="the invitations" isPaused={false} />;
  const isOpen = invitations.data?.data.some(({ id }) => id === latest?.id) ?? false;
  return (
    <Card
      title="Invitations"
      intro={
        sends === false
          ? isOwner &&
            'This service sends no email: hand over the link of an invitation yourself. It is valid for seven days.'
          : sends && 'Invitations are sent by email and are valid for seven days.'
      }
    >
      {isOwner && <InviteForm workspaceId={workspace.id} onInvited={setLatest} />}
      {latest !== null && latest.link !== null && isOpen && <InvitationLink email={latest.email} link={latest.link} />}
      <Loaded query={invitations} what="the invitations">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No open invitations" />
          ) : (
            <Rows label="Open invitations">
              {data.map((invitation) => (
                <InvitationRow
                  key={invitation.id}
                  invitation={invitation}
                  isOwner={isOwner}
                  again={sends === false ? 'New link' : 'Send again'}
                  onInvited={setLatest}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The link of a new invitation, for the inviter to hand over. It is shown once. */
function InvitationLink({ email, link }: { email: string; link: string }) {
  return (
    <section aria-label={`Invitation link for ${email}`}>
      <p className="muted">Send this link to {email}. It is shown only now.</p>
      <div className="secret-line">
        <code className="secret-text" data-testid="invitation-link">
          {link}
        </code>
        <CopyButton text={link} label="Copy link" what="The link is" />
      </div>
    </section>
  );
}

type OnInvited = (invitation: Created) => void;

function InviteForm({ workspaceId, onInvited }: { workspaceId: string; onInvited: OnInvited }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const invite = async (filled: Filled) => {
    const role = filled.text('role') === 'owner' ? 'owner' : 'member';
    const invitation = await api.workspaces.invite.mutate({
      workspaceId,
      email: filled.text('email').trim(),
      role,
      anyoneWithLink: filled.text('guest') === 'anyone',
    });
    await readAgain(queryClient, 'invitations');
    onInvited(invitation);
    notify(created(invitation));
  };
  return (
    <Form fields={fields} submit="Invite" busy="Inviting…" kind="primary" onSubmit={invite} label="Invite" clears>
      <div className="side-by-side">
        <TextField name="email" label="Email address" type="email" autoComplete="off" />
        <SelectField name="role" label="Role" options={roles} defaultValue="member" />
        <SelectField name="guest" label="Who may accept" options={guests} defaultValue="address" />
      </div>
    </Form>
  );
}

interface InvitationRowProps {
  invitation: Invitation;
  isOwner: boolean;
  /** Text of the button that makes a new link. */
  again: string;
  onInvited: OnInvited;
}

function InvitationRow({ invitation, isOwner, again: againText, onInvited }: InvitationRowProps) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { id: invitationId, workspaceId, email, anyoneWithLink, role, createdAt, expiresAt } = invitation;
  const refresh = () => readAgain(queryClient, 'invitations');
  const again = useMutation({
    mutationFn: () => api.workspaces.invite.mutate({ workspaceId, email, role, anyoneWithLink }),
    onSuccess: async (invitation) => {
      await refresh();
      onInvited(invitation);
      notify(`${created(invitation)} The old link is no longer valid.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  const withdraw = async () => {
    await api.workspaces.revokeInvitation.mutate({ workspaceId, invitationId });
    await refresh();
    notify(`The invitation to ${email} is withdrawn.`);
  };
  return (
    <Row
      title={email}
      facts={[
        role === 'owner' ? 'As an owner' : 'As a member',
        anyoneWithLink ? 'Anyone with the link' : 'Only this address',
        <>Made {<Ago at={createdAt} />}</>,
        <>Expires {<Ago at={expiresAt} />}</>,
      ]}
      actions={
        isOwner && (
          <>
            <Button
              kind="quiet"
              aria-label={`${againText}: ${email}`}
              isBusy={again.isPending}
              onPress={() => again.mutate()}
            >
              {againText}
            </Button>
            <ConfirmButton
              label="Withdraw"
              about={email}
              title={`Withdraw the invitation to ${email}?`}
              confirm="Withdraw"
              busy="Withdrawing…"
              onConfirm={withdraw}
            >
              <p>Its link stops working immediately.</p>
            </ConfirmButton>
          </>
        )
      }
    />
  );
}
