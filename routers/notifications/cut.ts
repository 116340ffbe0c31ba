import { storable } from '../chats/messages.ts';
import { codePoints } from '../fields.ts';

/** A text that the database can hold, of at most `max` code points; what was cut off shows as “…”. */
export function cutTo(text: string, max: number): string {
  const whole = storable(text).trim();
  if (whole.length <= max || codePoints(whole) <= max) return whole;
  return `${Array.from(whole)
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}
