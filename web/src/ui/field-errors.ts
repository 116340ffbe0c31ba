import { createContext, useContext } from 'react';

/** What is wrong with the fields of a form, by name. It stands until the next attempt, so that nothing moves meanwhile. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({});

/** Marks the control of a field as invalid when it is. */
export function useFieldError(name: string | undefined): { message: string | undefined; isInvalid: boolean } {
  const message = useContext(FieldErrors)[name ?? ''];
  return { message, isInvalid: message !== undefined };
}
