import { type IconName, paths } from './icon-paths.ts';

export type { IconName } from './icon-paths.ts';

/* Drawn on a 20 × 20 grid; decorative, so hidden from assistive technology. */

/** A decorative icon. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <circle cx="12.5" cy="16" r="6" />
      <circle cx="19.5" cy="16" r="6" />
    </svg>
  );
}

/** The box of a checkbox, styled by the state of the surrounding control. */
export function Tick() {
  return (
    <i className="tick">
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d="M3 8.5l3.5 3.5L13 4.5" />
      </svg>
    </i>
  );
}
