import { useEffect, useState } from 'react';
import { problemOf } from '../api/problem.ts';

/** When the pauses are over that errors ask for (`Retry-After`), in ms since 1970: the same wherever they are shown. */
const ends = new WeakMap<object, number>();

function endOf(error: unknown): number | null {
  const { retryAfterSeconds = 0 } = problemOf(error);
  if (retryAfterSeconds === 0 || !(error instanceof Error)) return null;
  const end = ends.get(error) ?? Date.now() + retryAfterSeconds * 1000;
  ends.set(error, end);
  return end;
}

function words(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

interface CountdownProps {
  error: unknown;
  retry: () => void;
}

/** Where the service asks for a pause: how long it still is, and once it is over the repetition. */
export function Countdown({ error, retry }: CountdownProps) {
  const end = endOf(error);
  return end === null ? null : <Timer key={end} end={end} retry={retry} />;
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
