import { setFlagsFromString } from 'node:v8';

/*
 * V8 uses cached compiled code only under the flags under which it was written, and Node ships such code for its own
 * modules: under other flags, these modules are compiled anew.
 */

/** The flags that are set now, each with the one that takes it back. */
const current = new Map<string, string>();

/** Sets a flag of V8 that has its own value now; `back` gives it that value again. */
export function setFlag(flag: string, back: string): void {
  setFlagsFromString(flag);
  current.set(flag, back);
}

/** Gives a flag its own value again. */
export function takeBack(flag: string): void {
  const back = current.get(flag);
  if (back === undefined) return;
  setFlagsFromString(back);
  current.delete(flag);
}

/** Does something under the flags with which the process was started. */
export function withFirstFlags<Result>(work: () => Result): Result {
  for (const back of current.values()) setFlagsFromString(back);
  try {
    return work();
  } finally {
    for (const flag of current.keys()) setFlagsFromString(flag);
  }
}
