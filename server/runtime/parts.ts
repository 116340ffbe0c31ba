import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { withFirstFlags } from './v8-flags.ts';

/*
 * Loads the parts of the bundle, and stores V8's compiled code of them for the next start. Node's own compile cache has
 * only what is compiled before a module runs: most functions would be compiled again at each start. V8 returns code
 * that was compiled later only for scripts, so the parts are CommonJS that is run as scripts.
 */

interface Part {
  exports: unknown;
}

/** A script whose compiled code is not stored, and the checksum of its text. */
interface Unsaved {
  script: Script;
  checksum: number;
}

/** The checksums of the text and of the compiled code, in front of the code. */
const headerBytes = 8;

/** Parts that are loaded later have run by then. */
const saveAfterMs = 10_000;

const [before, after] = ['(function (exports, require, module, __filename, __dirname) { ', '\n})'];

/** The compiled code in a file; undefined where there is none, or that of another text. */
function storedCode(file: string, checksum: number): Buffer | undefined {
  try {
    const stored = readFileSync(file);
    const code = stored.subarray(headerBytes);
    const isIntact = stored.readUInt32LE(0) === checksum && stored.readUInt32LE(4) === crc32(code);
    return isIntact ? code : undefined;
  } catch {
    return undefined;
  }
}

function store(file: string, checksum: number, code: Buffer): void {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(checksum, 0);
  header.writeUInt32LE(crc32(code), 4);
  // Other processes may store the same, or read it meanwhile.
  const fresh = `${file}-${process.pid}`;
  writeFileSync(fresh, Buffer.concat([header, code]));
  renameSync(fresh, file);
}

/** The parts in a folder, each a file of ASCII, with their compiled code in another one. */
export class Parts {
  readonly #folder: string;
  readonly #cache: string;
  readonly #outside: NodeJS.Require;
  readonly #loaded = new Map<string, Part>();
  readonly #unsaved = new Map<string, Unsaved>();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, cache: string) {
    this.#folder = folder;
    const version = withFirstFlags(cachedDataVersionTag).toString(16);
    this.#cache = join(cache, `${process.version}-${process.arch}-${version}`);
    this.#outside = createRequire(join(folder, 'parts'));
  }

  /** What a part exports. It is run when it is first asked for, and again after it has failed. */
  load(name: string): unknown {
    // The entry and what it imports were loaded by Node.
    const known = this.#loaded.get(name) ?? this.#outside.cache[join(this.#folder, name)];
    if (known) return known.exports;
    const part: Part = { exports: {} };
    this.#loaded.set(name, part);
    try {
      const run = withFirstFlags(() => this.#compiled(name)).runInThisContext();
      run(part.exports, (id: string) => this.#required(id), part, join(this.#folder, name), this.#folder);
    } catch (error) {
      this.#loaded.delete(name);
      throw error;
    }
    return part.exports;
  }

  /** Stores the compiled code that is not stored yet, as far as the cache can be written. */
  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const unsaved = [...this.#unsaved];
    this.#unsaved.clear();
    try {
      if (unsaved.length > 0) mkdirSync(this.#cache, { recursive: true });
      withFirstFlags(() => {
        for (const [name, { script, checksum }] of unsaved)
          store(join(this.#cache, name), checksum, script.createCachedData());
      });
    } catch {
      // The next start compiles again.
    }
  }

  #required(id: string): unknown {
    if (id.startsWith('./')) return this.load(id.slice(2));
    return isBuiltin(id) ? withFirstFlags(() => process.getBuiltinModule(id)) : this.#outside(id);
  }

  #compiled(name: string): Script {
    const text = readFileSync(join(this.#folder, name));
    const checksum = crc32(text);
    const cachedData = storedCode(join(this.#cache, name), checksum);
    const script = new Script(`${before}${text.toString('latin1')}${after}`, {
      filename: join(this.#folder, name),
      columnOffset: -before.length,
      cachedData,
    });
    if (!cachedData || script.cachedDataRejected) {
      this.#unsaved.set(name, { script, checksum });
      this.#timer ??= setTimeout(() => this.save(), saveAfterMs).unref();
    }
    return script;
  }
}
