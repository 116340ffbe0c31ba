import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, problemOf } from '../api/client.ts';
import { type Member, membersQuery, readAgain, workspacesQuery } from '../api/queries.ts';
import { useIdentity, useSwitchWorkspace } from '../session/session.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { SelectField } from '../ui/choices.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge, Initial, Row, Rows } from '../ui/rows.tsx';
import { Day } from '../ui/time.tsx';
import { Invitations, roles } from './invitations.tsx';

/** Page of the members and invitations. */
export function Members() {
  const { workspace, user } = useIdentity();
  const members = useQuery(membersQuery(workspace.id));
  const isOwner = user.role === 'owner';
  return (
    <Page
      title="Members"
      intro={
        isOwner
          ? 'Owners manage members and the workspace. All members have access to everything in it.'
          : 'Owners invite and remove members. All members have access to everything in the workspace.'
      }
    >
      <Card title="People">
        <Loaded query={members} what="the members">
          {({ data }) => (
            <Rows label="Members">
              {data.map((member) => (
                <MemberRow key={member.id} member={member} members={data} />
              ))}
            </Rows>
          )}
        </Loaded>
      </Card>
      <Invitations />
    </Page>
  );
}

function MemberRow({ member, members }: { member: Member; members: Member[] }) {
  const { user } = useIdentity();
  const isSelf = member.id === user.id;
  const isLastOwner = member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;
  const mayChange = user.role === 'owner' && !isLastOwner;
  return (
    <Row
      icon={<Initial name={member.name} />}
      title={member.name}
      badges={
        <>
          {isSelf && <Badge>You</Badge>}
          {!mayChange && (
            <Badge tone={member.role === 'owner' ? 'good' : 'plain'}>
              {member.role === 'owner' ? 'Owner' : 'Member'}
            </Badge>
          )}
        </>
      }
      detail={member.email}
      facts={[
        <>Since {<Day at={member.createdAt} />}</>,
        isSelf && isLastOwner ? 'You cannot leave as the only owner' : null,
      ].filter(Boolean)}
      actions={
        <>
          {mayChange && <RoleField member={member} />}
          {isSelf ? !isLastOwner && <Leave /> : mayChange && <Remove member={member} />}
        </>
      }
    />
  );
}

function RoleField({ member }: { member: Member }) {
  const { workspace, user } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const setting = useMutation({
    mutationFn: (role: Member['role']) =>
      api.workspaces.updateMember.mutate({ workspaceId: workspace.id, userId: member.id, role }),
    onSuccess: ({ name, role }) => notify(`${name} is now ${role === 'owner' ? 'an owner' : 'a member'}.`),
    onError: (error) => notify(problemOf(error).message),
    onSettled: async () => {
      await Promise.all([readAgain(queryClient, 'members'), readAgain(queryClient, 'assignable')]);
      if (member.id === user.id) await readAgain(queryClient, 'identity');
    },
  });
  return (
    <SelectField
      label={`Role of ${member.name}`}
      hideLabel
      options={roles}
      value={setting.variables && setting.isPending ? setting.variables : member.role}
      isDisabled={setting.isPending}
      onChange={(role) => role !== member.role && setting.mutate(role === 'owner' ? 'owner' : 'member')}
    />
  );
}

function Remove({ member }: { member: Member }) {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const remove = async () => {
    await api.workspaces.removeMember.mutate({ workspaceId: workspace.id, userId: member.id });
    await Promise.all([readAgain(queryClient, 'members'), readAgain(queryClient, 'assignable')]);
    notify(`${member.name} is no longer a member.`);
  };
  return (
    <ConfirmButton
      label="Remove"
      about={member.name}
      title={`Remove ${member.name}?`}
      confirm="Remove"
      busy="Removing…"
      onConfirm={remove}
    >
      <p>
        Their sessions, API keys and connected apps in {workspace.name} stop working immediately. Their content is not
        deleted.
      </p>
    </ConfirmButton>
  );
}

function Leave() {
  const { workspace, user } = useIdentity();
  const switchWorkspace = useSwitchWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotice();
  const leave = async () => {
    const { data } = await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    const elsewhere = data.find(({ id }) => id !== workspace.id);
    // Switch first: the session would end with the membership.
    if (elsewhere) await switchWorkspace(elsewhere.id);
    const leaving = api.workspaces.removeMember.mutate({ workspaceId: workspace.id, userId: user.id });
    // The dialog, which shows errors, is gone with the workspace.
    if (elsewhere)
      await leaving.catch((error: unknown) =>
        notify(`You did not leave ${workspace.name}. ${problemOf(error).message}`),
      );
    await leaving;
    await readAgain(queryClient);
    await navigate('/settings/workspace');
    notify(`You left ${workspace.name}.`);
  };
  return (
    <ConfirmButton label="Leave" title={`Leave ${workspace.name}?`} confirm="Leave" busy="Leaving…" onConfirm={leave}>
      <p>Your API keys and connected apps in it stop working immediately. To rejoin you need an invitation.</p>
    </ConfirmButton>
  );
}
