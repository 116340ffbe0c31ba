import { useEffect, useRef } from 'react';
import { ProblemError } from '../api/problem.ts';
import { fieldOf } from '../outbox/merge.ts';
import { SchedulePreview } from '../quick-add/schedule-preview.tsx';
import { useIdentity } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import type { Fields } from '../ui/form-errors.tsx';
import { useNotice } from '../ui/notice.tsx';
import { clockNotes } from './clock-changes.ts';
import { isSame, type ScheduleDraft } from './draft.ts';
import { ChoiceField } from './fields.tsx';
import { EveryForm, OnceForm, RuleForm } from './forms.tsx';
import { requestOf, type ScheduleValues, type StoredSchedule, storedOf } from './request.ts';

/** The change of a todo that sets, ends or pauses its schedule. */
export type ScheduleChange = {
  schedule?: ReturnType<typeof requestOf>;
  schedulePaused?: boolean;
};

/** Sends a change that was made of `base`, and returns what is stored; null where it was not. @throws ProblemError. */
export type SubmitSchedule = (change: ScheduleChange, base: StoredSchedule) => Promise<StoredSchedule | null>;

interface EditorProps {
  /** What is stored by now. */
  stored: StoredSchedule;
  draft: ScheduleDraft;
  typed: NonNullable<ScheduleDraft['typed']>;
  submit: SubmitSchedule;
}

const forms = { every: EveryForm, rrule: RuleForm, once: OnceForm };
const formNames = [
  ['every', 'Every…'],
  ['rrule', 'On these dates'],
  ['once', 'Once'],
] as const;

const labels: Record<string, string> = {
  every: 'The unit',
  interval: 'The interval',
  dayOfMonth: 'The day',
  at: 'The time',
  startAt: 'The start',
  timezone: 'The time zone',
};

/** The fields that a form cannot do without, with what they are called. */
function requiredOf({ form, ends }: ScheduleValues): Record<string, { label: string; required: string }> {
  if (form === 'rrule') return { rrule: { label: 'Rule', required: 'Enter a rule' } };
  if (form === 'once') return { runAt: { label: 'Date and time', required: 'Enter the date and the time' } };
  if (ends === 'until') return { until: { label: 'Last day', required: 'Enter the last day' } };
  return ends === 'count' ? { count: { label: 'Times', required: 'Enter how many times' } } : {};
}

function fieldsOf(values: ScheduleValues): Fields {
  const optional = Object.entries(labels).map(([name, label]) => [name, { label }] as const);
  const all = [...optional, ...Object.entries(requiredOf(values))];
  return Object.fromEntries(all.map(([name, field]) => [`schedule.${name}`, field]));
}

/** States of a schedule in which it has times before it, or will again. */
const planned: readonly StoredSchedule['scheduleStatus'][] = ['pending', 'queued', 'disabled'];

/** Whether nobody else has changed the schedule. */
function isUnchanged(stored: StoredSchedule, base: StoredSchedule): boolean {
  return JSON.stringify(fieldOf(stored, 'schedule')) === JSON.stringify(fieldOf(base, 'schedule'));
}

function incomplete(): ProblemError {
  const message = 'The date or the time is incomplete. Enter all of its parts.';
  return new ProblemError({ status: 400, code: 'validation_failed', message, retryable: false, errors: [] });
}

/**
 * Edits a schedule in one of its three forms. What is typed is shown in words, with its next times, before it is saved.
 */
export function ScheduleEditor({ stored, draft, typed, submit }: EditorProps) {
  const { workspace } = useIdentity();
  const notify = useNotice();
  const { values, begun, base } = typed;
  const change = (changes: Partial<ScheduleValues>) => draft.write({ base, begun, values: { ...values, ...changes } });
  // Sent again, it would begin anew: count its times from now.
  const isStored = planned.includes(stored.scheduleStatus) && isSame(values, begun) && isUnchanged(stored, base);
  const save = async () => {
    const schedule = requestOf(values);
    if (!isStored && schedule === null) throw incomplete();
    const saved = isStored ? base : await submit({ schedule }, base);
    if (saved && draft.saved(values, storedOf(saved))) notify('The schedule is saved.');
  };
  const Shown = forms[values.form];
  return (
    <Form
      fields={isStored ? {} : fieldsOf(values)}
      submit="Save schedule"
      busy="Saving…"
      label="Schedule"
      onSubmit={save}
      actions={<Button onPress={draft.clear}>Cancel</Button>}
    >
      {typed.isRestored && <p className="callout warn">This schedule is not saved yet. You typed it before.</p>}
      <FormChoice value={values.form} isFocused={!typed.isRestored} onChange={(form) => change({ form })} />
      <Shown values={values} change={change} />
      <ZoneField value={values.timezone} onChange={(timezone) => change({ timezone })} />
      <SchedulePreview
        workspaceId={workspace.id}
        schedule={requestOf(values)}
        times={5}
        notesOf={(preview) => clockNotes(preview, Date.now())}
      />
    </Form>
  );
}

interface FormChoiceProps {
  value: ScheduleValues['form'];
  /** When it is first shown: the button that opened the editor is gone then. */
  isFocused: boolean;
  onChange: (form: ScheduleValues['form']) => void;
}

function FormChoice({ value, isFocused, onChange }: FormChoiceProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const focuses = useRef(isFocused);
  useEffect(() => {
    if (focuses.current) group.current?.querySelector<HTMLElement>(':checked')?.focus();
    focuses.current = false;
  }, []);
  return (
    <fieldset className="schedule-forms" ref={group}>
      <legend>The todo is due</legend>
      {formNames.map(([form, name]) => (
        <label key={form}>
          <input type="radio" name="form" value={form} checked={value === form} onChange={() => onChange(form)} />{' '}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function ZoneField({ value, onChange }: { value: string; onChange: (timezone: string) => void }) {
  const names = [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])].sort();
  const options = names.map((name) => [name, name.replaceAll('_', ' ')] as const);
  return <ChoiceField name="schedule.timezone" label="Time zone" value={value} options={options} onChange={onChange} />;
}
