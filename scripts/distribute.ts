import { distributeTables } from '../db/engine/distribute.ts';
import { operatorCommand } from './operator.ts';

/* `npm run db:distribute`: places the tables of the service on the nodes of a Citus cluster. */

void operatorCommand({
  usage: `npm run db:distribute

Places the tables of the database at DATABASE_URL on the nodes of its Citus cluster, with their rows. Stop the service before.
Tables that are in their place stay there, so it may be run again.`,
  accepts: (args) => args.length === 0,
  run: async ({ driver }) => {
    const connection = await driver.reserve();
    try {
      const lines = await distributeTables(connection);
      return lines.length > 0 ? lines.join('\n') : 'Every table is in its place.';
    } finally {
      connection.release();
    }
  },
});
