import { Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { isReturn } from '../navigation/history.ts';
import type { Base, Change, Todo } from '../outbox/merge.ts';
import { begin, type ScheduleDraft } from '../schedule/draft.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, Pending } from '../ui/card.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import type { Save } from './opened.ts';

const ScheduleCard = lazyPart(() => import('../schedule/schedule-card.tsx').then(({ ScheduleCard }) => ScheduleCard));

interface ScheduleSectionProps {
  todo: Todo;
  draft: ScheduleDraft;
  save: Save;
  submit: (change: Change, base: Base) => Promise<Todo | null>;
}

function focusAssignees(): void {
  document.querySelector<HTMLElement>('.assignees:not(.labels) input')?.focus();
}

/**
 * The schedule of a todo, or the way to one; the address leads here where it ends in `#schedule`: its code is loaded
 * when there is a schedule or a draft of one.
 */
export function ScheduleSection({ todo, draft, save, submit }: ScheduleSectionProps) {
  const { workspace } = useIdentity();
  const add = useRef<HTMLButtonElement>(null);
  const isEmpty = todo.scheduleType === null && draft.typed === null;
  const wasEmpty = useRef(isEmpty);
  useEffect(() => {
    // The button that cancelled the editor or removed the schedule is gone.
    if (isEmpty && !wasEmpty.current && document.activeElement === document.body) add.current?.focus();
    wasEmpty.current = isEmpty;
  }, [isEmpty]);
  const part = useRef<HTMLElement>(null);
  const { hash, key } = useLocation();
  useEffect(() => {
    if (hash !== '#schedule' || isReturn(key)) return;
    // What is above is read first: until then this is not visible, and takes no focus.
    let tries = 60;
    const timer = setInterval(() => {
      const target = add.current ?? part.current;
      const isElsewhere = document.activeElement?.matches('body, h1, :root') === false;
      if (!isElsewhere) target?.focus();
      if (isElsewhere || document.activeElement === target || --tries === 0) clearInterval(timer);
    }, 100);
    return () => clearInterval(timer);
  }, [hash, key]);
  if (!isEmpty) {
    return (
      <section ref={part} tabIndex={-1} className="schedule-part" aria-label="Schedule of the todo">
        <Suspense fallback={<Pending what="the schedule" isPaused={false} />}>
          <ScheduleCard todo={todo} draft={draft} save={save} submit={submit} assign={focusAssignees} />
        </Suspense>
      </section>
    );
  }
  if (todo.isArchived) return null;
  const open = () => draft.write(begin(todo, workspace.timezone));
  return (
    <Card
      title="Schedule"
      actions={
        <Button ref={add} onPress={open}>
          Add a schedule
        </Button>
      }
    >
      <p className="muted">
        Nothing is planned. At its times, a schedule starts the assigned agent and notifies people.
      </p>
    </Card>
  );
}
