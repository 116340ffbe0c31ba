import { useRef } from 'react';

/** The order of a list says nothing. */
const textOf = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);

/**
 * For a form that stays open and shows `shown` at first. Returns a function that submits only the values that differ
 * from what the form shows, so that changes of somebody else are not overwritten. Call it in the component with the
 * fields.
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
