import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { type ApiKey, apiKeysQuery, readAgain } from '../api/queries.ts';
import { useIdentity } from '../frame.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Tick } from '../ui/tick.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { LifeBadge } from './life-badge.tsx';
import { scopeLine } from './scopes.ts';
import { SettingsPage } from './settings-page.tsx';

export function ApiKeys() {
  const { workspace } = useIdentity();
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const keys = useQuery(apiKeysQuery(workspace.id, includeRevoked));
  return (
    <SettingsPage
      title="API keys"
      intro={
        <>
          Programs use a key to work in {workspace.name}. Every member sees these keys and may revoke them. What they
          can call is in the <a href="/docs">API reference</a>.
        </>
      }
      actions={
        <ButtonLink to="/settings/api-keys/new" kind="primary">
          <Icon name="plus" />
          Create key
        </ButtonLink>
      }
    >
      <section className="card">
        <Loaded query={keys} what="the keys">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No keys yet">Create one to call the API from a script, a server or an assistant.</Empty>
            ) : (
              <Rows label="API keys">
                {data.map((key) => (
                  <KeyRow key={key.id} apiKey={key} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </section>
      <Checkbox className="choice inline" isSelected={includeRevoked} onChange={setIncludeRevoked}>
        <Tick />
        Show revoked keys
      </Checkbox>
    </SettingsPage>
  );
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const queryClient = useQueryClient();
  const tell = useNotice();
  const { id, name, prefix, last4, scopes, createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const revoke = async () => {
    await api.apiKeys.revoke.mutate({ apiKeyId: id });
    await readAgain(queryClient, 'apiKeys');
    tell(`“${name}” is revoked.`);
  };
  return (
    <Row
      title={name}
      badges={<LifeBadge expiresAt={expiresAt} revokedAt={revokedAt} />}
      detail={
        <code>
          {prefix}…{last4}
        </code>
      }
      facts={[
        scopeLine(scopes),
        <>Created {<Day at={createdAt} />}</>,
        lastUsedAt ? <>Last used {<Ago at={lastUsedAt} />}</> : 'Never used',
        expiresAt ? <>Expires {<Day at={expiresAt} />}</> : 'Does not expire',
      ]}
      actions={
        revokedAt === null && (
          <ConfirmButton
            label="Revoke"
            about={name}
            title={`Revoke “${name}”?`}
            confirm="Revoke key"
            busy="Revoking…"
            onConfirm={revoke}
          >
            <p>Programs that use this key are refused from their next request on. A key cannot be brought back.</p>
          </ConfirmButton>
        )
      }
    />
  );
}
