import { useEffect, useState } from 'react';
import type { FindDates } from '../quick-add/dates.ts';
import { Finder } from '../ui/finder.tsx';
import { ownTimeZone } from '../ui/own-time-zone.ts';
import type { TypedAhead } from '../ui/typed-ahead.tsx';
import { namedTime, type SnoozeTime, usualTimes } from './snooze-times.ts';
import type { SnoozeSubject } from './use-snoozing.ts';

interface SnoozeDialogProps {
  subject: SnoozeSubject;
  ahead: TypedAhead;
  /** Closes it too. */
  putOff: (until: Date, words: string) => void;
  close: () => void;
}

const noDates: FindDates = () => [];

/** The dialog in which something in the inbox is put off: one of the usual times, or one in words. */
export function SnoozeDialog({ subject, ahead, putOff, close }: SnoozeDialogProps) {
  const [typed, setTyped] = useState('');
  const [now] = useState(Date.now);
  const [find, setFind] = useState<FindDates>();
  useEffect(() => {
    void import('../quick-add/dates.ts').then(
      ({ findDates }) => setFind(() => findDates),
      () => setFind(() => noDates),
    );
  }, []);
  const words = typed.trim();
  const named = words === '' ? undefined : namedTime(find?.(words, now, ownTimeZone)[0], now, ownTimeZone);
  const usual = usualTimes(now, ownTimeZone);
  const times: SnoozeTime[] = named
    ? [named]
    : usual.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  return (
    <Finder
      label={`Put off: “${subject.name}”`}
      placeholder="Until when: fri, next week, tomorrow 14:00"
      listLabel="Times"
      typed={typed}
      onType={setTyped}
      groups={[{ name: null, entries: times.map(({ at, name }) => ({ id: String(at), name })) }]}
      isReading={words !== '' && find === undefined}
      onChoose={(id) => {
        const chosen = times.find(({ at }) => String(at) === id);
        if (chosen) putOff(new Date(chosen.at), chosen.name.replace(/^[^:]*: /, ''));
      }}
      onClose={close}
      ahead={ahead}
    />
  );
}
