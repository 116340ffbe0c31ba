import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { CliFailure, exitCodes, usage } from '../failure.ts';

/** Where values come from that are not on the command line. */
export interface Sources {
  /** The text of a file. @throws CliFailure. */
  file(path: string): string;
  /** All of stdin, which only one value can have. @throws CliFailure 2. */
  stdin(shown: string): Promise<string>;
  /** The next line of stdin: secrets come one a line. @throws CliFailure 2 when there is none. */
  line(shown: string): Promise<string>;
}

/** A text file without the line break that editors put at its end. */
function trimmed(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
}

export function openSources(stdin: NodeJS.ReadableStream): Sources {
  let usedBy: string | undefined;
  let lines: Promise<string[]> | undefined;
  return {
    file: (path) => {
      try {
        return trimmed(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw usage(`${path} is not a text in UTF-8.`);
        const reason = code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
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
