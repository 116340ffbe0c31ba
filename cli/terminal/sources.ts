import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
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

/** Reads files and `stdin` for one run of the client. */
export function openSources(stdin: NodeJS.ReadableStream): Sources {
  let usedBy: string | undefined;
  let lines: Promise<string[]> | undefined;
  return {
    file: (path) => {
      try {
        return trimmed(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw usage(`${path} is not UTF-8 text.`);
        const reason = code === 'ENOENT' ? 'no such file' : (error as Error).message;
        throw new CliFailure(exitCodes.usage, `${path} cannot be read: ${reason}.`);
      }
    },
    stdin: async (shown) => {
      if (usedBy !== undefined) throw usage(`Both ${usedBy} and ${shown} read stdin. Put one of them into a file.`);
      usedBy = shown;
      return trimmed(await readAll(stdin));
    },
    line: async (shown) => {
      if (usedBy !== undefined) throw usage(`Both ${usedBy} and ${shown} read stdin. Put one of them into a file.`);
      lines ??= readAll(stdin).then((text) => trimmed(text).split(/\r?\n/));
      const next = (await lines).shift();
      if (next === undefined || next === '') throw usage(`stdin has no line for ${shown}.`);
      return next;
    },
  };
}
