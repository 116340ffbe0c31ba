import { z } from 'zod';
import { op, principalOf, procedure } from '../base.ts';
import { passwordResetLetter, resetPassword, setPassword } from './passwords.ts';
import { Email, LetterToken, NewPassword, shownEmail, TriedPassword } from './shapes.ts';
import { requirePassword } from './sign-in.ts';

const PasswordSet = z
  .object({ object: z.literal('password_set'), sessionsEnded: z.literal(true) })
  .meta({ id: 'PasswordSet' });

export const passwordOperations = {
  changePassword: procedure
    .meta(
      op('POST /auth/password', {
        id: 'changePassword',
        access: 'session',
        summary: 'Change your password',
        description: 'Ends all your other sessions.',
      }),
    )
    .input(
      z.strictObject({ currentPassword: TriedPassword, newPassword: NewPassword }).meta({ id: 'PasswordChangeParams' }),
    )
    .output(PasswordSet)
    .mutation(async ({ ctx, input }) => {
      const { userId, credentialId } = principalOf(ctx);
      await requirePassword(ctx.db, userId, input.currentPassword, ctx.client);
      await ctx.db.transaction((tx) => setPassword(tx, userId, input.newPassword, credentialId));
      return { object: 'password_set' as const, sessionsEnded: true as const };
    }),

  requestPasswordReset: procedure
    .meta(
      op('POST /auth/password-resets', {
        id: 'requestPasswordReset',
        access: 'public',
        summary: 'Ask for a letter that resets a password',
        description: 'Answers the same whether or not an account has this address.',
        status: 202,
      }),
    )
    .input(z.strictObject({ email: Email }).meta({ id: 'PasswordResetParams' }))
    .output(
      z
        .object({ object: z.literal('password_reset_requested'), email: shownEmail })
        .meta({ id: 'PasswordResetRequested' }),
    )
    .mutation(({ ctx, input }) => {
      void passwordResetLetter(ctx.db, input.email, ctx.service.publicUrl).then(
        (letter) => letter && ctx.mail.post(letter),
        (error: unknown) => ctx.mail.failed(error),
      );
      return { object: 'password_reset_requested' as const, email: input.email };
    }),

  confirmPasswordReset: procedure
    .meta(
      op('POST /auth/password-resets/confirm', {
        id: 'confirmPasswordReset',
        access: 'public',
        summary: 'Set a new password by the token of a letter',
        description: 'Ends all sessions of the account.',
      }),
    )
    .input(z.strictObject({ token: LetterToken, newPassword: NewPassword }).meta({ id: 'PasswordResetConfirmParams' }))
    .output(PasswordSet)
    .mutation(async ({ ctx, input }) => {
      await resetPassword(ctx.db, input.token, input.newPassword);
      return { object: 'password_set' as const, sessionsEnded: true as const };
    }),
};
