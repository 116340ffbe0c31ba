import { type ReactNode, useEffect, useRef, useState } from 'react';
import { recorder, useRecorder } from './current-recording.ts';
import { clock } from './recorder/duration.ts';
import { isBusy } from './recorder/view.ts';

const bars = 48;
const places = Array.from({ length: bars }, (_, place) => place);
const stepMs = 80;
/** Bar height of silence. */
const minScale = 0.04;
/** The meter for screen readers is updated every so many steps. */
const meterEvery = Math.round(600 / stepMs);

/** Loudness of the last seconds. Updates the DOM without React, twelve times a second. */
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
        (bar as HTMLElement).style.transform = `scaleY(${Math.max(minScale, levels[place] ?? 0)})`;
      }
      if (step++ % meterEvery === 0) meter.current.value = Math.round(Math.max(...levels.slice(-meterEvery)) * 100);
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

const tickMs = 200;

/** Recorded time, updated while recording. */
export function Elapsed() {
  const [elapsedMs, setElapsed] = useState(recorder.elapsedMs);
  useEffect(() => {
    const timer = setInterval(() => setElapsed(recorder.elapsedMs()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return clock(elapsedMs);
}

/** The elapsed time of a running recording; `idle` when there is none. */
export function RecordingState({ idle }: { idle: ReactNode }) {
  const view = useRecorder();
  if (!isBusy(view)) return idle;
  return (
    <span className="recording-now">
      <span className={view.phase === 'recording' ? 'live-dot on' : 'live-dot'} />
      <span className="visually-hidden">Recording in progress</span>
      <span className="bar-clock">
        <Elapsed />
      </span>
    </span>
  );
}
