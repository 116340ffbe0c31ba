import { useEffect, useState } from 'react';

const pauseMs = 200;
const minLength = 12;

const verdicts = [
  'Very easy to guess',
  'Easy to guess',
  'Could be harder to guess',
  'Hard to guess',
  'Very hard to guess',
];

interface StrengthMeterProps {
  password: string;
  /** Words that belong to the person: they make a password weaker. */
  known: readonly string[];
}

/** Shows how hard the typed password is to guess. The estimator is loaded with the first character. */
export function StrengthMeter({ password, known }: StrengthMeterProps) {
  const [score, setScore] = useState<number | null>(null);
  const words = known.join('\n');
  useEffect(() => {
    if (password === '') {
      setScore(null);
      return;
    }
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const { estimate } = await import('./estimate.ts');
      const found = await estimate(password, words.split('\n'));
      if (isCurrent) setScore(password.length < minLength ? Math.min(found, 1) : found);
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [password, words]);
  return (
    <div className="strength">
      {score !== null && <meter min={0} max={4} low={2} high={3} optimum={4} value={score} aria-hidden="true" />}
      <span role="status" className="hint">
        {score !== null && verdicts[score]}
      </span>
    </div>
  );
}
