import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CliFailure, exitCodes } from '../failure.ts';

/** Whether somebody sits at a terminal who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks one line at the terminal. A secret is not shown as it is typed. @throws CliFailure 130 for Ctrl-C. */
export async function ask(question: string, isSecret = false): Promise<string> {
  let isMuted = false;
  const output = new Writable({
    write: (chunk, _, done) => {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new CliFailure(exitCodes.interrupted, 'Stopped. Nothing was changed.'));
      reader.once('SIGINT', stopped).once('close', stopped);
      reader.question(question, (answer) => resolve(answer.trim()));
      isMuted = isSecret;
    });
  } finally {
    reader.removeAllListeners('close').close();
    if (isSecret) process.stderr.write('\n');
  }
}
