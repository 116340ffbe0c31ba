import { z } from 'zod';
import { TriedPassword } from '../accounts/shapes.ts';
import { Id, Instant, listOf, nonBlankText } from '../fields.ts';
import { AssertionResponse, AttestationResponse, CreationOptions, RequestOptions } from './webauthn-shapes.ts';

export const Method = z.enum(['totp', 'passkey', 'recovery_code']);

export type SecondFactorMethod = z.infer<typeof Method>;

/** A code of an authenticator app; spaces are allowed where people read it in two groups. */
export const TotpCode = z
  .string()
  .max(20)
  .regex(/^\s*\d{3}\s?\d{3}\s*$/, 'must be the 6 digits that the authenticator app shows')
  .meta({ examples: ['492039'] });

const RecoveryCodeText = z
  .string()
  .min(1)
  .max(100)
  .meta({ examples: ['7K2M-9QXA-4TBD-H0WE-C3RN-8VJP'] });

/** What gives the second factor. */
export const totpProof = z.strictObject({ method: z.literal('totp'), code: TotpCode }).meta({ id: 'TotpProof' });
export const recoveryCodeProof = z.strictObject({ method: z.literal('recovery_code'), code: RecoveryCodeText });
export const passkeyProof = z
  .strictObject({ method: z.literal('passkey'), credential: AssertionResponse })
  .meta({ id: 'PasskeyProof' });

export type Proof = z.infer<typeof totpProof> | z.infer<typeof recoveryCodeProof> | z.infer<typeof passkeyProof>;

export const SecondFactors = z
  .object({
    object: z.literal('second_factors'),
    isActive: z.boolean().describe('Whether signing in with the password asks for a second factor.'),
    isRequired: z.boolean().describe('Whether the workspace of the session requires one.'),
    totp: z.object({ isActive: z.boolean(), since: Instant.nullable() }),
    passkeys: z.int().meta({ examples: [1] }),
    recoveryCodes: z.object({
      remaining: z.int().meta({ description: 'Number of unused codes.', examples: [10] }),
      createdAt: Instant.nullable(),
    }),
  })
  .meta({ id: 'SecondFactors' });

export type SecondFactorStatus = z.infer<typeof SecondFactors>;

export const TotpEnrolment = z
  .object({
    object: z.literal('totp_enrolment'),
    secret: z
      .string()
      .meta({ description: 'The secret in Base32 (RFC 4648), to enter by hand.', examples: ['JBSWY3DPEHPK3PXP'] }),
    uri: z.string().meta({
      description: 'The address to show as a QR code.',
      examples: ['otpauth://totp/Tandem:ada%40example.com?issuer=Tandem&secret=JBSWY3DPEHPK3PXP'],
    }),
    expiresAt: Instant.describe('Until when it must be confirmed with a code.'),
  })
  .meta({ id: 'TotpEnrolment' });

export type TotpEnrolmentAnswer = z.infer<typeof TotpEnrolment>;

export const TotpConfirmParams = z.strictObject({ code: TotpCode }).meta({ id: 'TotpConfirmParams' });

const codes = z
  .array(z.string())
  .meta({ description: 'Returned only here.', examples: [['7K2M-9QXA-4TBD-H0WE-C3RN-8VJP']] });

export const RecoveryCodes = z
  .object({ object: z.literal('recovery_codes'), codes, createdAt: Instant })
  .meta({ id: 'RecoveryCodes' });

export type RecoveryCodesAnswer = z.infer<typeof RecoveryCodes>;

export const TotpConfirmed = z
  .object({
    object: z.literal('totp'),
    isActive: z.literal(true),
    since: Instant,
    recoveryCodes: RecoveryCodes.nullable().describe('New ones with the first second factor, else null.'),
  })
  .meta({ id: 'TotpConfirmed' });

export const TotpRemoved = z
  .object({ object: z.literal('totp'), isActive: z.literal(false), alreadyRemoved: z.boolean() })
  .meta({ id: 'TotpRemoved' });

const PasskeyName = nonBlankText(80).meta({ examples: ['Laptop'] });

export const Passkey = z
  .object({
    object: z.literal('passkey'),
    id: Id,
    name: z.string().meta({ examples: ['Laptop'] }),
    isSynced: z.boolean().describe('Whether it is backed up, such as by a password manager.'),
    createdAt: Instant,
    lastUsedAt: Instant.nullable(),
  })
  .meta({ id: 'Passkey' });

export type PasskeyAnswer = z.infer<typeof Passkey>;

export const PasskeyList = listOf(Passkey, 'PasskeyList');

export const NewPasskey = Passkey.extend({
  recoveryCodes: RecoveryCodes.nullable().describe('New ones with the first second factor, else null.'),
}).meta({ id: 'NewPasskey' });

export const PasskeyCreation = z
  .object({
    object: z.literal('passkey_creation'),
    options: CreationOptions,
    expiresAt: Instant,
  })
  .meta({ id: 'PasskeyCreation' });

export const PasskeyRequest = z
  .object({
    object: z.literal('passkey_request'),
    options: RequestOptions,
    expiresAt: Instant,
  })
  .meta({ id: 'PasskeyRequest' });

export const PasskeyCreateParams = z
  .strictObject({ name: PasskeyName, credential: AttestationResponse })
  .meta({ id: 'PasskeyCreateParams' });

export const PasskeyUpdateParams = z
  .strictObject({ passkeyId: Id, name: PasskeyName })
  .meta({ id: 'PasskeyUpdateParams' });

export const PasskeyDeleted = z
  .object({ object: z.literal('deleted'), id: Id, deleted: z.literal(true), recoverable: z.literal(false) })
  .meta({ id: 'PasskeyDeleted' });

const passwordProof = z
  .strictObject({ method: z.literal('password'), password: TriedPassword })
  .meta({ id: 'PasswordProof' });

export const ReauthenticationParams = z
  .discriminatedUnion('method', [passwordProof, totpProof, passkeyProof])
  .meta({ id: 'ReauthenticationParams' });

export const Reauthentication = z
  .object({ object: z.literal('reauthentication'), expiresAt: Instant })
  .meta({ id: 'Reauthentication' });
