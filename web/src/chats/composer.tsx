import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type Ref, useId } from 'react';
import { Link } from 'react-router';
import { serviceInfoQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { MessageArea } from '../ui/message-area.tsx';

/** Says that no model answers, and how to have one. */
export function BuiltInEngine() {
  const service = useQuery(serviceInfoQuery);
  if (service.data?.hasModel !== false) return null;
  return (
    <details className="engine-note">
      <summary>The built-in engine answers here, not a language model.</summary>
      <p>
        It follows plain requests in English about todos, lists, agents and captures, such as “Create a todo: call the
        bank tomorrow, urgent”. The operator of this service connects a model with the settings AI_PROVIDER and
        AI_MODEL.
      </p>
    </details>
  );
}

interface ComposerProps {
  ref: Ref<HTMLTextAreaElement>;
  text: string;
  write: (text: string) => void;
  isWorking: boolean;
  /** Approvals that the next message replaces. */
  approvals: number;
  send: (text: string) => void;
}

/** The field of the next message: sent at once, or queued while the agent works. */
export function Composer({ ref, text, write, isWorking, approvals, send }: ComposerProps) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    send(text.trim());
    write('');
  };
  return (
    <form className="composer" aria-label="Next message" onSubmit={submit}>
      {approvals > 0 && (
        <p id={id} className="composer-note">
          Answering in words replaces the {approvals === 1 ? 'open approval' : `${approvals} open approvals`}.
        </p>
      )}
      <div className="composer-line">
        <MessageArea
          ref={ref}
          label="Message"
          isLabelHidden
          value={text}
          onChange={write}
          describedBy={approvals > 0 ? id : undefined}
        />
        <Button type="submit" kind="primary">
          {isWorking ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

/** In place of the composer: nothing can be sent to an archived chat. */
export function ArchivedNote({ isBusy, restore }: { isBusy: boolean; restore: () => void }) {
  return (
    <div className="callout warn">
      <div>
        <p className="callout-title">This chat is archived.</p>
        <p>
          Restore it to write in it, or start <Link to="/chats">a new chat</Link>.
        </p>
        <Button isBusy={isBusy} onPress={restore}>
          Restore
        </Button>
      </div>
    </div>
  );
}
