import { Fragment } from 'react';
import { shownKeys } from './keys.ts';

interface KeysProps {
  /** In the notation of tinykeys. */
  of: string;
}

/** The keys of a command. Hidden from assistive technology, which gets them from `aria-keyshortcuts` or a sentence. */
export function Keys({ of }: KeysProps) {
  return (
    <span className="keys" aria-hidden="true">
      {shownKeys(of).map((press, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the presses of a binding do not move.
        <Fragment key={place}>
          {place > 0 && ' then '}
          <kbd>{press}</kbd>
        </Fragment>
      ))}
    </span>
  );
}
