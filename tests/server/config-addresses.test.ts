import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, parseConfig } from '../../server/config.ts';

const test = suite('addresses in settings');

function faultOf(settings: Record<string, string>): string {
  try {
    parseConfig(settings);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function assertRefused(name: string, values: readonly string[], fault: RegExp) {
  for (const value of values) {
    const message = faultOf({ [name]: value });
    assert.match(message, new RegExp(`^  ${name} `, 'm'), value);
    assert.match(message, fault);
    assert.not.match(message, value);
  }
}

function assertTaken(name: string, values: readonly string[]) {
  for (const value of values) assert.is(faultOf({ [name]: value }), '', value);
}

test('of a database are refused by name where the driver would read them otherwise', () => {
  const refused = ['u:pa#ss@db1/tandem', 'u:pa/ss@db1/tandem', 'u:12/34@db1/tandem', 'u:100%@db1/tandem', 'db1:port/x'];
  assertRefused(
    'DATABASE_URL',
    refused.map((each) => `postgres://${each}`),
    /write \/ as %2F, # as %23/,
  );
  const taken = [
    'u:p%40%23@db1/tandem',
    'u:p[x@db1/tandem',
    'db1:5432,db2:5433/tandem?sslmode=require',
    '/tandem?host=/run',
  ];
  assertTaken(
    'DATABASE_URL',
    taken.map((each) => `postgres://${each}`),
  );
});

test('of a database in brackets are refused by name: the driver takes them apart at each colon', () => {
  const refused = ['[::1]/tandem', 'u@[fd00::5]:5432/tandem', 'db1,[::1]/tandem'];
  assertRefused(
    'DATABASE_URL',
    refused.map((each) => `postgres://${each}`),
    /has an IPv6 address in brackets, .*: use a host name/,
  );
});

test('of the service are kept as browsers spell them', () => {
  const spelled = {
    'HTTPS://Tandem.example.com:443/': 'https://tandem.example.com',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'http://127.0.0.1:8080': 'http://127.0.0.1:8080',
  };
  for (const [url, kept] of Object.entries(spelled)) assert.is(parseConfig({ PUBLIC_URL: url }).PUBLIC_URL, kept);
});

test('of a mail server are refused by name where its password cannot be read', () => {
  const refused = [
    'u:pa#ss@mail.example',
    'u:12#34@mail.example',
    'u:12/34@mail.example',
    'u:100%@mail.example',
    ':25',
  ];
  assertRefused(
    'SMTP_URL',
    refused.map((each) => `smtp://${each}`),
    /% as %25/,
  );
  const MAIL_FROM = 'tandem@mail.example';
  for (const SMTP_URL of ['smtp://mail.example', 'smtps://u%40a:p%25@mail.example:465/'])
    assert.is(faultOf({ SMTP_URL, MAIL_FROM }), '');
});

test('of the sender are needed where the mail server is another machine, which refuses the default', () => {
  for (const url of ['smtp://127.0.0.1:1', 'smtp://localhost:25', 'smtp://[::1]:25']) assertTaken('SMTP_URL', [url]);
  for (const SMTP_URL of ['smtp://mail.example', 'smtps://u:hidden@mailpit:465']) {
    const fault = faultOf({ SMTP_URL });
    assert.match(fault, /^ {2}MAIL_FROM must be an address that the mail server of SMTP_URL sends for, /m);
    assert.not.match(fault, 'hidden');
    assert.match(faultOf({ SMTP_URL, MAIL_FROM: 'Tandem <me@localhost>' }), '(it is “Tandem <me@localhost>”)');
  }
  assert.is(faultOf({ MAIL_FROM: 'Tandem <me@localhost>' }), '');
});

test('of pages are origins, as browsers send them', () => {
  const refused = [
    'https://pages.example.net/',
    'pages.example.net',
    '*',
    'https://pages.example.net:443',
    'https://PAGES.example.net',
  ];
  assertRefused('ALLOWED_ORIGINS', [...refused, 'https://a.example,https://b.example/x'], /must be origins such as/);
  assertTaken('ALLOWED_ORIGINS', [
    'https://pages.example.net, http://localhost:3000',
    'capacitor://localhost',
    'chrome-extension://abcdef',
  ]);
});

test('of the service are the root of a host', () => {
  const refused = ['/tandem', '/?a=b', '?', '#top', '/tandem/'].map((rest) => `https://tandem.example.com${rest}`);
  refused.push('https://ada:secret@tandem.example.com');
  assertRefused('PUBLIC_URL', refused, /at the root of a host, not below a path/);
  assertTaken('PUBLIC_URL', ['https://tandem.example.com', 'http://localhost:8080/', 'http://[::1]:8080']);
});

test.run();
