import type { Polling } from './event-proof.ts';

/*
 * A reader that polls without a pause, as a process of its own, and sends each page to its parent. It may be killed at
 * any moment.
 */

interface Page {
  data: { sequence: number; data: { id: string } }[];
}

process.on('message', async ({ url, key, after }: Polling) => {
  for (let last = after; ; ) {
    const address = `${url}/api/v1/events?afterSequence=${last}&limit=500`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
    // Its service may be killed: another one continues where this reader ended.
    if (!answer) process.exit(1);
    const body = (await answer.json().catch(() => undefined)) as Page | undefined;
    if (!answer.ok || !body?.data.length) continue;
    const page = body.data.map(({ sequence, data }): [number, string] => [sequence, data.id]);
    last = page.at(-1)?.[0] ?? last;
    process.send?.(page);
  }
});
process.on('disconnect', () => process.exit(0));
