import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIdentity } from '../../session/session.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { focusPageTitle, Page } from '../../ui/page.tsx';
import { EndpointForm, type EndpointValues } from './endpoint-form.tsx';
import { type EndpointWithSecret, webhooksKey } from './queries.ts';
import { Secret } from './secret.tsx';
import { Snippets } from './snippets.tsx';

/** Page `/settings/webhooks/new`. */
export function NewWebhookPage() {
  const { workspace } = useIdentity();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<EndpointWithSecret | null>(null);
  const create = async ({ description, ...values }: EndpointValues) => {
    const endpoint = await api.webhookEndpoints.create.mutate({ ...values, ...(description && { description }) });
    void readAgain(queryClient, webhooksKey);
    setMade(endpoint);
  };
  if (made) return <Made endpoint={made} />;
  return (
    <Page
      title="Add a webhook endpoint"
      intro={`It gets events of ${workspace.name} from now on, as far as you may read them. When you leave the workspace, nothing more is sent.`}
    >
      <section className="card">
        <EndpointForm
          submit="Add endpoint"
          busy="Adding…"
          onSubmit={create}
          actions={<ButtonLink to="/settings/webhooks">Cancel</ButtonLink>}
        />
      </section>
    </Page>
  );
}

function Made({ endpoint: { id, url, secret } }: { endpoint: EndpointWithSecret }) {
  useEffect(focusPageTitle, []);
  return (
    <Page title="The endpoint is ready" intro={<span className="host">{url}</span>}>
      <Card title="Its secret" intro="Your receiver checks with it that a request comes from this service.">
        <Secret secret={secret} />
      </Card>
      <Snippets />
      <div>
        <ButtonLink to={`/settings/webhooks/${id}`} kind="primary">
          I have stored it
        </ButtonLink>
      </div>
    </Page>
  );
}
