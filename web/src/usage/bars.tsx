import { scaleOf } from './figures.ts';
import type { Usage } from './queries.ts';
import { dayInWords, figure, minutesInWords } from './words.ts';

/** In units of the drawing, which is as wide as the page. */
const [width, height] = [600, 160];
/** The part of the width of a day that its bar takes. */
const barShare = 0.72;
/** Days from which on there is no gap between the bars. */
const maxGapped = 120;

/** The minutes of each day as bars. The table below has the same figures. */
export function Bars({ byDay }: Pick<Usage, 'byDay'>) {
  const scale = scaleOf(byDay.map(({ minutes }) => minutes));
  const step = width / Math.max(1, byDay.length);
  const bar = step * (byDay.length > maxGapped ? 1 : barShare);
  const [first, last] = [byDay[0], byDay.at(-1)];
  return (
    <figure className="bars">
      <p className="bars-scale" aria-hidden="true">
        {figure(scale)} min
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Agent minutes of each day. The table below has the same figures."
      >
        <path className="bars-lines" d={`M0 0.5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}`} />
        {byDay.map(({ day, minutes }, place) => {
          const size = (minutes / scale) * height;
          return (
            <rect
              key={day}
              className="bars-bar"
              x={place * step + (step - bar) / 2}
              y={height - size}
              width={bar}
              height={size}
            >
              <title>{`${dayInWords(day)}: ${minutesInWords(minutes)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="bars-days">
        {first && <span>{dayInWords(first.day)}</span>}
        {last && last !== first && <span>{dayInWords(last.day)}</span>}
      </figcaption>
    </figure>
  );
}
