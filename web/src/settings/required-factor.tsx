import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { type Identity, readAgain, workspacesQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { ReauthenticationProvider, useReauthenticated } from './reauthentication.tsx';

/** Whether the members of a workspace need a second factor, for its owners to change. */
export function RequiredFactor({ workspace }: { workspace: Identity['workspace'] }) {
  const workspaces = useQuery(workspacesQuery);
  return (
    <ReauthenticationProvider>
      <Loaded query={workspaces} what="the workspace">
        {({ data }) => (
          <Rule
            workspaceId={workspace.id}
            isRequired={data.find(({ id }) => id === workspace.id)?.requireSecondFactor ?? false}
          />
        )}
      </Loaded>
    </ReauthenticationProvider>
  );
}

function Rule({ workspaceId, isRequired }: { workspaceId: string; isRequired: boolean }) {
  const queryClient = useQueryClient();
  const reauthenticated = useReauthenticated();
  const notify = useNotice();
  const set = async () => {
    const change = { workspaceId, requireSecondFactor: !isRequired };
    await reauthenticated(() => api.workspaces.update.mutate(change));
    await readAgain(queryClient, 'workspaces');
    notify(isRequired ? 'A second factor is optional now.' : 'Every member needs a second factor now.');
  };
  return (
    <Card
      title="Second factor"
      intro={isRequired ? 'Every member needs a second factor.' : 'Members decide whether they use a second factor.'}
      actions={
        <ConfirmButton
          label={isRequired ? 'Make it optional' : 'Require it'}
          title={isRequired ? 'Make the second factor optional?' : 'Require a second factor?'}
          confirm={isRequired ? 'Make it optional' : 'Require it'}
          busy="Saving…"
          onConfirm={set}
        >
          <p>
            {isRequired
              ? 'Members can use this workspace with their password alone.'
              : 'Members without one can only set one up from now on. API keys and connected apps are not affected.'}
          </p>
        </ConfirmButton>
      }
    >
      {null}
    </Card>
  );
}
