import type { Transport } from '@modelcontextprotocol/server';

/*
 * Most requests are one call of a tool. The SDK answers it as it answers everything, but gets it and gives its answer
 * without web requests and responses: making and reading them takes longer than all else about such a call.
 */

type Send = Transport['send'];

/** A result as it is sent. */
export type ResultMessage = Extract<Parameters<Send>[0], { result: unknown }>;

/** Whether a body is one call of a tool, and nothing else. */
export function isSingleCall(body: unknown): boolean {
  const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown };
  return !Array.isArray(body) && method === 'tools/call' && id !== undefined;
}

/** What the SDK reads of a POST whose body is parsed: its method and headers. Names of headers are in lower case. */
export function postOf(url: string, headers: Readonly<Record<string, string>>): Request {
  const get = (name: string): string | null => headers[name.toLowerCase()] ?? null;
  return { method: 'POST', url, headers: { get, has: (name: string) => get(name) !== null } } as unknown as Request;
}

/**
 * Has `taken` get a result in the place of the transport, which is given an empty one: it then only decides on the
 * response. A result that follows another message goes its way: the transport has begun a stream for that one.
 */
export function takeResult(transport: Transport, taken: (message: ResultMessage) => void): void {
  const send: Send = transport.send.bind(transport);
  let isFirst = true;
  transport.send = (message, options) => {
    const isAlone = isFirst;
    isFirst = false;
    if (!isAlone || !('result' in message)) return send(message, options);
    taken(message);
    return send({ ...message, result: {} }, options);
  };
}
