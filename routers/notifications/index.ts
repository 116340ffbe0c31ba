import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { Id } from '../fields.ts';
import { findNotification, listNotifications, markAllRead, markNotification } from './rows.ts';
import { changeSettings, settingsOf } from './settings.ts';
import {
  Notification,
  NotificationChange,
  NotificationListing,
  NotificationPage,
  NotificationSettings,
  NotificationSettingsChange,
  NotificationsRead,
  ReadUpTo,
} from './shapes.ts';

export const notifications = router({
  list: procedure
    .meta(
      op('GET /notifications', {
        id: 'listNotifications',
        access: 'session',
        summary: 'List your notifications',
        description: 'Yours, in the workspace of the session, newest first, with how many are unread.',
      }),
    )
    .input(NotificationListing)
    .output(NotificationPage)
    .query(({ ctx, input }) => listNotifications(ctx.db, ctx.service.cursorKey, principalOf(ctx), input)),

  settings: procedure
    .meta(
      op('GET /notifications/settings', {
        id: 'getNotificationSettings',
        access: 'session',
        summary: 'Get what you are told of, and how',
        description: 'Your switches in the workspace of the session.',
        etag: true,
      }),
    )
    .input(z.strictObject({}))
    .output(NotificationSettings)
    .query(({ ctx }) => settingsOf(ctx.db, principalOf(ctx), ctx.mail.sends)),

  updateSettings: procedure
    .meta(
      op('PATCH /notifications/settings', {
        id: 'updateNotificationSettings',
        access: 'session',
        summary: 'Switch what you are told of',
        description:
          'What is left out stays as it is. The letter of an invitation is for whoever has no account yet too, so it cannot be switched off.',
        etag: true,
      }),
    )
    .input(NotificationSettingsChange)
    .output(NotificationSettings)
    .mutation(({ ctx, input }) => changeSettings(ctx.db, principalOf(ctx), ctx.mail.sends, input.kinds, ctx.ifMatch)),

  readAll: procedure
    .meta(
      op('POST /notifications/read', {
        id: 'markNotificationsRead',
        access: 'session',
        summary: 'Mark your notifications as read',
        description: 'All of them, or up to the newest one that you saw.',
        statuses: [404],
      }),
    )
    .input(ReadUpTo)
    .output(NotificationsRead)
    .mutation(({ ctx, input }) => markAllRead(ctx.db, principalOf(ctx), input.upTo, ctx.clock())),

  get: procedure
    .meta(
      op('GET /notifications/{notificationId}', {
        id: 'getNotification',
        access: 'session',
        summary: 'Get a notification',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ notificationId: Id }))
    .output(Notification)
    .query(({ ctx, input }) => findNotification(ctx.db, principalOf(ctx), input.notificationId)),

  update: procedure
    .meta(
      op('PATCH /notifications/{notificationId}', {
        id: 'updateNotification',
        access: 'session',
        summary: 'Mark a notification as read or unread',
        etag: true,
        statuses: [404],
      }),
    )
    .input(NotificationChange)
    .output(Notification)
    .mutation(({ ctx, input: { notificationId, read } }) =>
      markNotification(ctx.db, principalOf(ctx), notificationId, { read, now: ctx.clock(), ifMatch: ctx.ifMatch }),
    ),
});
