/** What a process holds, in bytes, garbage collected. */
export interface Held {
  rss: number;
  heapUsed: number;
}

interface Reply {
  id: number;
  result?: { result?: { value?: Held } };
}

/**
 * Asks the inspector of a process (`--inspect=127.0.0.1:PORT`): https://chromedevtools.github.io/devtools-protocol/v8
 */
export async function heldBy(port: number): Promise<Held> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  if (!target) throw new Error('The process has no inspector.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('The inspector does not answer.'));
  });
  let calls = 0;
  const call = (method: string, params: object = {}) =>
    new Promise<Reply>((resolve) => {
      const id = ++calls;
      socket.addEventListener('message', ({ data }) => {
        const reply = JSON.parse(String(data)) as Reply;
        if (reply.id === id) resolve(reply);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    await call('HeapProfiler.collectGarbage');
    await call('HeapProfiler.collectGarbage');
    const expression = '(({ rss, heapUsed }) => ({ rss, heapUsed }))(process.memoryUsage())';
    const { result } = await call('Runtime.evaluate', { expression, returnByValue: true });
    if (!result?.result?.value) throw new Error('The inspector does not tell the memory.');
    return result.result.value;
  } finally {
    socket.close();
  }
}
