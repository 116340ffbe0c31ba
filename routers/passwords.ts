import { changePassword, confirmPasswordReset, requestPasswordReset } from '../domain/sign-in/passwords.ts';
import {
  PasswordChangeParams,
  PasswordResetConfirmParams,
  PasswordResetParams,
  PasswordResetRequested,
  PasswordSet,
} from '../domain/sign-in/shapes.ts';
import { op, procedure, publicProcedure } from './base.ts';

export const passwordOperations = {
  changePassword: procedure
    .meta(
      op('POST /auth/password', {
        id: 'changePassword',
        access: 'session',
        beforeSecondFactor: true,
        summary: 'Change your password',
        description:
          'Sets a new password after checking the current one, and ends all your other sessions. With `revokeAccess` your API keys and connected apps end too, and webhooks that were made in sessions are disabled. If you do not know the current password, use requestPasswordReset.',
        sample: { currentPassword: 'correct horse battery staple', newPassword: 'nine purple teapots at midnight' },
        events: ['api_key.revoked', 'connected_app.revoked', 'webhook_endpoint.updated', 'notification.created'],
      }),
    )
    .input(PasswordChangeParams)
    .output(PasswordSet)
    .mutation(({ ctx, input }) => changePassword(ctx, input)),

  requestPasswordReset: publicProcedure
    .meta(
      op('POST /auth/password-resets', {
        id: 'requestPasswordReset',
        access: 'public',
        summary: 'Request an email that resets a password',
        description:
          'Sends an email with a link that is valid once; confirmPasswordReset sets the new password with its token. The answer is the same whether or not an account has this address, so that nobody can find out who has one. Where `sendsEmail` is false no email is sent: ask the person who runs the service for a link.',
        status: 202,
        events: [],
      }),
    )
    .input(PasswordResetParams)
    .output(PasswordResetRequested)
    .mutation(({ ctx, input }) => requestPasswordReset(ctx, input)),

  confirmPasswordReset: publicProcedure
    .meta(
      op('POST /auth/password-resets/confirm', {
        id: 'confirmPasswordReset',
        access: 'public',
        summary: 'Set a new password with the token of an email',
        description:
          'Ends all sessions of the account, and its API keys and connected apps unless `revokeAccess` is false; webhooks that were made in sessions are disabled then. The link of an email also verifies the address; one that the operator printed does not.',
        events: ['api_key.revoked', 'connected_app.revoked', 'webhook_endpoint.updated', 'notification.created'],
      }),
    )
    .input(PasswordResetConfirmParams)
    .output(PasswordSet)
    .mutation(({ ctx, input }) => confirmPasswordReset(ctx, input)),
};
