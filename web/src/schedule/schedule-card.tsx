import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { NextTimes, previewQuery } from '../quick-add/schedule-preview.tsx';
import { useIdentity } from '../session/session.ts';
import type { Todo } from '../todo-common/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { useNotice } from '../ui/notice.tsx';
import { Badge } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { clockNotes } from './clock-changes.ts';
import { begin, type ScheduleDraft } from './draft.ts';
import { type ScheduleChange, ScheduleEditor, type SubmitSchedule } from './editor.tsx';
import { ErrorCallout } from './error-callout.tsx';
import { Occurrences } from './occurrences.tsx';
import { type StoredSchedule, storedRequest } from './request.ts';

export interface ScheduleCardProps {
  todo: Todo;
  draft: ScheduleDraft;
  submit: SubmitSchedule;
  /** Saves a change and shows its error as a notice. */
  save: (change: ScheduleChange, base: StoredSchedule) => Promise<boolean>;
  /** Leads to the choice of assignees. */
  assign: () => void;
}

/**
 * The schedule of a todo, or the editor of one: how it repeats, its next times, its pause, its error and what became of
 * each time.
 */
export function ScheduleCard({ todo, draft, submit, save, assign }: ScheduleCardProps) {
  const { workspace } = useIdentity();
  const { typed } = draft;
  const hasSchedule = todo.scheduleType !== null;
  const card = useRef<HTMLDivElement>(null);
  const isEdited = typed !== null;
  const wasEdited = useRef(isEdited);
  useEffect(() => {
    // The editor is gone, and its buttons with it.
    if (wasEdited.current && !isEdited && document.activeElement === document.body)
      card.current?.querySelector('button')?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  const edit = () => draft.write(begin(todo, workspace.timezone));
  const chatId = todo.latestRun?.chatId ?? null;
  return (
    <div ref={card}>
      <Card title="Schedule" actions={!isEdited && !todo.isArchived && <Button onPress={edit}>Change</Button>}>
        {todo.scheduleError && <ErrorCallout error={todo.scheduleError} chatId={chatId} assign={assign} edit={edit} />}
        {typed && <ScheduleEditor stored={todo} draft={draft} typed={typed} submit={submit} />}
        {hasSchedule && !typed && <Stored todo={todo} submit={submit} save={save} />}
        {hasSchedule && (
          <Occurrences todoId={todo.id} timeZone={todo.timezone ?? workspace.timezone} isOpen={!todo.isArchived} />
        )}
      </Card>
    </div>
  );
}

/** Why no next time is planned; null while there is one. */
function stateOf({ status, isArchived, scheduleStatus }: Todo): string | null {
  if (scheduleStatus === 'completed') return 'All its times are past.';
  if (scheduleStatus === 'queued') return 'It is due, and waits for the working hours of the agent.';
  if (scheduleStatus !== 'disabled') return null;
  if (isArchived) return 'It stops while the todo is archived.';
  return status === 'done' ? 'It stops while the todo is done.' : null;
}

const notified: Partial<Record<NonNullable<Todo['lastNotificationStatus']>, string>> = {
  failed: 'The last time, the notification could not be sent.',
  partial: 'The last time, not everybody could be notified.',
};

function Stored({ todo, submit, save }: Pick<ScheduleCardProps, 'todo' | 'submit' | 'save'>) {
  const { workspace } = useIdentity();
  const { rrule, status, isArchived, scheduleStatus, upcomingRuns, lastRunAt, lastNotificationStatus } = todo;
  const preview = useQuery(previewQuery(workspace.id, storedRequest(todo)));
  const timezone = todo.timezone ?? workspace.timezone;
  const sentence = preview.data?.description ?? (rrule === null ? `Once (${timezone})` : `${rrule} (${timezone})`);
  const state = stateOf(todo);
  const isStopped = status === 'done' || isArchived || scheduleStatus === 'completed';
  const isPaused = scheduleStatus === 'disabled' && !isStopped;
  const warning = lastNotificationStatus === null ? undefined : notified[lastNotificationStatus];
  return (
    <>
      <p>
        {sentence} {isPaused && <Badge tone="warn">Paused</Badge>}
      </p>
      {upcomingRuns.length > 0 && (
        <div className="schedule-preview">
          <NextTimes times={upcomingRuns} timeZone={timezone} />
          {clockNotes({ rrule, timezone, upcomingRuns }, Date.now()).map((note) => (
            <p key={note} className="small">
              {note}
            </p>
          ))}
        </div>
      )}
      {state !== null && <p className="muted">{state}</p>}
      {lastRunAt !== null && (
        <p className="muted small">
          Last time <Ago at={lastRunAt} />
        </p>
      )}
      {warning !== undefined && <p className="callout warn">{warning}</p>}
      {!isArchived && (
        <div className="form-actions">
          {!isStopped && <PauseSwitch todo={todo} isPaused={isPaused} save={save} />}
          <RemoveButton todo={todo} submit={submit} />
        </div>
      )}
    </>
  );
}

interface PauseSwitchProps extends Pick<ScheduleCardProps, 'todo' | 'save'> {
  isPaused: boolean;
}

/** Shows what the service has: it changes once the pause is stored. */
function PauseSwitch({ todo, isPaused, save }: PauseSwitchProps) {
  const notify = useNotice();
  const change = async () => {
    if (await save({ schedulePaused: !isPaused }, todo))
      notify(isPaused ? 'The schedule continues.' : 'The schedule is paused.');
  };
  return (
    <label className="schedule-pause">
      <input type="checkbox" role="switch" aria-checked={isPaused} checked={isPaused} onChange={() => void change()} />{' '}
      Paused
    </label>
  );
}

function RemoveButton({ todo, submit }: Pick<ScheduleCardProps, 'todo' | 'submit'>) {
  const notify = useNotice();
  return (
    <ConfirmButton
      label="Remove"
      about="the schedule"
      title="Remove the schedule?"
      confirm="Remove"
      busy="Removing…"
      onConfirm={async () => {
        if (await submit({ schedule: null }, todo)) notify('The schedule is removed.');
      }}
    >
      <p>The todo stays. Nothing starts at the planned times any more.</p>
    </ConfirmButton>
  );
}
