import { z } from 'zod';

/*
 * The JSON forms of WebAuthn Level 3, §5.1: what `PublicKeyCredential.toJSON()` makes of a credential, and the options
 * that `parseCreationOptionsFromJSON()` and `parseRequestOptionsFromJSON()` read.
 */

const base64url = (max: number, example: string) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url')
    .meta({ examples: [example] });

const clientData = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0';
const authenticatorData = 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MdAAAAAA';
const publicKey = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';

/** WebAuthn Level 3, §4: a credential id has at most 1023 bytes. */
const CredentialId = base64url(1364, 'Nq3V0b7Yl2nqk5m8zJtXwA');

const Common = {
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(40).nullable().optional(),
  clientExtensionResults: z.record(z.string().max(100), z.unknown()).optional(),
};

/** A new credential. */
export const AttestationResponse = z
  .strictObject({
    ...Common,
    response: z.strictObject({
      clientDataJSON: base64url(8192, clientData),
      attestationObject: base64url(65_536, 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ'),
      authenticatorData: base64url(65_536, authenticatorData).optional(),
      transports: z.array(z.string().max(40)).max(10).optional(),
      publicKeyAlgorithm: z.int().optional(),
      publicKey: base64url(8192, publicKey).nullable().optional(),
    }),
  })
  .meta({ id: 'PasskeyAttestation' });

export type Attestation = z.infer<typeof AttestationResponse>;

/** The use of a credential. */
export const AssertionResponse = z
  .strictObject({
    ...Common,
    response: z.strictObject({
      clientDataJSON: base64url(8192, clientData),
      authenticatorData: base64url(8192, authenticatorData),
      signature: base64url(8192, 'MEUCIQDqk5m8zJtXwAq3V0b7Yl2n'),
      userHandle: base64url(200, 'MDE5MGFhYWEtYmJiYi03Y2Nj').nullable().optional(),
    }),
  })
  .meta({ id: 'PasskeyAssertion' });

export type Assertion = z.infer<typeof AssertionResponse>;

const Descriptor = z.object({
  id: z.string().meta({ examples: ['Nq3V0b7Yl2nqk5m8zJtXwA'] }),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});

const Challenge = z.string().meta({ description: 'Base64url.', examples: ['q3V0b7Yl2nqk5m8zJtXw'] });
const Timeout = z.int().meta({ description: 'In milliseconds.', examples: [300_000] });

export const CreationOptions = z
  .object({
    rp: z.object({
      id: z.string().meta({ examples: ['tandem.example.com'] }),
      name: z.string().meta({ examples: ['Tandem'] }),
    }),
    user: z.object({
      id: z.string().meta({ examples: ['MDE5MGFhYWEtYmJiYi03Y2Nj'] }),
      name: z.string().meta({ examples: ['ada@example.com'] }),
      displayName: z.string().meta({ examples: ['Ada Lovelace'] }),
    }),
    challenge: Challenge,
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: Timeout,
    excludeCredentials: z.array(Descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions', description: 'For `navigator.credentials.create()`, as JSON.' });

export const RequestOptions = z
  .object({
    rpId: z.string().meta({ examples: ['tandem.example.com'] }),
    challenge: Challenge,
    timeout: Timeout,
    allowCredentials: z.array(Descriptor),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyRequestOptions', description: 'For `navigator.credentials.get()`, as JSON.' });
