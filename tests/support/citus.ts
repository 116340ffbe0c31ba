import type { Test } from 'uvu';
import { createOnCluster } from '../../scripts/tests/cluster.ts';

/** The coordinator of the cluster of the run, if there is one. */
const { TEST_CITUS_URL: url } = process.env;

/** `test` where the run has a cluster; else it skips, and says what is missing. */
export function onCluster(test: Test): Test | Test['skip'] {
  if (url) return test;
  process.stdout.write('Skipped: set TEST_CITUS_URL to the coordinator of a Citus cluster (docs/scale.md).\n');
  return test.skip;
}

/** An empty database on the cluster, which is not distributed. `via`: gives the address at which a worker is known. */
export function clusterDatabase(via?: (port: number) => Promise<number>) {
  if (!url) throw new Error('The run has no cluster');
  return createOnCluster(url, via);
}
