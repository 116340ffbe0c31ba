import { createServer, type Server, type Socket } from 'node:net';
import { until } from './until.ts';

export { until };

/** An email as it came over the wire. */
export interface ReceivedEmail {
  from: string;
  to: string;
  /** Names in lower case, folded lines joined. */
  headers: Map<string, string>;
  /** Decoded. */
  text: string;
}

export interface MailServer {
  /** For `SMTP_URL`. */
  url: string;
  /** Every line that clients sent so far, commands and emails. */
  clientLines: string[];
  /** The accepted emails, oldest first. */
  emails: ReceivedEmail[];
  /** Waits for `count` emails to `to`. @throws Error when they do not come within ten seconds. */
  emailsTo(to: string, count?: number): Promise<ReceivedEmail[]>;
  /** Answers the next commands of this kind with `reply`; null restores the normal answer. */
  answers(verb: 'RCPT' | 'DATA' | '.', reply: string | null): void;
  close(): Promise<void>;
}

/** The lines of an email, read as RFC 5322 with quoted-printable or base64 text. */
function emailOf(from: string, to: string, lines: readonly string[]): ReceivedEmail {
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

/** A server that speaks enough of SMTP (RFC 5321) to accept emails, or to refuse them as `answers` says. */
export async function openMailServer(host = '127.0.0.1'): Promise<MailServer> {
  const clientLines: string[] = [];
  const emails: ReceivedEmail[] = [];
  const instead = new Map<string, string>();
  const sockets = new Set<Socket>();

  const converse = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let rest = '';
    let emailLines: string[] | null = null;
    let [from, to] = ['', ''];
    const addressIn = (line: string) => /<(.*?)>/.exec(line)?.[1] ?? '';
    const onLine = (line: string) => {
      clientLines.push(line);
      if (emailLines) {
        if (line !== '.') return void emailLines.push(line);
        const refusal = instead.get('.');
        if (!refusal) emails.push(emailOf(from, to, emailLines));
        emailLines = null;
        return void socket.write(`${refusal ?? '250 taken'}\r\n`);
      }
      const verb = line.split(/[ :]/)[0]?.toUpperCase() ?? '';
      if (verb === 'MAIL') from = addressIn(line);
      if (verb === 'RCPT') to = addressIn(line);
      const refusal = instead.get(verb);
      if (refusal) socket.write(`${refusal}\r\n`);
      else if (verb === 'DATA') {
        emailLines = [];
        socket.write('354 go on\r\n');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    };
    socket.write('220 box ESMTP\r\n');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      lines.forEach(onLine);
    });
  };

  const server: Server = createServer(converse);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const to = (email: string) => emails.filter((each) => each.to === email);
  return {
    url: `smtp://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    clientLines,
    emails,
    emailsTo: async (email, count = 1) => {
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
