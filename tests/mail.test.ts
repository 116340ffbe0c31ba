import { createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from './harness.ts';
import { newAccount } from './people.ts';

const test = suite('letters by SMTP');

interface PostBox {
  port: number;
  /** Every conversation so far: what the client sent, commands and letters. */
  heard: string[];
  server: Server;
}

/** A server that speaks enough of SMTP (RFC 5321) to take letters, or to refuse every recipient. */
async function postBox(refuses = false): Promise<PostBox> {
  const heard: string[] = [];
  const server = createServer((socket: Socket) => {
    let inLetter = false;
    let rest = '';
    socket.write('220 box ESMTP\r\n');
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        heard.push(line);
        if (inLetter) {
          if (line === '.') {
            inLetter = false;
            socket.write('250 taken\r\n');
          }
          continue;
        }
        const verb = line.split(' ')[0]?.toUpperCase();
        if (verb === 'DATA') {
          inLetter = true;
          socket.write('354 go on\r\n');
        } else if (verb === 'RCPT' && refuses) socket.write('550 no such person\r\n');
        else if (verb === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return { port: address.port, heard, server };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !holds(); tries++) await new Promise((resolve) => setTimeout(resolve, 25));
  assert.ok(holds(), 'in time');
}

test('a letter goes out by SMTP from MAIL_FROM, with the link whole', async () => {
  const box = await postBox();
  const tandem = await startTestService({
    SMTP_URL: `smtp://127.0.0.1:${box.port}`,
    MAIL_FROM: 'Tandem <post@tandem.test>',
  });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await until(() => box.heard.includes('.'));
  const all = box.heard.join('\n');
  assert.match(all, 'MAIL FROM:<post@tandem.test>');
  assert.match(all, `RCPT TO:<${email}>`);
  assert.match(all, 'Subject: Reset your Tandem password');
  const letter = all.replace(/=\n/g, '').replace(/=3D/g, '=');
  assert.match(letter, new RegExp(`${tandem.url}/reset-password#token=[\\w-]{43}`));
  await tandem.close();
  box.server.close();
});

test('a mail server that refuses or is gone costs the request nothing', async () => {
  const box = await postBox(true);
  const tandem = await startTestService({ SMTP_URL: `smtp://127.0.0.1:${box.port}` });
  const { email } = await newAccount(tandem);
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await until(() => box.heard.some((line) => line.startsWith('RCPT')));
  await new Promise((resolve) => box.server.close(resolve));
  assert.is((await tandem.call('POST /auth/password-resets', { email })).status, 202);
  await tandem.close();
});

test.run();
