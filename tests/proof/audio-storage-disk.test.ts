import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as assert from 'uvu/assert';
import { createDiskStore } from '../../media/storage/disk.ts';
import { audioKey, chunkKey } from '../../media/storage/keys.ts';
import { StoreFault } from '../../media/storage/store.ts';
import { bytes, fails, place, readAll, storePromises } from '../support/audio-stores.ts';
import { temporaryDirectory } from '../support/people.ts';

const directory = temporaryDirectory();
const disk = storePromises('on disk', () => createDiskStore(join(directory.path, 'audio')));
disk.after(() => directory.remove());

disk('its files are for their owner alone', async () => {
  const store = createDiskStore(join(directory.path, 'modes'));
  const key = chunkKey(place(), 0, true);
  await store.put(key, bytes('x'));
  let path = join(directory.path, 'modes');
  for (const name of ['', ...key.split('/')]) {
    path = join(path, name);
    assert.is((await stat(path)).mode & 0o077, 0, path);
  }
});

disk('a symbolic link leads nobody out of it', async () => {
  const root = join(directory.path, 'linked');
  const outside = join(directory.path, 'outside');
  const store = createDiskStore(root);
  await store.put('inside/file', bytes('x'));
  await mkdir(join(outside, 'recording'), { recursive: true });
  await writeFile(join(outside, 'recording/secret'), 'secret');
  await symlink(outside, join(root, 'workspace'));
  await symlink(join(outside, 'recording/secret'), join(root, 'inside/link'));
  for (const work of [
    () => readAll(store, 'workspace/recording/secret'),
    () => readAll(store, 'inside/link'),
    () => store.put('workspace/recording/secret', bytes('mine')),
    () => store.put('workspace/new/file', bytes('mine')),
    () => store.list('workspace/recording/'),
    () => store.remove('workspace/'),
    () => store.size('inside/link'),
  ])
    assert.match((await fails(work)).message, /is a symbolic link/);
  assert.equal(await store.list('inside/'), [{ key: 'inside/file', size: 1 }]);
  await store.remove('inside/');
  assert.equal(await readdir(outside, { recursive: true }), ['recording', 'recording/secret']);
});

disk('a process killed in the middle of a file leaves nothing under its key, and what it left is swept', async () => {
  const root = join(directory.path, 'killed');
  const key = audioKey(place(), 'webm');
  const script = `
    const { createDiskStore } = await import(${JSON.stringify(new URL('../../media/storage/disk.ts', import.meta.url))});
    async function* half() {
      yield new Uint8Array(100000);
      console.log('half');
      await new Promise((resolve) => setTimeout(resolve, 60000));
    }
    await createDiskStore(${JSON.stringify(root)}).putStream(${JSON.stringify(key)}, 200000, half());`;
  const run = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface(run.stdout), 'line');
  run.kill('SIGKILL');
  await once(run, 'exit');
  const left = await readdir(join(root, '.incoming'));
  assert.is(left.length, 1);
  assert.is(await createDiskStore(root).size(key), null);
  await createDiskStore(root).tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), left);
  const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(join(root, '.incoming', left[0] ?? ''), longAgo, longAgo);
  await createDiskStore(root).tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), []);
});

disk('what a crash left is swept a day later, be it a directory, and nothing where there is no store yet', async () => {
  const root = join(directory.path, 'left-behind');
  const store = createDiskStore(root);
  await store.tidy?.();
  const left = (name: string) => join(root, '.incoming', name);
  await mkdir(left('id-of-a-store/id'), { recursive: true });
  await writeFile(left('half'), 'x');
  const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(left('id-of-a-store'), dayAgo, dayAgo);
  await store.tidy?.();
  assert.equal(await readdir(join(root, '.incoming')), ['half']);
});

disk('what the file system refuses is a fault of the store that names its code', async () => {
  const path = join(directory.path, 'a-file');
  await writeFile(path, 'x');
  const store = createDiskStore(path);
  for (const work of [() => store.put('a/b', bytes('x')), () => store.list('a/'), () => store.size('a/b')]) {
    const error = await fails(work);
    assert.instance(error, StoreFault);
    assert.match(error.message, /^The audio store on disk failed \(E\w+\)\.$/);
  }
  const other = createDiskStore(join(directory.path, 'in-the-way'));
  await other.put('a/b', bytes('x'));
  assert.instance(await fails(other.put('a/b/c', bytes('x'))), StoreFault);
  assert.equal(await readdir(join(directory.path, 'in-the-way/.incoming')), []);
});

disk('files that others put there are not listed', async () => {
  const root = join(directory.path, 'foreign');
  const store = createDiskStore(root);
  await store.put('workspace/recording/file', bytes('x'));
  await writeFile(join(root, 'workspace/recording/.hidden'), 'x');
  await writeFile(join(root, 'workspace/recording/with space'), 'x');
  assert.equal(await store.list('workspace/'), [{ key: 'workspace/recording/file', size: 1 }]);
});

disk.run();
