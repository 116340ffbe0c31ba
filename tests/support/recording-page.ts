import type { Duplex } from 'node:stream';
import type { Page } from 'playwright-core';
import type { Stage } from './browser.ts';
import { until } from './mail-server.ts';
import type { Person } from './people.ts';

/* What tests of the recording page do and look at. */

/** Chromium logs an error for every connection that breaks. */
export const brokenLine = /^WebSocket connection to /;

/** The way of recorders to the service. */
export interface Line {
  cut(): void;
  mend(): void;
}

/** A test that can cut the way of recorders to the service, and keep it cut; afterwards it is open again. */
export const overLine = (run: (stage: Stage, line: Line) => Promise<void>) => async (stage: Stage) => {
  const sockets = new Set<Duplex>();
  let isDown = false;
  const connected = (_: unknown, socket: Duplex) => {
    if (isDown) return socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const cut = () => {
    isDown = true;
    for (const socket of sockets) socket.destroy();
  };
  const mend = () => {
    isDown = false;
  };
  const { server } = stage.tandem.service.app;
  server.prependListener('upgrade', connected);
  await run(stage, { cut, mend }).finally(() => server.off('upgrade', connected));
};

/** How much was recorded. */
export const clock = (page: Page) => page.getByRole('timer', { name: 'Recorded' });
/** What the page says by itself. */
export const status = (page: Page, text: string) => page.getByRole('status').getByText(text);

/** How many seconds the clock of the recorder shows. */
export async function secondsRecorded(page: Page): Promise<number> {
  const [minutes = 0, rest = 0] = (await clock(page).innerText()).split(':').map(Number);
  return minutes * 60 + rest;
}

/** Waits until the clock of the recorder shows at least so many seconds. */
export async function recorded(page: Page, seconds: number): Promise<void> {
  await until(async () => (await secondsRecorded(page)) >= seconds);
}

/** Calls as a person. */
export const callAs =
  ({ tandem }: Stage, { session }: Person) =>
  (route: string, body?: unknown) =>
    tandem.call(route, body, { key: session.token });
