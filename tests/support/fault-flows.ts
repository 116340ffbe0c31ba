import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { pageSuite, Stage, Window } from './browser.ts';
import { breakOperations, expectedFailures, type Fault, faultsAt, sentenceOf } from './page-faults.ts';
import type { Person } from './people.ts';
import { until } from './until.ts';

/* What a person wrote stays until the service has it: whatever happens to the request that sends it. */

/** What a person writes. */
export const text = 'Ask the old brewery about March';

/** A page on which a person has written `text`. */
export interface Written {
  /** Where it is written. */
  field: Locator;
  /** What is written there, if not `text`. */
  value?: string;
  /** Sends it, also a second time. */
  send(): Promise<void>;
  /** How often the service has it. */
  count(): Promise<number>;
  /** What the page shows once the service has it. */
  sent(): Promise<void>;
}

export interface Flow {
  /** The operation that sends it. */
  operation: string;
  /** The page shows it as done at once, and sends it again by itself after a fault that may pass. */
  isQueued?: boolean;
  write(stage: Stage, ada: Person, window: Window): Promise<Written>;
}

/** A form with a button. */
export function form({ page }: Window, label: string, button: string) {
  const field = page.getByRole('textbox', { name: label, exact: true });
  return { field, send: () => page.getByRole('button', { name: button, exact: true }).press('Enter') };
}

const isFinal = (fault: Fault) => fault === 402 || fault === 412;

/**
 * Promises of each flow, for each fault (in CI for one of each kind), that what was written is not lost and is sent
 * once.
 */
export function promiseNoLoss(test: ReturnType<typeof pageSuite>, flows: Record<string, Flow>): void {
  for (const [place, [name, { operation, isQueued = false, write }]] of Object.entries(flows).entries()) {
    for (const fault of faultsAt(place)) {
      test.promise(`${name} is not lost: ${fault}`, async (stage) => {
        const ada = await stage.person();
        const window = await stage.window({ as: ada, expected: expectedFailures });
        const { page } = window;
        const { field, value = text, send, count, sent } = await write(stage, ada, window);
        const broken = await breakOperations(page, (id) => id === operation, fault);
        await send();
        await broken.asked;
        const isRefused = fault !== 'slow' && (isFinal(fault) || !isQueued);
        const waiting = page.getByText('1 change waits');
        if (isRefused) await page.getByText(sentenceOf(fault)).first().waitFor();
        else if (isQueued && fault !== 'slow') await waiting.waitFor();
        if (isRefused || !isQueued) assert.is(await field.inputValue(), value, 'it stays where it was written');
        assert.is(await count(), 0);
        await broken.mend();
        if (isRefused) await send();
        await sent();
        await waiting.waitFor({ state: 'detached' });
        await until(async () => (await count()) === 1);
      });
    }
  }
}
