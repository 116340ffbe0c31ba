import type { Duplex } from 'node:stream';
import type { Page } from 'playwright-core';
import type { Stage } from './browser.ts';
import type { TestService } from './harness.ts';
import type { Person } from './people.ts';
import { until } from './post-box.ts';

/* What tests of the recording page do and look at. */

/** Chromium complains of every connection that breaks. */
export const brokenLine = /^WebSocket connection to /;

/** The connections of recorders, which can be cut and kept away. */
export function lineOf({ service }: TestService) {
  const sockets = new Set<Duplex>();
  let isDown = false;
  service.app.server.prependListener('upgrade', (_, socket: Duplex) => {
    if (isDown) return socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return {
    cut: () => {
      isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      isDown = false;
    },
  };
}

/** How much was recorded. */
export const clock = (page: Page) => page.getByRole('timer', { name: 'Recorded' });
/** What the page says by itself. */
export const status = (page: Page, text: string) => page.getByRole('status').getByText(text);

/** Waits until the clock of the recorder shows at least so many seconds. */
export async function recorded(page: Page, seconds: number): Promise<void> {
  await until(async () => {
    const [minutes = 0, rest = 0] = (await clock(page).innerText()).split(':').map(Number);
    return minutes * 60 + rest >= seconds;
  });
}

/** Calls as a person. */
export const callAs =
  ({ tandem }: Stage, { session }: Person) =>
  (route: string, body?: unknown) =>
    tandem.call(route, body, { key: session.token });
