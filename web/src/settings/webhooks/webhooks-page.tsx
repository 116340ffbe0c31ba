import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useIdentity } from '../../session/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/card.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page } from '../../ui/page.tsx';
import { Row, Rows } from '../../ui/rows.tsx';
import { Ago } from '../../ui/time.tsx';
import { EndpointBadge, reasonOf } from './endpoint-state.tsx';
import { typesLine } from './event-types.ts';
import { endpointsQuery, type ListedEndpoint } from './queries.ts';
import { Snippets } from './snippets.tsx';

/** Page `/settings/webhooks`: the addresses that get the events of the workspace. */
export function WebhooksPage() {
  const { workspace } = useIdentity();
  const endpoints = useQuery(endpointsQuery(workspace.id));
  return (
    <Page
      title="Webhooks"
      intro={
        <>
          Addresses of yours that get the events of {workspace.name} as they happen. Every member can see and change
          them. More is in <a href="/docs">the documents</a>.
        </>
      }
      actions={
        <ButtonLink to="/settings/webhooks/new" kind="primary">
          <Icon name="plus" />
          Add endpoint
        </ButtonLink>
      }
    >
      <section className="card">
        <Loaded query={endpoints} what="the webhook endpoints">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No webhook endpoints yet">
                Add one to have a program of yours called when a todo is done or an agent asks for approval.
              </Empty>
            ) : (
              <Rows label="Webhook endpoints">
                {data.map((endpoint) => (
                  <EndpointRow key={endpoint.id} endpoint={endpoint} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </section>
      <Snippets />
    </Page>
  );
}

function EndpointRow({ endpoint }: { endpoint: ListedEndpoint }) {
  const { id, url, description, types, enabled, lastDelivery } = endpoint;
  return (
    <Row
      title={<Link to={`/settings/webhooks/${id}`}>{url}</Link>}
      badges={<EndpointBadge endpoint={endpoint} />}
      detail={
        <>
          {description !== null && <p>{description}</p>}
          {!enabled && <p>{reasonOf(endpoint)}</p>}
        </>
      }
      facts={[typesLine(types), <LastDelivery key="last" last={lastDelivery} />]}
    />
  );
}

function LastDelivery({ last }: { last: ListedEndpoint['lastDelivery'] }) {
  if (last === null) return 'Nothing was sent yet';
  const { status, sentAt, createdAt, responseStatus, error } = last;
  const answer = responseStatus === null ? (error ?? 'waits to be sent') : `answered ${responseStatus}`;
  return (
    <>
      Last delivery <Ago at={sentAt ?? createdAt} />: {status === 'cancelled' ? 'cancelled' : answer}
    </>
  );
}
