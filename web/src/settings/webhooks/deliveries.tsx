import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, problemOf } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIdentity } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Empty, Loaded } from '../../ui/card.tsx';
import { SelectField } from '../../ui/choices.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { Badge, OlderRows, Row, Rows } from '../../ui/rows.tsx';
import { Ago } from '../../ui/time.tsx';
import { Attempts } from './attempts.tsx';
import { type Delivery, type DeliveryStatus, deliveriesQuery, type Endpoint, webhooksKey } from './queries.ts';
import { SendAgainSince } from './send-again-since.tsx';

const shown: Record<DeliveryStatus, { label: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  pending: { label: 'Waiting', tone: 'warn' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'plain' },
};
const anyStatus = 'any';
const statuses = [{ id: anyStatus, label: 'All' }, ...Object.entries(shown).map(([id, { label }]) => ({ id, label }))];

/** What was sent to an endpoint, newest first, and what was answered. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const { workspace } = useIdentity();
  const [status, setStatus] = useState<DeliveryStatus | null>(null);
  const deliveries = useInfiniteQuery(deliveriesQuery(workspace.id, endpoint.id, status));
  const rows = deliveries.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card
      title="Deliveries"
      intro="Each event that was sent, or waits to be."
      actions={
        <SelectField
          label="Show"
          options={statuses}
          value={status ?? anyStatus}
          onChange={(id) => setStatus(id === anyStatus ? null : (id as DeliveryStatus))}
        />
      }
    >
      <Loaded query={deliveries} what="the deliveries">
        {() =>
          rows.length === 0 ? (
            <Empty title={status === null ? 'Nothing was sent yet' : 'None with this status'}>
              {status === null && 'Send a test, or wait until something happens in the workspace.'}
            </Empty>
          ) : (
            <Rows label="Deliveries">
              {rows.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} isEnabled={endpoint.enabled} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      <OlderRows query={deliveries} />
      {endpoint.enabled && (
        <div className="send-again">
          <SendAgainSince endpointId={endpoint.id} />
        </div>
      )}
    </Card>
  );
}

function answerOf({ lastAttempt }: Delivery): string {
  if (lastAttempt === null) return 'Not sent yet';
  const { response, error, durationMs } = lastAttempt;
  return `${response === null ? (error ?? 'No answer') : `Answered ${response.status}`} in ${durationMs} ms`;
}

function DeliveryRow({ delivery, isEnabled }: { delivery: Delivery; isEnabled: boolean }) {
  const { id: deliveryId, endpointId, type, status, tries, createdAt, nextTryAt, lastAttempt } = delivery;
  const queryClient = useQueryClient();
  const notify = useNotice();
  const { label, tone } = shown[status];
  const sending = useMutation({
    mutationFn: () => api.webhookEndpoints.redeliver.mutate({ endpointId, deliveryId }),
    onSuccess: async () => {
      await readAgain(queryClient, webhooksKey);
      notify(`${type} is sent again.`);
    },
    onError: (error) => notify(problemOf(error).message),
  });
  return (
    <Row
      title={type}
      badges={<Badge tone={tone}>{label}</Badge>}
      detail={
        <>
          <p>
            <Ago at={createdAt} /> · {answerOf(delivery)}
            {tries > 1 && ` · ${tries} tries`}
            {nextTryAt !== null && tries > 0 && (
              <>
                {' '}
                · Next try <Ago at={nextTryAt} />
              </>
            )}
          </p>
          {lastAttempt !== null && <Attempts delivery={delivery} />}
        </>
      }
      actions={
        isEnabled && (
          <Button
            kind="quiet"
            aria-label={`Send again: ${type}`}
            isBusy={sending.isPending}
            onPress={() => sending.mutate()}
          >
            Send again
          </Button>
        )
      }
    />
  );
}
