import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Ago } from '../../ui/time.tsx';
import { type Endpoint, webhooksKey } from './queries.ts';
import { Secret } from './secret.tsx';

/** Gives an endpoint a new secret, which is shown here once. */
export function EndpointSecret({ endpoint: { id: endpointId, previousSecretExpiresAt } }: { endpoint: Endpoint }) {
  const queryClient = useQueryClient();
  const notify = useNotice();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    const rotated = await api.webhookEndpoints.rotateSecret.mutate({ endpointId });
    setSecret(rotated.secret);
    await readAgain(queryClient, webhooksKey);
    notify('The new secret is shown in the part “Secret” of this page.');
  };
  return (
    <Card
      title="Secret"
      intro={
        previousSecretExpiresAt === null ? (
          'Your receiver checks with it that a request comes from this service.'
        ) : (
          <>
            Requests are signed with the previous secret too. That ends <Ago at={previousSecretExpiresAt} />.
          </>
        )
      }
      actions={
        <ConfirmButton
          label="New secret"
          title="Give this endpoint a new secret?"
          confirm="New secret"
          busy="Changing…"
          onConfirm={rotate}
        >
          <p>For 24 hours requests are signed with both, so that you can change your receiver meanwhile.</p>
        </ConfirmButton>
      }
    >
      {secret !== null && <Secret secret={secret} />}
    </Card>
  );
}
