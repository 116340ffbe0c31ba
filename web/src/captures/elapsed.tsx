import { useEffect, useState } from 'react';
import { recorder } from './current-recording.ts';
import { clock } from './duration.ts';

const tickMs = 200;

/** How much was recorded, ticking. */
export function Elapsed() {
  const [elapsedMs, setElapsed] = useState(recorder.elapsedMs);
  useEffect(() => {
    const timer = setInterval(() => setElapsed(recorder.elapsedMs()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return clock(elapsedMs);
}
