import type { EndpointClaim } from '../../../domain/webhooks/sending.ts';
import { leasesOf } from '../queue/leases.ts';

/**
 * The endpoints that have deliveries to be sent. The endpoint is the job, not the delivery: however many wait for one
 * that does not answer, it holds one place among the jobs, and no other process sends to it at the same time.
 */
export const webhookLeases = leasesOf<EndpointClaim>({
  name: 'webhook_endpoints',
  key: [{ column: 'id', type: 'uuid', property: 'endpointId' }],
  due: 'due_at',
  attempt: 'attempt',
  open: 't.due_at is not null',
  // A row that was given back has the same number and may be due again: a renewal that comes late must not lease it.
  held: 't.is_leased',
  onClaim: 'is_leased = true',
  onRelease: 'is_leased = false',
  columns: 't.id as "endpointId", t.ordered',
  notifies: 'webhooks',
});
