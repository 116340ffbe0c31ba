import { connect } from '../../db/client.ts';
import { setDefaultEngine } from '../../db/engine/index.ts';
import { type Writing, write } from './event-writers.ts';

/* Writers as a process of their own, which sends each commit to its parent. It may be killed at any moment. */

if (process.env.TEST_CITUS_URL) setDefaultEngine('citus');
const db = connect(process.env.TEST_DATABASE_URL ?? '', { poolSize: 8 });

process.on('message', async ({ writers, writing }: { writers: number; writing: Writing }) => {
  const all = Array.from({ length: writers }, () => write(db, writing, (commit) => process.send?.(commit)));
  await Promise.all(all);
  process.send?.('done');
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
