import { ChoiceField, DaysField, TypedField } from './fields.tsx';
import type { ScheduleValues } from './request.ts';

interface FormsProps {
  values: ScheduleValues;
  change: (changes: Partial<ScheduleValues>) => void;
}

const units = [
  ['hour', 'hours'],
  ['day', 'days'],
  ['weekday', 'weekday, Monday to Friday'],
  ['week', 'weeks'],
  ['month', 'months'],
  ['year', 'years'],
] as const;
const dates = Array.from({ length: 31 }, (_, place) => String(place + 1));
const datesOfMonth = [...dates.map((date) => [date, date] as const), ['-1', 'Last day'] as const];
const ends = [
  ['never', 'Never'],
  ['until', 'After a day'],
  ['count', 'After a number of times'],
] as const;

/** The form “Every…”. */
export function EveryForm({ values, change }: FormsProps) {
  const { unit, interval, on, dayOfMonth, at } = values;
  return (
    <div className="todo-fields">
      {unit !== 'weekday' && (
        <TypedField
          name="schedule.interval"
          label="Every"
          type="number"
          max={1000}
          value={interval}
          onChange={(value) => change({ interval: value })}
        />
      )}
      <ChoiceField
        name="schedule.every"
        label={unit === 'weekday' ? 'Every' : 'Unit'}
        value={unit}
        options={units}
        onChange={(value) => change({ unit: value as ScheduleValues['unit'] })}
      />
      {unit === 'month' && (
        <ChoiceField
          name="schedule.dayOfMonth"
          label="Day of the month"
          value={dayOfMonth}
          options={datesOfMonth}
          onChange={(value) => change({ dayOfMonth: value })}
        />
      )}
      {unit !== 'hour' && (
        <TypedField
          name="schedule.at"
          label="Time"
          type="time"
          value={at}
          onChange={(value) => change({ at: value })}
        />
      )}
      {(unit === 'week' || unit === 'hour') && <DaysField value={on} onChange={(value) => change({ on: value })} />}
      <EndFields values={values} change={change} />
    </div>
  );
}

function EndFields({ values, change }: FormsProps) {
  return (
    <>
      <ChoiceField
        name="schedule.ends"
        label="Ends"
        value={values.ends}
        options={ends}
        onChange={(value) => change({ ends: value as ScheduleValues['ends'] })}
      />
      {values.ends === 'until' && (
        <TypedField
          name="schedule.until"
          label="Last day"
          type="date"
          value={values.until}
          onChange={(until) => change({ until })}
        />
      )}
      {values.ends === 'count' && (
        <TypedField
          name="schedule.count"
          label="Times"
          hint="Counted from now on."
          type="number"
          max={10_000}
          value={values.count}
          onChange={(count) => change({ count })}
        />
      )}
    </>
  );
}

/** The form “On these dates”: a rule of RFC 5545. */
export function RuleForm({ values, change }: FormsProps) {
  return (
    <>
      <TypedField
        name="schedule.rrule"
        label="Rule"
        hint="RFC 5545, such as FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0 for the last Friday of each month."
        type="text"
        max={600}
        value={values.rrule}
        onChange={(rrule) => change({ rrule })}
      />
      <TypedField
        name="schedule.startAt"
        label="Not before (optional)"
        {...(/COUNT=/i.test(values.rrule) && { hint: 'COUNT counts from here on, without the times before.' })}
        type="datetime-local"
        value={values.startAt}
        onChange={(startAt) => change({ startAt })}
      />
    </>
  );
}

/** The form “Once”. */
export function OnceForm({ values, change }: FormsProps) {
  return (
    <TypedField
      name="schedule.runAt"
      label="Date and time"
      type="datetime-local"
      value={values.runAt}
      onChange={(runAt) => change({ runAt })}
    />
  );
}
