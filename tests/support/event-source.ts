import { type Agent, get, type IncomingMessage } from 'node:http';
import { within } from './until.ts';

/** An event as it came over the wire. */
export interface StreamEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  data: any;
}

export interface EventStream {
  status: number;
  headers: Headers;
  /** What came so far. */
  events: StreamEvent[];
  comments: string[];
  /** The text of an answer that is no stream. */
  text: string;
  /**
   * Waits for an event that `is` so, among all that came. @throws Error when the stream ends without it, or after
   * `maxWaitMs`.
   */
  until(is: (event: StreamEvent) => boolean): Promise<StreamEvent>;
  /** Resolves when the stream ends by itself, or breaks. */
  ended: Promise<void>;
  /** Leaves, as a client that goes away. */
  leave(): void;
}

/** Reads a stream of events from pieces of its text (WHATWG HTML §9.2.6). */
function parser(events: StreamEvent[], comments: string[]): (piece: string) => void {
  let rest = '';
  let fields = new Map<string, string>();
  const line = (text: string) => {
    if (text === '') {
      const data = fields.get('data');
      if (data !== undefined) {
        events.push({ event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) });
      }
      fields = new Map();
    } else if (text.startsWith(':')) comments.push(text.slice(1));
    else {
      const [, name = text, value = ''] = /^(.*?): ?(.*)$/s.exec(text) ?? [];
      fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value);
    }
  };
  return (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) line(each);
  };
}

function open(url: string, headers: Record<string, string>, agent: Agent | false): Promise<IncomingMessage> {
  // Not by `fetch`: when it is aborted it opens spare connections, which hold up a server that closes.
  return new Promise((resolve, reject) => get(url, { headers, agent }, resolve).once('error', reject));
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const pairs = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [name, values.join()]);
  return new Headers(pairs);
}

/** Follows a stream as a client does; on a connection of its own, or one of `agent`. */
export async function follow(
  url: string,
  key: string,
  headers: Record<string, string> = {},
  agent: Agent | false = false,
): Promise<EventStream> {
  const response = await open(url, { authorization: `Bearer ${key}`, ...headers }, agent);
  response.setEncoding('utf8');
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let over = false;
  const notify = () => {
    for (const each of [...waiting]) each();
  };
  const streams = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  const parse = parser(events, comments);
  const ended = (async () => {
    for await (const piece of response) {
      if (streams) parse(piece);
      else text += piece;
      notify();
    }
  })()
    .catch(() => {})
    .finally(() => {
      over = true;
      notify();
    });
  if (!streams) await ended;
  return {
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    events,
    comments,
    text,
    ended,
    leave: () => response.destroy(),
    until: (is) => {
      const found = new Promise<StreamEvent>((resolve, reject) => {
        const look = () => {
          const event = events.find(is);
          if (event) resolve(event);
          else if (over) reject(new Error(`The stream ended after ${JSON.stringify(events)}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      });
      return within(() => `the event; so far there were ${JSON.stringify(events)}`, found);
    },
  };
}
