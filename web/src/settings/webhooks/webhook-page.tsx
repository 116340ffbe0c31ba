import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Link, useParams } from 'react-router';
import { api, problemOf } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIdentity } from '../../session/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Loaded, Pending } from '../../ui/card.tsx';
import { Icon } from '../../ui/icons.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import type { EndpointValues } from './endpoint-form.tsx';
import { EndpointSecret } from './endpoint-secret.tsx';
import { EndpointBadge, EndpointProblem } from './endpoint-state.tsx';
import { type Endpoint, endpointQuery, webhooksKey } from './queries.ts';

// Below the deliveries, which are there sooner without it.
const EndpointForm = lazyPart(() => import('./endpoint-form.tsx').then(({ EndpointForm }) => EndpointForm));

const back = (
  <Link to="/settings/webhooks" className="back">
    <Icon name="back" />
    Webhooks
  </Link>
);

/** Page `/settings/webhooks/:endpointId`: an endpoint, and what was sent to it. */
export function WebhookPage() {
  const { endpointId = '' } = useParams();
  const { workspace } = useIdentity();
  const endpoint = useQuery(endpointQuery(workspace.id, endpointId));
  const isMissing = endpoint.error !== null && [400, 404].includes(problemOf(endpoint.error).status);
  if (isMissing) {
    return (
      <Page title="Endpoint not found" intro="It may have been removed, or it belongs to another workspace.">
        <div>
          <ButtonLink to="/settings/webhooks">All webhook endpoints</ButtonLink>
        </div>
      </Page>
    );
  }
  return (
    <>
      {back}
      <Page title="Webhook endpoint" intro={endpoint.data && <Address endpoint={endpoint.data} />}>
        <Loaded query={endpoint} what="the endpoint">
          {(data) => (
            <div className="page-parts" key={data.id}>
              <EndpointProblem endpoint={data} />
              <EndpointActions endpoint={data} />
              <Deliveries endpoint={data} />
              <Change endpoint={data} />
              <EndpointSecret endpoint={data} />
            </div>
          )}
        </Loaded>
      </Page>
    </>
  );
}

function Address({ endpoint }: { endpoint: Endpoint }) {
  return (
    <span className="host">
      {endpoint.url} <EndpointBadge endpoint={endpoint} />
      {endpoint.description !== null && <span className="block">{endpoint.description}</span>}
    </span>
  );
}

function Change({ endpoint }: { endpoint: Endpoint }) {
  const { user } = useIdentity();
  const queryClient = useQueryClient();
  const notify = useNotice();
  const save = async (_: EndpointValues, { description, ...changes }: Partial<EndpointValues>) => {
    const note = description !== undefined && { description: description || null };
    const change = { endpointId: endpoint.id, ...changes, ...note };
    await api.webhookEndpoints.update.mutate(change);
    await readAgain(queryClient, webhooksKey);
    notify('The endpoint is saved.');
  };
  return (
    <Card
      title="Settings"
      intro={
        endpoint.userId === user.id
          ? 'It gets what you may read.'
          : 'It gets what another member may read. If you change its address or its types, it is yours from then on.'
      }
    >
      <Suspense fallback={<Pending what="the settings" isPaused={false} />}>
        <EndpointForm endpoint={endpoint} submit="Save" busy="Saving…" onSubmit={save} />
      </Suspense>
    </Card>
  );
}
