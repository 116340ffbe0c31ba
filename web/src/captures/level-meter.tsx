import { useEffect, useRef } from 'react';
import { recorder } from './current-recording.ts';

const bars = 48;
const places = Array.from({ length: bars }, (_, place) => place);
const stepMs = 80;
/** What silence looks like. */
const least = 0.04;
/** Screen readers are told the level at most so often. */
const toldEvery = Math.round(600 / stepMs);

/** How loud it is and was in the last seconds. Drawn past React: it changes twelve times a second. */
export function LevelMeter() {
  const drawing = useRef<HTMLDivElement>(null);
  const meter = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    const levels = new Array<number>(bars).fill(0);
    let step = 0;
    const draw = () => {
      if (!drawing.current || !meter.current) return;
      levels.shift();
      levels.push(recorder.level());
      for (const [place, bar] of [...drawing.current.children].entries()) {
        (bar as HTMLElement).style.transform = `scaleY(${Math.max(least, levels[place] ?? 0)})`;
      }
      if (step++ % toldEvery === 0) meter.current.value = Math.round(Math.max(...levels.slice(-toldEvery)) * 100);
    };
    const timer = setInterval(draw, stepMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <div ref={drawing} className="level" aria-hidden="true">
        {places.map((place) => (
          <i key={place} />
        ))}
      </div>
      <meter ref={meter} className="visually-hidden" aria-label="Level of the microphone" max={100} value={0} />
    </>
  );
}
