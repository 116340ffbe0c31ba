import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { problemOf } from '../api/client.ts';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Labelled } from '../ui/fields.tsx';
import { Icon } from '../ui/icons.tsx';
import { useNotice } from '../ui/notice.tsx';
import type { PartProps } from './agent-text.tsx';
import { useDraft } from './draft.ts';
import { faultOf, type Hours, hoursInWords, standardHours, weekdays, withDay } from './hours.ts';
import { HoursGrid } from './hours-grid.tsx';
import { type Agent, isSame } from './merge.ts';

type Value = Pick<Agent, 'workingHoursEnabled' | 'workingHours'>;

const midnight = '24:00';

function inWords({ workingHoursEnabled, workingHours }: Value): string {
  return workingHoursEnabled && workingHours ? hoursInWords(workingHours) : 'at any time';
}

/** Part of the page of an agent: when scheduled and assigned work may start. */
export function WorkingHours({ agent, save }: PartProps) {
  const { workspace } = useIdentity();
  const notify = useNotice();
  const first = useRef<HTMLInputElement>(null);
  const draft = useDraft<Value>(`agent.${agent.id}.hours`);
  const { typed } = draft;
  const { workingHoursEnabled, workingHours } = agent;
  const current: Value = { workingHoursEnabled, workingHours };
  const value = typed?.value ?? current;
  const hours = value.workingHours ?? standardHours(workspace.timezone);
  const isChanged = typed !== null && !isSame(value, current);
  const isStale = isChanged && !isSame(typed.base, current);
  const fault = value.workingHoursEnabled ? faultOf(hours) : null;
  const saving = useMutation({
    mutationFn: async () => ({ value, conflicts: await save(value, typed?.base ?? current) }),
    onSuccess: ({ value: stored, conflicts }) => {
      if (conflicts.length > 0) return;
      draft.saved(stored);
      notify(`The working hours are saved: ${inWords(stored)}.`);
    },
  });
  const write = (next: Value) => {
    saving.reset();
    draft.write(next, current);
  };
  const change = (next: Hours) => write({ ...value, workingHours: next });
  const settle = (act: () => void) => {
    act();
    saving.reset();
    first.current?.focus();
  };
  return (
    <Card
      title="Working hours"
      intro="Outside of them, work that a schedule or an assignment starts waits. What a person starts begins at once."
    >
      <label className="native-choice">
        <input
          ref={first}
          type="checkbox"
          checked={value.workingHoursEnabled}
          onChange={({ target }) => write({ workingHoursEnabled: target.checked, workingHours: hours })}
        />
        Only at these hours
      </label>
      {isStale && (
        <div className="callout warn" role="status">
          <div>
            <p className="callout-title">Somebody else changed the hours since you began. Yours are not saved.</p>
            <p>Theirs: {inWords(current)}</p>
            <div className="form-actions">
              <Button onPress={() => settle(() => draft.rebase(current))}>Keep yours</Button>
              <Button onPress={() => settle(draft.clear)}>Take theirs</Button>
            </div>
          </div>
        </div>
      )}
      {value.workingHoursEnabled && <Fields hours={hours} change={change} />}
      <p role="status">{fault === null ? `It works: ${inWords({ ...value, workingHours: hours })}.` : fault}</p>
      {saving.error && (
        <p className="callout danger" role="alert">
          <Icon name="warning" />
          <span>{problemOf(saving.error).message}</span>
        </p>
      )}
      <div className="form-actions">
        <Button
          kind="primary"
          isBusy={saving.isPending}
          onPress={() => isChanged && !isStale && fault === null && saving.mutate()}
        >
          {saving.isPending ? 'Saving…' : 'Save hours'}
        </Button>
        {isChanged && <Button onPress={() => settle(draft.clear)}>Discard</Button>}
      </div>
    </Card>
  );
}

function Fields({ hours, change }: { hours: Hours; change: (hours: Hours) => void }) {
  const { timezone, days, start, end } = hours;
  const zones = [...new Set(['UTC', timezone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <>
      <fieldset className="day-boxes">
        <legend>Days</legend>
        {weekdays.map(({ id, name }) => (
          <label key={id} className="native-choice">
            <input type="checkbox" checked={days.includes(id)} onChange={() => change(withDay(hours, id))} />
            {name}
          </label>
        ))}
      </fieldset>
      <div className="todo-fields">
        <Labelled label="From">
          {(id) => (
            <input
              id={id}
              type="time"
              className="input"
              value={start}
              onChange={({ target }) => change({ ...hours, start: target.value })}
            />
          )}
        </Labelled>
        <Labelled label="To (00:00 is midnight)">
          {(id) => (
            <input
              id={id}
              type="time"
              className="input"
              value={end === midnight ? '00:00' : end}
              onChange={({ target }) => change({ ...hours, end: target.value === '00:00' ? midnight : target.value })}
            />
          )}
        </Labelled>
        <Labelled label="Time zone">
          {(id) => (
            <select
              id={id}
              className="input"
              value={timezone}
              onChange={({ target }) => change({ ...hours, timezone: target.value })}
            >
              {zones.map((zone) => (
                <option key={zone} value={zone}>
                  {zone.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      </div>
      <p className="muted small">
        In the week below, a press or Space switches a day. Drag, or hold Shift with the arrow keys, to set the hours.
      </p>
      <HoursGrid hours={hours} onChange={change} />
    </>
  );
}
