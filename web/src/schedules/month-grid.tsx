import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { nameOf } from '../todo-common/todo-parts.tsx';
import type { AgendaDay } from './agenda.ts';
import { dayByKey, weeksOf } from './month.ts';
import { clock, dayInWords } from './planned-rows.tsx';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** Times that a day shows; with one more, the last line is their number. */
const maxShown = 3;

interface MonthGridProps {
  /** The day that is chosen; its month is shown. */
  day: string;
  today: string;
  timeZone: string;
  planned: ReadonlyMap<string, AgendaDay>;
  /** Whether all that is planned is read. */
  isRead: boolean;
  labelledBy: string;
  onChoose: (day: string) => void;
}

/**
 * The days of a month as a grid (ARIA APG): one stop of Tab, arrows move by days and weeks, Home and End in a week,
 * Page Up and Page Down by months; Enter, Space and a press choose a day.
 */
export function MonthGrid({ day, today, timeZone, planned, isRead, labelledBy, onChoose }: MonthGridProps) {
  const [focused, setFocused] = useState(day);
  const grid = useRef<HTMLTableElement>(null);
  /** Whether the focus follows: it was in the grid when a key moved it, maybe to a month that was not shown. */
  const follows = useRef(false);
  // Before the browser handles another key: a row that moves in the document loses the focus.
  useLayoutEffect(() => {
    // A key that is pressed before the month of the last one is shown has moved on already.
    if (!follows.current) setFocused(day);
  }, [day]);
  useLayoutEffect(() => {
    if (!follows.current) return;
    // Until its month is shown: the cell of a month around it goes with the month.
    follows.current = focused.slice(0, 7) !== day.slice(0, 7);
    grid.current?.querySelector<HTMLElement>(`[data-day="${focused}"]`)?.focus();
  }, [focused, day]);
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return onChoose(focused);
    }
    const next = dayByKey(event.key, focused);
    if (next === undefined || event.shiftKey) return;
    event.preventDefault();
    // No month before that of today is shown.
    if (next.slice(0, 7) < today.slice(0, 7)) return;
    follows.current = true;
    setFocused(next);
    if (next.slice(0, 7) !== day.slice(0, 7)) onChoose(next);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a calendar is a table and a grid (ARIA APG)
    <table className="month" role="grid" aria-labelledby={labelledBy} aria-busy={!isRead} ref={grid} onKeyDown={press}>
      <thead>
        <tr>
          {weekdays.map((name) => (
            <th key={name} scope="col" abbr={name}>
              {name.slice(0, 3)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(day).map((week) => (
          <tr key={week[0]}>
            {week.map((each) => (
              <DayCell
                key={each}
                day={each}
                of={planned.get(each)}
                timeZone={timeZone}
                isOther={each.slice(0, 7) !== day.slice(0, 7)}
                isToday={each === today}
                isChosen={each === day}
                isFocused={each === focused}
                onChoose={() => {
                  if (each.slice(0, 7) >= today.slice(0, 7)) onChoose(each);
                }}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayCellProps {
  day: string;
  of: AgendaDay | undefined;
  timeZone: string;
  isOther: boolean;
  isToday: boolean;
  isChosen: boolean;
  isFocused: boolean;
  onChoose: () => void;
}

function DayCell({ day, of, timeZone, isOther, isToday, isChosen, isFocused, onChoose }: DayCellProps) {
  const all = of?.planned ?? [];
  const shown = all.slice(0, maxShown);
  const names = shown.map(({ todo, at }) => `${clock(at, timeZone)} ${nameOf(todo)}`);
  const rest = all.length - shown.length;
  const label = [
    dayInWords(day),
    all.length === 0 ? 'nothing planned' : `${all.length} planned`,
    ...names,
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join(', ');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of the grid
      role="gridcell"
      data-day={day}
      tabIndex={isFocused ? 0 : -1}
      aria-selected={isChosen}
      aria-current={isToday ? 'date' : undefined}
      className={isOther ? 'other' : undefined}
      onClick={onChoose}
    >
      <span className="visually-hidden">{label}</span>
      <span className="month-day" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {shown.map(({ todo, at }) => (
        <span key={`${todo.id} ${at}`} className="month-item" aria-hidden="true">
          {clock(at, timeZone)} {nameOf(todo)}
        </span>
      ))}
      {rest > 0 && (
        <span className="month-more" aria-hidden="true">
          +{rest}
        </span>
      )}
      {all.length > 0 && (
        <span className="month-count" aria-hidden="true">
          {all.length}
        </span>
      )}
    </td>
  );
}
