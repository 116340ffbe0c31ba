import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sessionsQuery, workspacesQuery } from '../api/queries.ts';
import { Card, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { browserName } from './browser-name.ts';
import { ChangePassword } from './change-password.tsx';
import { SettingsPage } from './settings-page.tsx';

type Session = Awaited<ReturnType<typeof api.auth.listSessions.query>>['data'][number];

export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const others = sessions.data?.data.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <SettingsPage title="Sign-in and sessions" intro="Where you are signed in, and the password you sign in with.">
      <Card
        title="Sessions"
        intro="A session ends by itself after 12 hours without use, and after 30 days at most."
        actions={others > 0 && <EndOthers count={others} />}
      >
        <Loaded query={sessions} what="your sessions">
          {({ data }) => (
            <Rows label="Sessions">
              {data.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </Rows>
          )}
        </Loaded>
      </Card>
      <ChangePassword />
    </SettingsPage>
  );
}

function SessionRow({ session }: { session: Session }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const workspaces = useQuery(workspacesQuery);
  const { id: sessionId, client, isCurrent, workspaceId, createdAt, lastUsedAt } = session;
  const name = browserName(client);
  const workspace = workspaces.data?.data.find(({ id }) => id === workspaceId)?.name;
  const end = async () => {
    await api.auth.endSession.mutate({ sessionId });
    await queryClient.invalidateQueries({ queryKey: ['sessions'] });
    tell(`The session of ${name} is ended.`);
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
            <p>{name} is signed out at its next step. If you do not know this session, change your password too.</p>
          </ConfirmButton>
        )
      }
    />
  );
}

function EndOthers({ count }: { count: number }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const end = async () => {
    const rest = await api.auth.endOtherSessions.mutate({});
    queryClient.setQueryData(sessionsQuery.queryKey, rest);
    tell('All your other sessions are ended.');
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
        {count === 1 ? 'One other session is' : `${count} other sessions are`} signed out at once. This one stays open.
      </p>
    </ConfirmButton>
  );
}
