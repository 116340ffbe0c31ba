import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../ui/button.tsx';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { returnFocus } from '../ui/returned-focus.ts';
import { Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { noneAhead, type TypedAhead } from '../ui/typed-ahead.tsx';
import type { Snooze } from './queries.ts';
import { controlBeside } from './use-rows.ts';
import { type SnoozeSubject, useSnoozing } from './use-snoozing.ts';

const SnoozeDialog = lazyOverlay(() => import('./snooze-dialog.tsx').then(({ SnoozeDialog }) => SnoozeDialog));

const AskContext = createContext<(subject: SnoozeSubject) => void>(() => {});

/** Has rows of the inbox put off: a function that asks until when, and the dialog in which it asks. */
export function SnoozeProvider({ children }: { children: ReactNode }) {
  const { putOff } = useSnoozing();
  const [asked, setAsked] = useState<{ subject: SnoozeSubject; ahead: TypedAhead } | null>(null);
  const ask = useCallback((subject: SnoozeSubject) => setAsked({ subject, ahead: { ...noneAhead } }), []);
  const close = () => setAsked(null);
  return (
    <AskContext value={ask}>
      {children}
      {asked && (
        <SnoozeDialog
          {...asked}
          putOff={(until, words) => {
            const next = controlBeside(asked.subject.subjectId);
            // What is closed gives the focus back to the row, which leaves.
            flushSync(close);
            returnFocus(next);
            void putOff(asked.subject, until, words);
          }}
          close={close}
        />
      )}
    </AskContext>
  );
}

/** What a row offers to be put off: an action of its keys, and its button. */
export function useSnooze(subject: SnoozeSubject) {
  const ask = useContext(AskContext);
  const { subjectType, subjectId, name } = subject;
  return useMemo(() => {
    const snooze = () => ask({ subjectType, subjectId, name });
    const button = (
      <Button kind="quiet" aria-label={`Snooze: ${name}`} aria-haspopup="dialog" onPress={snooze}>
        Snooze
      </Button>
    );
    return { snooze, button };
  }, [ask, subjectType, subjectId, name]);
}

interface SnoozedProps {
  /** What is put off and would be in the inbox, what comes back first before the others. */
  rows: readonly { snooze: Snooze; name: string }[];
}

/** What is put off, with a way back for each; nothing where there is none. */
export function Snoozed({ rows }: SnoozedProps) {
  const { bringBack } = useSnoozing();
  if (rows.length === 0) return null;
  return (
    <section className="inbox-part" aria-labelledby="snoozed">
      <h2 id="snoozed">Snoozed</h2>
      <div className="card">
        <Rows label="Snoozed">
          {rows.map(({ snooze, name }) => (
            <Row
              key={snooze.id}
              rowId={snooze.id}
              title={name}
              facts={[
                <span key="at">
                  Back <Ago at={snooze.until} />
                </span>,
              ]}
              actions={
                <Button kind="quiet" aria-label={`Bring back: ${name}`} onPress={() => void bringBack(snooze, name)}>
                  Bring back
                </Button>
              }
            />
          ))}
        </Rows>
      </div>
    </section>
  );
}
