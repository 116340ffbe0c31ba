import { useEffect, useState } from 'react';
import { endOfPause } from '../api/pauses.ts';
import { problemOf } from '../api/problem.ts';

function words(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

interface CountdownProps {
  error: unknown;
  retry: () => void;
}

/** Where the service asks for a pause: how long it still is, and once it is over the repetition. */
export function Countdown({ error, retry }: CountdownProps) {
  if (!(error instanceof Error) || !problemOf(error).retryAfterSeconds) return null;
  const end = endOfPause(error);
  return <Timer key={end} end={end} retry={retry} />;
}

function Timer({ end, retry }: { end: number; retry: () => void }) {
  const [left, setLeft] = useState(() => Math.ceil((end - Date.now()) / 1000));
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.ceil((end - Date.now()) / 1000)), 1000);
    return () => clearInterval(timer);
  }, [end]);
  const isOver = left <= 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, and as it was rendered then.
  useEffect(() => {
    if (isOver) retry();
  }, [isOver]);
  // A timer is not announced with every second.
  return !isOver && <p role="timer">It is tried again in {words(left)}.</p>;
}
