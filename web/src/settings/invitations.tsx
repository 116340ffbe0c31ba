import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, problemOf } from '../api/client.ts';
import { invitationsQuery, readAgain } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { SelectField } from '../ui/choices.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { TextField } from '../ui/fields.tsx';
import { type Filled, Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-fields.ts';
import { useNotice } from '../ui/notice.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { roles } from './roles.ts';

type Invitation = Awaited<ReturnType<typeof api.workspaces.invite.mutate>>;

const fields: Fields = {
  email: { label: 'E-mail address', required: 'Enter the e-mail address to invite' },
  role: { label: 'Role' },
};

/** The form to invite, for owners, and the invitations that nobody has accepted yet. */
export function Invitations() {
  const { workspace, user } = useIdentity();
  const isOwner = user.role === 'owner';
  const invitations = useQuery(invitationsQuery(workspace.id));
  return (
    <Card title="Invitations" intro="An invitation goes out by e-mail and is good for seven days.">
      {isOwner && <InviteForm workspaceId={workspace.id} />}
      <Loaded query={invitations} what="the invitations">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No open invitations" />
          ) : (
            <Rows label="Open invitations">
              {data.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} isOwner={isOwner} />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  );
}

function InviteForm({ workspaceId }: { workspaceId: string }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const invite = async (filled: Filled) => {
    const role = filled.text('role') === 'owner' ? 'owner' : 'member';
    const { email } = await api.workspaces.invite.mutate({ workspaceId, email: filled.text('email').trim(), role });
    await readAgain(queryClient, 'invitations');
    tell(`The invitation to ${email} is on its way.`);
  };
  return (
    <Form fields={fields} submit="Invite" busy="Inviting…" kind="primary" onSubmit={invite} label="Invite" clears>
      <div className="side-by-side">
        <TextField name="email" label="E-mail address" type="email" autoComplete="off" />
        <SelectField name="role" label="Role" options={roles} defaultValue="member" />
      </div>
    </Form>
  );
}

function InvitationRow({ invitation, isOwner }: { invitation: Invitation; isOwner: boolean }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const { id: invitationId, workspaceId, email, role, createdAt, expiresAt } = invitation;
  const refresh = () => readAgain(queryClient, 'invitations');
  const again = useMutation({
    mutationFn: () => api.workspaces.invite.mutate({ workspaceId, email, role }),
    onSuccess: async () => {
      await refresh();
      tell(`A new invitation to ${email} is on its way; the old link is void.`);
    },
    onError: (error) => tell(problemOf(error).message),
  });
  const withdraw = async () => {
    await api.workspaces.revokeInvitation.mutate({ workspaceId, invitationId });
    await refresh();
    tell(`The invitation to ${email} is withdrawn.`);
  };
  return (
    <Row
      title={email}
      facts={[
        role === 'owner' ? 'As an owner' : 'As a member',
        <>Sent {<Ago at={createdAt} />}</>,
        <>Expires {<Ago at={expiresAt} />}</>,
      ]}
      actions={
        isOwner && (
          <>
            <Button
              kind="quiet"
              aria-label={`Send again: ${email}`}
              isBusy={again.isPending}
              onPress={() => again.mutate()}
            >
              Send again
            </Button>
            <ConfirmButton
              label="Withdraw"
              about={email}
              title={`Withdraw the invitation to ${email}?`}
              confirm="Withdraw"
              busy="Withdrawing…"
              onConfirm={withdraw}
            >
              <p>The link in the letter stops working at once.</p>
            </ConfirmButton>
          </>
        )
      }
    />
  );
}
