import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { type ConnectedApp, connectedAppsQuery, readAgain, serviceInfoQuery } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { Card, Empty, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge, Initial, Row, Rows } from '../ui/rows.tsx';
import { Tick } from '../ui/tick.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { LifeBadge } from './life-badge.tsx';
import { scopeLine } from './scopes.ts';
import { SettingsPage } from './settings-page.tsx';

export function ConnectedApps() {
  const { workspace } = useIdentity();
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const apps = useQuery(connectedAppsQuery(workspace.id, includeRevoked));
  return (
    <SettingsPage
      title="Connected apps"
      intro={`Assistants and other apps that a member let into ${workspace.name} through the browser.`}
    >
      <section className="card">
        <Loaded query={apps} what="the connected apps">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No apps are connected">An assistant asks for access when you add Tandem to it.</Empty>
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
    </SettingsPage>
  );
}

function ConnectOne() {
  const service = useQuery(serviceInfoQuery);
  return (
    <Card
      title="Connect an assistant"
      intro="Add this address to it as a remote MCP server. It then opens a page here that asks what you allow."
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
  const tell = useNotice();
  const { id, clientName, clientUri, scopes, userId, createdAt, lastUsedAt, expiresAt, revokedAt } = app;
  const revoke = async () => {
    await api.connectedApps.revoke.mutate({ connectedAppId: id });
    await readAgain(queryClient, 'connectedApps');
    tell(`${clientName} has no access any more.`);
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
            <p>It is refused from its next request on. To come back it has to ask for access again.</p>
          </ConfirmButton>
        )
      }
    />
  );
}
