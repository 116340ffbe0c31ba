import { Badge } from '../../ui/rows.tsx';
import { Ago } from '../../ui/time.tsx';
import type { Endpoint } from './queries.ts';

const reasons: Record<NonNullable<Endpoint['disabledReason']>, string> = {
  gone: 'It answered 410 Gone: whoever runs it wants no more events.',
  failing: 'No delivery succeeded for five days.',
  rights_ended: 'The person or the API key it belonged to may no longer read the events.',
};

/** Why an endpoint is disabled, as a sentence. */
export function reasonOf({ disabledReason }: Endpoint): string {
  return disabledReason === null ? 'A person switched it off.' : reasons[disabledReason];
}

/** Whether an endpoint gets events, as a badge. */
export function EndpointBadge({ endpoint: { enabled, failingSince } }: { endpoint: Endpoint }) {
  if (!enabled) return <Badge tone="bad">Disabled</Badge>;
  if (failingSince !== null) return <Badge tone="warn">Failing</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}

/** What is wrong with an endpoint, in sentences; null when nothing is. */
export function EndpointProblem({ endpoint }: { endpoint: Endpoint }) {
  const { enabled, disabledAt, failingSince } = endpoint;
  if (!enabled) {
    return (
      <div className="callout warn">
        <div>
          <p className="callout-title">
            Disabled {disabledAt !== null && <Ago at={disabledAt} />}: nothing is sent to this address.
          </p>
          <p>
            {reasonOf(endpoint)} What waited was cancelled. When you enable it, you are its owner, and it gets the
            events from then on.
          </p>
        </div>
      </div>
    );
  }
  if (failingSince === null) return null;
  return (
    <div className="callout warn">
      <div>
        <p className="callout-title">
          Deliveries have failed since <Ago at={failingSince} />.
        </p>
        <p>They are tried again. After five days without a success the endpoint is disabled.</p>
      </div>
    </div>
  );
}
