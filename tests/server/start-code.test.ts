import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('optimized code after the start');

const module = new URL('../../server/runtime/start-code.ts', import.meta.url).href;

/** Runs a loop before and after `optimizeCode`; the bits of `%GetOptimizationStatus` are those of V8's runtime. */
const script = `
  import { leaveCodeAsItIs, optimizeCode } from ${JSON.stringify(module)};
  const optimized = 1 << 4;
  const add = (sum, each) => sum + each;
  const isOptimized = (calls) => {
    for (let call = 0, sum = 0; call < calls; call++) {
      sum = add(sum, call % 7);
      if (call % 100_000 === 0 && %GetOptimizationStatus(add) & optimized) return true;
    }
    return false;
  };
  leaveCodeAsItIs();
  const before = isOptimized(20_000_000);
  optimizeCode();
  let after = false;
  for (let round = 0; round < 100 && !after; round++) {
    after = isOptimized(2_000_000);
    await new Promise(setImmediate);
  }
  console.log(JSON.stringify({ before, after }));
`;

async function optimized(...flags: string[]): Promise<unknown> {
  const args = [...flags, '--allow-natives-syntax', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

test('code is optimized only once the start is over', async () => {
  if (!['x64', 'arm64'].includes(process.arch)) return;
  assert.equal(await optimized(), { before: false, after: true });
});

test('flags of the operator stay as they are', async () => {
  assert.equal(await optimized('--no-opt', '--no-maglev'), { before: false, after: false });
  if (['x64', 'arm64'].includes(process.arch)) {
    assert.equal(await optimized('--no-turbofan'), { before: true, after: true });
  }
});

test('what has compiled code is loaded under the flags of the process', async () => {
  const flags = new URL('../../server/runtime/v8-flags.ts', import.meta.url).href;
  const script = `
    import { cachedDataVersionTag } from 'node:v8';
    import { setFlag, takeBack, withFirstFlags } from ${JSON.stringify(flags)};
    const [first, flag] = [cachedDataVersionTag(), '--heap-growing-percent=50'];
    setFlag(flag, '--heap-growing-percent=0');
    const now = cachedDataVersionTag();
    const within = withFirstFlags(cachedDataVersionTag);
    const after = cachedDataVersionTag();
    takeBack(flag);
    console.log(JSON.stringify([now !== first, within === first, after === now, cachedDataVersionTag() === first]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal(JSON.parse(stdout), [true, true, true, true]);
});

test.run();
