import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
type Json = any;

/** One `events/stream`, as a client reads it. */
export interface FollowedStream {
  status: number;
  type: string;
  /** All messages so far. */
  messages: Json[];
  /** The first message of a kind, such as `event`, once it has come; `place`: or a later one. */
  next(kind: string, place?: number): Promise<Json>;
  /** Resolves when the service has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream. `id` is that of the request. */
export async function openEventStream(
  url: string,
  key: string,
  params: Record<string, unknown>,
  id: string | number = 7,
): Promise<FollowedStream> {
  const abort = new AbortController();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'events/stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'events/stream', params: { ...params, _meta } }),
  });
  const messages: Json[] = [];
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      messages.push(...frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null')));
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error;
  });
  const ofKind = (kind: string) =>
    messages.filter(
      (message) => message.method === `notifications/events/${kind}` || (kind === 'result' && message.result),
    );
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    messages,
    next: async (kind, place = 0) => {
      await until(
        () => ofKind(kind).length > place,
        () => `${kind} ${place}: ${JSON.stringify(messages)}`,
      );
      return ofKind(kind)[place];
    },
    ended,
    close: () => abort.abort(),
  };
}
