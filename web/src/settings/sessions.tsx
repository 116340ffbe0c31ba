import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { readAgain, sessionsQuery, workspacesQuery } from '../api/queries.ts';
import { Card, Loaded, Pending } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { browserName } from './browser-name.ts';
import { ChangePassword } from './change-password.tsx';
import { EmailAddress } from './email-address.tsx';

type Session = Awaited<ReturnType<typeof api.auth.listSessions.query>>['data'][number];

/** Page of the sessions and the password. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  // The rows name them.
  const { isLoading } = useQuery(workspacesQuery);
  const others = sessions.data?.data.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Page title="Sign-in and sessions" intro="Your sessions and your password.">
      <Card
        title="Sessions"
        intro="Sessions end after 12 hours without use, and after 30 days at most."
        actions={others > 0 && <EndOthers count={others} />}
      >
        <Loaded query={sessions} what="your sessions">
          {({ data }) =>
            isLoading ? (
              <Pending what="your workspaces" isPaused={false} />
            ) : (
              <Rows label="Sessions">
                {data.map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </Card>
      <EmailAddress />
      <ChangePassword />
    </Page>
  );
}

function SessionRow({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const workspaces = useQuery(workspacesQuery);
  const { id: sessionId, client, isCurrent, workspaceId, createdAt, lastUsedAt } = session;
  const name = browserName(client);
  const workspace = workspaces.data?.data.find(({ id }) => id === workspaceId)?.name;
  const end = async () => {
    await api.auth.endSession.mutate({ sessionId });
    await readAgain(queryClient, 'sessions');
    notify(`The session of ${name} is ended.`);
  };
  return (
    <Row
      title={<span title={client}>{name}</span>}
      badges={isCurrent && <Badge tone="good">This one</Badge>}
      facts={[
        workspace && `In ${workspace}`,
        <>Signed in {<Ago at={createdAt} />}</>,
        <>Last used {<Ago at={lastUsedAt ?? createdAt} />}</>,
      ].filter(Boolean)}
      actions={
        !isCurrent && (
          <ConfirmButton
            label="End"
            about={name}
            title="End this session?"
            confirm="End session"
            busy="Ending…"
            onConfirm={end}
          >
            <p>
              {name} is signed out with its next request. If you do not recognise this session, change your password
              too.
            </p>
          </ConfirmButton>
        )
      }
    />
  );
}

function EndOthers({ count }: { count: number }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const end = async () => {
    const rest = await api.auth.endOtherSessions.mutate({});
    queryClient.setQueryData(sessionsQuery.queryKey, rest);
    notify('All your other sessions are ended.');
  };
  return (
    <ConfirmButton
      label="End all others"
      title="End all other sessions?"
      confirm="End all others"
      busy="Ending…"
      onConfirm={end}
    >
      <p>
        {count === 1 ? 'One other session is' : `${count} other sessions are`} signed out immediately. This one stays
        open.
      </p>
    </ConfirmButton>
  );
}
