import { useEffect } from 'react';
import type { Agent } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/typed-ahead.tsx';
import { type Chat, isWorking } from './queries.ts';
import { StatusBadge } from './status.tsx';
import { queuedReason } from './working-hours.ts';

interface TurnStateProps {
  chat: Chat;
  agent: Agent | undefined;
  isStopping: boolean;
  /** Whether live text cannot be received. */
  isStreamLost: boolean;
  stop: () => void;
  /** Where the focus goes when a button disappears. */
  focusField: () => void;
  tryAgain: () => void;
}

/** Open dialogs and menus take Escape for themselves. */
const overlays = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** The state of the turn, announced when it changes, with its reason and what can be done: stop it, or try again. */
export function TurnState({ chat, agent, isStopping, isStreamLost, stop, focusField, tryAgain }: TurnStateProps) {
  const { status, errorMessage } = chat;
  const canStop = isWorking(status);
  useEffect(() => {
    if (!canStop) return;
    const press = (event: KeyboardEvent) => {
      const isTaken = event.defaultPrevented || isComposing(event) || document.querySelector(overlays) !== null;
      if (event.key === 'Escape' && !isTaken) stop();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [canStop, stop]);
  return (
    <div className="turn-state">
      <div role="status">
        <StatusBadge status={status} />
        {status === 'queued' && <p className="muted">{queuedReason(agent, new Date())}</p>}
        {status === 'failed' && errorMessage !== null && <p className="step-failed">{errorMessage}</p>}
        {canStop && isStreamLost && (
          <p className="muted">Text cannot be shown as it is written: the connection is lost again and again.</p>
        )}
      </div>
      {canStop && (
        <Button
          isBusy={isStopping}
          title="Stop: Esc"
          onPress={() => {
            stop();
            focusField();
          }}
        >
          {isStopping ? 'Stopping…' : 'Stop'}
        </Button>
      )}
      {status === 'failed' && !chat.isArchived && <Button onPress={tryAgain}>Try again</Button>}
    </div>
  );
}
