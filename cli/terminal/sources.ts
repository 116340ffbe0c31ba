import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { CliFailure, exitCodes, usage } from '../model/failure.ts';

/** Values that are not on the command line: files and stdin. */
export interface Sources {
  /** The text of a file. @throws CliFailure when it cannot be read. */
  file(path: string): string;
  /** All of stdin; only one value can use it. @throws CliFailure 2. */
  stdin(shown: string): Promise<string>;
  /** The next line of stdin, for secrets. @throws CliFailure 2 when there is none. */
  line(shown: string): Promise<string>;
}

/** Without byte order mark and the final line break that editors add. */
function trimmed(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
}

/** The text of bytes from `from`. @throws CliFailure 2 when they are not UTF-8. */
function decoded(bytes: Uint8Array, from: string): string {
  try {
    return trimmed(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw usage(`${from} is not UTF-8 text.`);
  }
}

/** Reads files and `stdin` for one run of the client. */
export function openSources(stdin: NodeJS.ReadableStream): Sources {
  let usedBy: string | undefined;
  let lines: Promise<string[]> | undefined;
  const readAll = async () => decoded(await buffer(stdin), 'stdin');
  return {
    file: (path) => {
      let bytes: Buffer;
      try {
        bytes = readFileSync(path);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const reason = code === 'ENOENT' ? 'no such file' : message;
        throw new CliFailure(exitCodes.usage, `${path} cannot be read: ${reason}.`);
      }
      return decoded(bytes, path);
    },
    stdin: async (shown) => {
      if (usedBy !== undefined) throw usage(`Both ${usedBy} and ${shown} read stdin. Put one of them into a file.`);
      usedBy = shown;
      return readAll();
    },
    line: async (shown) => {
      if (usedBy !== undefined) throw usage(`Both ${usedBy} and ${shown} read stdin. Put one of them into a file.`);
      lines ??= readAll().then((text) => text.split(/\r?\n/));
      const next = (await lines).shift();
      if (next === undefined || next === '') throw usage(`stdin has no line for ${shown}.`);
      return next;
    },
  };
}
