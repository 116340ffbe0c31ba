import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components';
import { api } from '../api/client.ts';
import { type ApiKey, apiKeysQuery, readAgain } from '../api/queries.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Icon, Tick } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago, Day } from '../ui/time.tsx';
import { LifeBadge, scopeLine } from './credentials.tsx';

/** Page of the API keys. */
export function ApiKeys() {
  const { workspace } = useIdentity();
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const keys = useQuery(apiKeysQuery(workspace.id, includeRevoked));
  return (
    <Page
      title="API keys"
      intro={
        <>
          Programs use keys to access {workspace.name}. Every member can see and revoke these keys. The operations are
          in the <a href="/docs">API reference</a>.
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
    </Page>
  );
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { id, name, prefix, last4, scopes, createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  const revoke = async () => {
    await api.apiKeys.revoke.mutate({ apiKeyId: id });
    await readAgain(queryClient, 'apiKeys');
    notify(`“${name}” is revoked.`);
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
            <p>Requests with this key fail from now on. A revoked key cannot be restored.</p>
          </ConfirmButton>
        )
      }
    />
  );
}
