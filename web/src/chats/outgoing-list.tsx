import { Button } from '../ui/button.tsx';
import { UsageLink } from '../ui/form-errors.tsx';
import type { Outbox, Outgoing } from './outbox.ts';

interface OutgoingListProps {
  outbox: Outbox;
  outgoing: readonly Outgoing[];
  isWorking: boolean;
  /** Takes a text back into the field; null where the chat is gone: there is none, and nothing can be sent. */
  edit: ((text: string) => void) | null;
  /** Stops the agent, so that a message can be sent. */
  stop: () => void;
  /** Where the focus goes when a button disappears. */
  focusField: () => void;
}

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });

function stateText({ state, problem, retryAt, sentAt }: Outgoing, isWorking: boolean): string {
  if (state === 'refused') return sentAt ? `${problem}` : `Not sent: ${problem}`;
  if (state === 'waiting' && isWorking) return 'Queued until this turn ends';
  if (problem !== null && retryAt) return `${problem} It is sent again by itself at ${clock.format(retryAt)}.`;
  if (state === 'waiting') return 'Queued: not sent yet';
  return problem === null ? 'Sending…' : `${problem} It is tried again by itself.`;
}

/** The messages that the service does not have yet, and what can be done with each. */
export function OutgoingList({ outbox, outgoing, isWorking, edit, stop, focusField }: OutgoingListProps) {
  if (outgoing.length === 0) return null;
  return (
    <ul className="outgoing" aria-label="Queued messages">
      {outgoing.map((each, place) => {
        const { key, text, state, retryAt } = each;
        const canChange = state === 'waiting' || state === 'refused';
        const take = (use: (taken: string) => void) => {
          const taken = outbox.withdraw(key);
          if (taken !== undefined) use(taken);
          focusField();
        };
        const sendNow = () => {
          outbox.release(key);
          if (isWorking) stop();
          focusField();
        };
        return (
          <li key={key} className="outgoing-message">
            <p className="text">{text}</p>
            <p className={state === 'refused' ? 'step-failed' : 'muted'} role="status">
              {stateText(each, isWorking)} <UsageLink status={each.status} />
            </p>
            {canChange && (
              <div className="outgoing-actions">
                {edit && place === 0 && !retryAt && (
                  <Button kind="quiet" onPress={sendNow}>
                    {isWorking ? 'Stop and send now' : 'Send now'}
                  </Button>
                )}
                {edit && (
                  <Button kind="quiet" onPress={() => take(edit)}>
                    Edit
                  </Button>
                )}
                <Button kind="danger-quiet" onPress={() => take(() => {})}>
                  Withdraw
                </Button>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
