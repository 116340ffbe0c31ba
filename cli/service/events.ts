/** One server-sent event. */
export interface StreamEvent {
  event: string;
  /** The last event id of the stream, which a client sends to resume. */
  id: string;
  data: string;
}

/** Parses a byte stream of server-sent events (WHATWG HTML §9.2.6). */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let [event, id, data]: [string, string, string[]] = ['', '', []];
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', id, data: data.join('\n') };
        [event, data] = ['', []];
        continue;
      }
      const [, name = line, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id' && !value.includes('\0')) id = value;
    }
  }
}
