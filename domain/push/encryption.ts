import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/* Messages of web push, encrypted for one browser (RFC 8291 over RFC 8188): the push service cannot read them. */

const curve = 'prime256v1';
const saltBytes = 16;
/** The size of a record: a message is one, and larger than none that is sent. */
const recordBytes = 4096;
/** What a message may have: a record less its tag and delimiter. */
export const maxMessageBytes = recordBytes - 17;

/** The keys that a browser made for its subscription. */
export interface BrowserKeys {
  /** Its public key: an uncompressed point of P-256. */
  p256dh: Buffer;
  /** 16 random bytes that it shares with the service. */
  auth: Buffer;
}

const derive = (input: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', input, salt, info, length));

/** Whether bytes are a public key that a message can be encrypted for. */
export function isPublicKey(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const own = createECDH(curve);
  own.generateKeys();
  try {
    own.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A key pair for one message. */
function newPair(): ECDH {
  const pair = createECDH(curve);
  pair.generateKeys();
  return pair;
}

/**
 * The body of a push message, in the content coding `aes128gcm`. `sender` and `salt` are new for each message; given
 * ones only in tests. @throws RangeError when the message is too long.
 */
export function encryptMessage(
  message: Uint8Array,
  { p256dh, auth }: BrowserKeys,
  sender: ECDH = newPair(),
  salt: Buffer = randomBytes(saltBytes),
): Buffer {
  if (message.length > maxMessageBytes) throw new RangeError(`A push message has at most ${maxMessageBytes} bytes.`);
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, own]);
  const input = derive(sender.computeSecret(p256dh), auth, info, 32);
  const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(recordBytes);
  head.writeUInt8(own.length, 4);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2: the last record (RFC 8188 §2).
  const record = [cipher.update(message), cipher.update(Buffer.from([2])), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, head, own, ...record]);
}
