import { useRef } from 'react';

/** The order of a list says nothing. */
const textOf = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);

/**
 * For a form that shows `shown` at first and stays open: returns what sends its values, only those that differ from what
 * it shows, so that what somebody else has changed meanwhile is not written back. Call it where the fields are.
 */
export function useChanged<Values extends object>(shown: Partial<Values>) {
  const known = useRef(shown);
  return async <Answer>(values: Values, send: (changes: Partial<Values>) => Promise<Answer>): Promise<Answer> => {
    const names = Object.keys(values) as (keyof Values)[];
    const changed = names.filter((name) => textOf(values[name]) !== textOf(known.current[name]));
    // After a failure it is unknown which of both the service has.
    known.current = { ...known.current, ...Object.fromEntries(changed.map((name) => [name, undefined])) };
    const answer = await send(Object.fromEntries(changed.map((name) => [name, values[name]])) as Partial<Values>);
    known.current = values;
    return answer;
  };
}
