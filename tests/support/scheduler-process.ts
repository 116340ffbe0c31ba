import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../db/client.ts';
import { setDefaultEngine } from '../../db/engine/index.ts';
import { schedulerOf, testClock } from './schedule-world.ts';

/*
 * A scheduler as a process of its own, whose clock its parent moves: it gets an instant, fires all that is due then,
 * and answers with that instant. It may be killed at any moment.
 */

if (process.env.TEST_CITUS_URL) setDefaultEngine('citus');
const db = connect(process.env.TEST_DATABASE_URL ?? '', { poolSize: 3 });
const clock = testClock('2033-01-01T00:00:00.000Z');
const live = { subscribe: () => () => {}, isFollowed: () => false };
const scheduler = schedulerOf({ db, live, clock: clock.now, mail: { sends: false } }, 2);

process.on('message', async (instant: string) => {
  clock.set(instant);
  for (let fired = -1; fired !== 0; ) {
    fired = await scheduler.fireAll().catch(() => -1);
    if (fired < 0) await sleep(20);
  }
  process.send?.(instant);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
