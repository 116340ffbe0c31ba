import { createECDH, createPublicKey, verify } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encryptMessage, isPublicKey, maxMessageBytes } from '../../domain/push/encryption.ts';
import { vapidHeader, vapidKeyOf } from '../../domain/push/vapid.ts';
import { decryptMessage } from '../support/push-service.ts';

const test = suite('web push');
const bytes = (text: string) => Buffer.from(text, 'base64url');

test('a message is encrypted as the example of RFC 8291', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const p256dh = bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4');
  const auth = bytes('BTBZMqHH6r4Tts7J_aSIgg');
  const salt = bytes('DGv6ra1nlYgDCS1FRnbzlw');
  const text = Buffer.from('When I grow up, I want to be a watermelon');
  assert.is(
    encryptMessage(text, { p256dh, auth }, sender, salt).toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('only the browser can decrypt a message, and each one is encrypted anew', () => {
  const browser = createECDH('prime256v1');
  const p256dh = browser.generateKeys();
  const auth = Buffer.alloc(16, 7);
  const text = Buffer.alloc(maxMessageBytes, 'ä');
  const [one, other] = [1, 2].map(() => encryptMessage(text, { p256dh, auth }));
  assert.ok(one && other);
  assert.not.equal(one, other);
  assert.equal(decryptMessage(one, browser, auth), text);
  assert.throws(() => decryptMessage(one, browser, Buffer.alloc(16, 8)));
  assert.throws(() => encryptMessage(Buffer.alloc(maxMessageBytes + 1), { p256dh, auth }), /at most/);
});

test('a key of a browser is a point of the curve', () => {
  const key = createECDH('prime256v1').generateKeys();
  assert.ok(isPublicKey(key));
  for (const wrong of [Buffer.alloc(65, 4), key.subarray(1), Buffer.concat([Buffer.from([3]), key.subarray(1)])])
    assert.not(isPublicKey(wrong));
});

test('the same secret gives the same key, whose signature names the push service, an end and the address', () => {
  const secret = Buffer.alloc(32, 5);
  const key = vapidKeyOf(secret);
  assert.is(key.publicKey, vapidKeyOf(secret).publicKey);
  const now = Date.parse('2026-03-01T00:00:00Z');
  const header = vapidHeader(key, {
    endpoint: 'https://push.example.com/a?b',
    contact: 'https://tandem.example.com',
    now,
  });
  const [, token = '', k = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(header) ?? [];
  assert.is(k, key.publicKey);
  const [head = '', claims = '', signature = ''] = token.split('.');
  assert.equal(JSON.parse(bytes(head).toString()), { typ: 'JWT', alg: 'ES256' });
  assert.equal(JSON.parse(bytes(claims).toString()), {
    aud: 'https://push.example.com',
    exp: now / 1000 + 12 * 3600,
    sub: 'https://tandem.example.com',
  });
  const publicKey = createPublicKey(key.privateKey);
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature),
  );
  assert.ok(isValid);
  assert.not.match(vapidHeader(key, { endpoint: 'https://a.example', contact: 'http://localhost', now }), 'sub');
  // A number above the order of the curve is no key.
  assert.is(vapidKeyOf(Buffer.alloc(32, 255)).publicKey.length, 87);
});

test.run();
