import { oneLine } from '../terminal/safe.ts';

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number) => String(value).padStart(2, '0');

/** Whether a value is an RFC 3339 instant in UTC. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && instant.test(value);
}

/** An instant in local time: `14:05` today, `1 Mar 14:05` this year, else `1 Mar 2025`. */
function shortTime(text: string, now: Date): string {
  const time = new Date(text);
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const day = `${time.getDate()} ${months[time.getMonth()]}`;
  if (time.getFullYear() !== now.getFullYear()) return `${day} ${time.getFullYear()}`;
  const isToday = time.getMonth() === now.getMonth() && time.getDate() === now.getDate();
  return isToday ? clock : `${day} ${clock}`;
}

type Thing = Readonly<Record<string, unknown>>;

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A short name of a resource. */
function nameOf(thing: Thing): string | undefined {
  const { name, title, status } = thing;
  const found = [name, title, status].find((each) => typeof each === 'string');
  return found as string | undefined;
}

/** A value on one line. `now` shortens times for people; without it they stay in RFC 3339. */
export function cell(value: unknown, now?: Date): string {
  if (value === null || value === undefined) return '';
  if (isInstant(value)) return now ? shortTime(value, now) : value;
  if (typeof value === 'string') return oneLine(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((each) => cell(each, now)).join(', ');
  if (isThing(value)) return oneLine(nameOf(value) ?? JSON.stringify(value));
  return oneLine(String(value));
}
