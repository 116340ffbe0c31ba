/** One server-sent event. */
export interface StreamEvent {
  event: string;
  /** The last id that the stream told, as a client sends it to resume. */
  id: string;
  data: string;
}

/** Reads events out of the bytes of a stream (WHATWG HTML §9.2.6). */
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
