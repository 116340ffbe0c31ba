import { z } from 'zod';
import { getEmailVerification, resendVerification, verifyEmail } from '../domain/accounts/email-verification.ts';
import { EmailVerification, EmailVerificationConfirmParams, EmailVerified } from '../domain/accounts/shapes.ts';
import { op, procedure, publicProcedure } from './base.ts';

export const emailVerificationOperations = {
  getEmailVerification: procedure
    .meta(
      op('GET /auth/email-verification', {
        id: 'getEmailVerification',
        access: 'session',
        summary: 'Get whether your email address is verified',
        description:
          'Returns your address, whether it is verified, and whether this service requires that. Where it does, API keys, connected apps, invitations and new owners are refused until then (403, reason `email_not_verified`). Use resendVerification for a new email.',
      }),
    )
    .input(z.strictObject({}))
    .output(EmailVerification)
    .query(({ ctx }) => getEmailVerification(ctx)),

  resendVerification: procedure
    .meta(
      op('POST /auth/email-verification', {
        id: 'resendVerification',
        access: 'session',
        summary: 'Send the email that verifies your address again',
        description:
          'Sends at most five emails an hour; further requests get 429. Earlier links stay valid. Nothing is sent to a verified address.',
        status: 202,
        events: [],
      }),
    )
    .input(z.strictObject({}))
    .output(EmailVerification)
    .mutation(({ ctx }) => resendVerification(ctx)),

  verifyEmail: publicProcedure
    .meta(
      op('POST /auth/email-verification/confirm', {
        id: 'verifyEmail',
        access: 'public',
        summary: 'Verify an email address with the token of an email',
        description:
          'The token is valid for 24 hours and verifies the address that it was sent to. No session is needed: the link may be opened in another browser than the one that signed up.',
        events: [],
      }),
    )
    .input(EmailVerificationConfirmParams)
    .output(EmailVerified)
    .mutation(({ ctx, input }) => verifyEmail(ctx, input)),
};
