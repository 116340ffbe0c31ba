import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { type ConnectedApp, connectedAppsQuery, readAgain, serviceInfoQuery } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Badge, Initial, Row, Rows } from '../ui/rows.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { LifeBadge, scopeLine } from './credentials.tsx';

/** Page of the connected apps. */
export function ConnectedApps() {
  const { workspace } = useIdentity();
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const apps = useQuery(connectedAppsQuery(workspace.id, includeRevoked));
  return (
    <Page title="Connected apps" intro={`Assistants and other apps that members have connected to ${workspace.name}.`}>
      <section className="card">
        <Loaded query={apps} what="the connected apps">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No apps are connected">An assistant requests access when you add Tandem to it.</Empty>
            ) : (
              <Rows label="Connected apps">
                {data.map((app) => (
                  <AppRow key={app.id} app={app} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </section>
      <Checkbox className="choice inline" isSelected={includeRevoked} onChange={setIncludeRevoked}>
        <Tick />
        Show revoked apps
      </Checkbox>
      <ConnectOne />
    </Page>
  );
}

function ConnectOne() {
  const service = useQuery(serviceInfoQuery);
  return (
    <Card
      title="Connect an assistant"
      intro="Add this address to it as a remote MCP server. It then opens a page where you choose what to allow."
    >
      <Loaded query={service} what="the address">
        {({ mcpUrl }) => (
          <div className="secret-line">
            <code className="secret-text">{mcpUrl}</code>
            <CopyButton text={mcpUrl} label="Copy address" what="The address is" />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function AppRow({ app }: { app: ConnectedApp }) {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { id, clientName, clientUri, scopes, userId, createdAt, lastUsedAt, expiresAt, revokedAt } = app;
  const revoke = async () => {
    await api.connectedApps.revoke.mutate({ connectedAppId: id });
    await readAgain(queryClient, 'connectedApps');
    notify(`${clientName} no longer has access.`);
  };
  return (
    <Row
      icon={<Initial name={clientName} />}
      title={clientName}
      badges={
        <>
          {userId === user.id && <Badge>Yours</Badge>}
          <LifeBadge expiresAt={expiresAt} revokedAt={revokedAt} />
        </>
      }
      detail={clientUri}
      facts={[
        scopeLine(scopes),
        <>Connected {<Day at={createdAt} />}</>,
        lastUsedAt ? <>Last used {<Ago at={lastUsedAt} />}</> : 'Never used',
      ]}
      actions={
        revokedAt === null && (
          <ConfirmButton
            label="Revoke"
            about={clientName}
            title={`Revoke the access of ${clientName}?`}
            confirm="Revoke access"
            busy="Revoking…"
            onConfirm={revoke}
          >
            <p>Its requests fail from now on. To get access again, it must be connected again.</p>
          </ConfirmButton>
        )
      }
    />
  );
}
