import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/* A WebAuthn authenticator in software (WebAuthn Level 3, §6): ES256 keys, no attestation. */

const present = 0x01;
const verified = 0x04;
const synced = 0x18;
const attested = 0x40;

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

interface RequestOptions {
  challenge: string;
  rpId: string;
}

/** What an authenticator does otherwise than it should. */
export interface Quirks {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  userHandle?: string | null;
  /** The format of the attestation. */
  format?: string;
  statement?: Map<string, unknown>;
}

/** One passkey on one device. */
export class Authenticator {
  readonly id = base64url(randomBytes(32));
  /** The signature counter; 0 where the authenticator has none. */
  counter = 0;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #publicKey: Uint8Array;
  #userHandle = '';

  constructor(serviceUrl: string) {
    this.#origin = new URL(serviceUrl).origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const coordinate = (text: string) => Uint8Array.from(Buffer.from(text, 'base64url'));
    this.#key = privateKey;
    const cose: [number, number | Uint8Array][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ];
    this.#publicKey = isoCBOR.encode(new Map<number, number | Uint8Array>(cose) as never);
  }

  #data(rpId: string, flags: number): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(this.counter, 1);
    return Buffer.concat([sha256(rpId), head]);
  }

  #clientData(type: string, challenge: string, quirks: Quirks): Buffer {
    const origin = quirks.origin ?? this.#origin;
    const data = { type: quirks.type ?? type, challenge: quirks.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  #credential<Response>(response: Response) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  /** `navigator.credentials.create()`. */
  create(options: CreationOptions, quirks: Quirks = {}) {
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const flags = present | attested | synced | ((quirks.isVerified ?? true) ? verified : 0);
    const data = this.#data(quirks.rpId ?? options.rp.id, flags);
    const authData = Uint8Array.from(Buffer.concat([data, Buffer.alloc(16), length, id, this.#publicKey]));
    const parts: [string, unknown][] = [
      ['fmt', quirks.format ?? 'none'],
      ['attStmt', quirks.statement ?? new Map()],
      ['authData', authData],
    ];
    return this.#credential({
      clientDataJSON: base64url(this.#clientData('webauthn.create', options.challenge, quirks)),
      attestationObject: base64url(isoCBOR.encode(new Map(parts) as never)),
      transports: ['internal'],
    });
  }

  /** `navigator.credentials.get()`. */
  get(options: RequestOptions, quirks: Quirks = {}) {
    const flags = present | synced | ((quirks.isVerified ?? true) ? verified : 0);
    const authenticatorData = this.#data(quirks.rpId ?? options.rpId, flags);
    const clientData = this.#clientData('webauthn.get', options.challenge, quirks);
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#key);
    const userHandle = quirks.userHandle === undefined ? this.#userHandle : quirks.userHandle;
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      userHandle,
    });
  }
}
