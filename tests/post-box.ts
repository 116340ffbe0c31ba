import { createServer, type Server, type Socket } from 'node:net';
import * as assert from 'uvu/assert';

/** A letter as it came over the wire. */
export interface TakenLetter {
  from: string;
  to: string;
  /** Names in lower case, folded lines joined. */
  headers: Map<string, string>;
  /** Decoded. */
  text: string;
}

export interface PostBox {
  /** For `SMTP_URL`. */
  url: string;
  /** Every line so far: what the clients sent, commands and letters. */
  heard: string[];
  /** The letters that were taken, oldest first. */
  letters: TakenLetter[];
  /** Waits for as many letters to `to`. @throws Error when they do not come within seconds. */
  lettersTo(to: string, count?: number): Promise<TakenLetter[]>;
  /** Answers the next commands of this kind with this instead; null answers as ever. */
  answers(verb: 'RCPT' | 'DATA' | '.', reply: string | null): void;
  close(): Promise<void>;
}

/** The lines of a letter, read as RFC 5322 with quoted-printable or base64 text. */
function letterOf(from: string, to: string, lines: readonly string[]): TakenLetter {
  const gap = lines.indexOf('');
  const headers = new Map<string, string>();
  const folded = lines
    .slice(0, gap)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ');
  for (const line of folded.split('\n')) {
    const [name = '', value = ''] = line.split(/: ?(.*)/s);
    headers.set(name.toLowerCase(), value);
  }
  const body = lines.slice(gap + 1).map((line) => line.replace(/^\.\./, '.'));
  const encoding = headers.get('content-transfer-encoding');
  return { from, to, headers, text: decoded(body.join('\n'), encoding) };
}

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Asks again until `holds`, for ten seconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.unreachable('not in time');
}

/** A server that speaks enough of SMTP (RFC 5321) to take letters, or to refuse them as `answers` says. */
export async function openPostBox(): Promise<PostBox> {
  const heard: string[] = [];
  const letters: TakenLetter[] = [];
  const instead = new Map<string, string>();
  const sockets = new Set<Socket>();

  const converse = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let rest = '';
    let letter: string[] | null = null;
    let [from, to] = ['', ''];
    const addressIn = (line: string) => /<(.*?)>/.exec(line)?.[1] ?? '';
    const hear = (line: string) => {
      heard.push(line);
      if (letter) {
        if (line !== '.') return void letter.push(line);
        const refusal = instead.get('.');
        if (!refusal) letters.push(letterOf(from, to, letter));
        letter = null;
        return void socket.write(`${refusal ?? '250 taken'}\r\n`);
      }
      const verb = line.split(/[ :]/)[0]?.toUpperCase() ?? '';
      if (verb === 'MAIL') from = addressIn(line);
      if (verb === 'RCPT') to = addressIn(line);
      const refusal = instead.get(verb);
      if (refusal) socket.write(`${refusal}\r\n`);
      else if (verb === 'DATA') {
        letter = [];
        socket.write('354 go on\r\n');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    };
    socket.write('220 box ESMTP\r\n');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      lines.forEach(hear);
    });
  };

  const server: Server = createServer(converse);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const to = (email: string) => letters.filter((each) => each.to === email);
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    heard,
    letters,
    lettersTo: async (email, count = 1) => {
      await until(() => to(email).length >= count);
      return to(email);
    },
    answers: (verb, reply) => void (reply === null ? instead.delete(verb) : instead.set(verb, reply)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
