import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIdentity } from '../../session/session.ts';
import { Loaded } from '../../ui/card.tsx';
import { Ago } from '../../ui/time.tsx';
import { type Attempt, type Delivery, deliveryQuery } from './queries.ts';

/** The requests and answers of a delivery, read when they are opened. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="attempts" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Request and answer<span className="visually-hidden"> of {delivery.type}</span>
      </summary>
      {isOpen && <Shown delivery={delivery} />}
    </details>
  );
}

function Shown({ delivery }: { delivery: Delivery }) {
  const { workspace } = useIdentity();
  const whole = useQuery(deliveryQuery(workspace.id, delivery));
  return (
    <Loaded query={whole} what="the requests">
      {({ attempts }) => (
        <ol className="attempt-list">
          {attempts.toReversed().map((attempt) => (
            <li key={attempt.id}>
              <AttemptShown attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

function AttemptShown({ attempt }: { attempt: Attempt }) {
  const { sentAt, durationMs, request, response, error } = attempt;
  return (
    <>
      <p>
        Sent <Ago at={sentAt} />, {response === null ? error : `answered ${response.status}`} after {durationMs} ms
      </p>
      <div className="exchange">
        <section aria-label="Request">
          <h3>Request</h3>
          <pre className="wire">{`POST ${request.url}\n${headersOf(request.headers)}\n\n${request.body}`}</pre>
        </section>
        <section aria-label="Answer">
          <h3>Answer</h3>
          <pre className="wire">
            {response === null
              ? `There was none: ${error}`
              : `${response.status}\n${headersOf(response.headers)}\n\n${response.body}`}
          </pre>
        </section>
      </div>
    </>
  );
}

function headersOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
