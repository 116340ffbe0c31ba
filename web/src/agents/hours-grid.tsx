import { type KeyboardEvent, useRef, useState } from 'react';
import { type Hours, minutesOf, shareOf, timeOfHour, type Weekday, weekdays, withDay, withRange } from './hours.ts';

interface Cell {
  /** Place of the day, from Monday on. */
  day: number;
  hour: number;
}

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const selectorOf = ({ day, hour }: Cell) => `[data-cell="${day} ${hour}"]`;
const idOf = ({ day }: Cell): Weekday => weekdays[day]?.id ?? 'mon';

const moves: Record<string, readonly [days: number, hours: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  PageUp: [0, -6],
  PageDown: [0, 6],
  Home: [0, -24],
  End: [0, 24],
};

function within(value: number, count: number): number {
  return Math.min(count - 1, Math.max(0, value));
}

interface HoursGridProps {
  hours: Hours;
  onChange: (hours: Hours) => void;
}

/**
 * The week by hours. Arrow keys move; Space and a press switch the day of a cell on or off; Shift with an arrow key,
 * and dragging with a mouse, set the hours of all days from where it began to where it ends.
 */
export function HoursGrid({ hours: value, onChange }: HoursGridProps) {
  const grid = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<Cell>({ day: 0, hour: within(Math.floor(minutesOf(value.start) / 60), hours.length) });
  /** Where a range began: with Shift, or with the button of the mouse. */
  const anchor = useRef<Cell | null>(null);
  const hasDragged = useRef(false);
  const extend = (from: Cell, to: Cell) => onChange(withRange(withDay(value, idOf(to), true), from.hour, to.hour));
  const move = (to: Cell) => {
    setAt(to);
    grid.current?.querySelector<HTMLElement>(selectorOf(to))?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    if (key === ' ' || key === 'Enter') {
      event.preventDefault();
      anchor.current = null;
      onChange(withDay(value, idOf(at)));
      return;
    }
    const step = moves[key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = { day: within(at.day + step[0], weekdays.length), hour: within(at.hour + step[1], hours.length) };
    if (shiftKey) {
      anchor.current ??= at;
      extend(anchor.current, to);
    } else anchor.current = null;
    move(to);
  };
  return (
    <table
      ref={grid}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML allows a table to be a grid
      role="grid"
      aria-label="Week"
      className="hours-grid"
      onKeyDown={press}
      onPointerUp={() => {
        anchor.current = null;
      }}
    >
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Hour</span>
          </th>
          {weekdays.map(({ id, name, short }) => (
            <th scope="col" key={id}>
              <abbr title={name}>{short}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.map((hour) => (
          <tr key={hour}>
            <th scope="row">{timeOfHour(hour)}</th>
            {weekdays.map(({ id, name }, day) => {
              const cell = { day, hour };
              const share = shareOf(value, id, hour);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
                // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a grid is a gridcell
                <td
                  key={id}
                  data-cell={`${day} ${hour}`}
                  className={`hours-cell ${share}`}
                  tabIndex={at.day === day && at.hour === hour ? 0 : -1}
                  aria-selected={share !== 'none'}
                  aria-label={`${name} ${timeOfHour(hour)}`}
                  onFocus={() => setAt(cell)}
                  onPointerDown={({ pointerType, button }) => {
                    hasDragged.current = false;
                    if (pointerType === 'mouse' && button === 0) anchor.current = cell;
                  }}
                  onPointerEnter={({ pointerType, buttons }) => {
                    if (pointerType !== 'mouse' || buttons !== 1 || anchor.current === null) return;
                    hasDragged.current = true;
                    extend(anchor.current, cell);
                  }}
                  onClick={() => !hasDragged.current && onChange(withDay(value, id))}
                />
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
