import { z } from 'zod';
import { DeletedResource, Id } from '../domain/fields.ts';
import {
  getNotification,
  listNotifications,
  markNotificationsRead,
  updateNotification,
} from '../domain/notifications/rows.ts';
import { getNotificationSettings, updateNotificationSettings } from '../domain/notifications/settings.ts';
import {
  Notification,
  NotificationChange,
  NotificationListing,
  NotificationPage,
  NotificationSettings,
  NotificationSettingsChange,
  NotificationsRead,
  ReadUpTo,
} from '../domain/notifications/shapes.ts';
import { PushSubscription, PushSubscriptionPage, PushSubscriptionParams } from '../domain/push/shapes.ts';
import { addPushSubscription, listPushSubscriptions, removePushSubscription } from '../domain/push/subscriptions.ts';
import { op, procedure, router } from './base.ts';

export const notifications = router({
  list: procedure
    .meta(
      op('GET /notifications', {
        id: 'listNotifications',
        access: 'session',
        summary: 'List your notifications',
        description:
          'Lists what you were notified of in the workspace of this session, newest first, with the number of unread ones. Pages by cursor. Reading the list marks nothing as read: use markNotificationsRead or updateNotification.',
        sample: { unread: true },
      }),
    )
    .input(NotificationListing)
    .output(NotificationPage)
    .query(({ ctx, input }) => listNotifications(ctx, input)),

  settings: procedure
    .meta(
      op('GET /notifications/settings', {
        id: 'getNotificationSettings',
        access: 'session',
        summary: 'Get what you are notified of, and how',
        description:
          'Returns for each kind of notification whether it appears in your list and whether it is sent by email, in the workspace of this session. `updateNotificationSettings` changes them.',
        etag: true,
      }),
    )
    .input(z.strictObject({}))
    .output(NotificationSettings)
    .query(({ ctx }) => getNotificationSettings(ctx)),

  updateSettings: procedure
    .meta(
      op('PATCH /notifications/settings', {
        id: 'updateNotificationSettings',
        access: 'session',
        summary: 'Change what you are notified of',
        description:
          'Omitted settings stay unchanged. The email of an invitation cannot be switched off, because it is also sent to people without an account.',
        etag: true,
        events: ['notification_settings.updated'],
      }),
    )
    .input(NotificationSettingsChange)
    .output(NotificationSettings)
    .mutation(({ ctx, input }) => updateNotificationSettings(ctx, input)),

  readAll: procedure
    .meta(
      op('POST /notifications/read', {
        id: 'markNotificationsRead',
        access: 'session',
        summary: 'Mark your notifications as read',
        description:
          'Marks all your notifications in the workspace of this session as read, or those up to `upTo`, the newest one that you saw. Pass `upTo`, so that one that arrived meanwhile stays unread. Snoozed ones stay as they are. updateNotification marks a single one.',
        statuses: [404],
        events: ['notification.updated'],
      }),
    )
    .input(ReadUpTo)
    .output(NotificationsRead)
    .mutation(({ ctx, input }) => markNotificationsRead(ctx, input)),

  pushSubscriptions: procedure
    .meta(
      op('GET /notifications/push-subscriptions', {
        id: 'listPushSubscriptions',
        access: 'session',
        summary: 'List the browsers that you get notifications in',
        description:
          'Lists your browsers that show notifications of the workspace of this session, newest first, and the key with which a page subscribes a browser (Web Push, RFC 8030). addPushSubscription adds one.',
      }),
    )
    .input(z.strictObject({}))
    .output(PushSubscriptionPage)
    .query(({ ctx }) => listPushSubscriptions(ctx)),

  addPushSubscription: procedure
    .meta(
      op('POST /notifications/push-subscriptions', {
        id: 'addPushSubscription',
        access: 'session',
        summary: 'Get notifications in this browser',
        description:
          'Sends requests for approval and mentions to a browser, encrypted so that its push service cannot read them. The browser belongs to the session: it is removed when you end that (signOut), and when the push service answers that it is gone. A browser that another person used before is theirs no more. updateNotificationSettings chooses the kinds.',
        status: 201,
        events: [],
      }),
    )
    .input(PushSubscriptionParams)
    .output(PushSubscription)
    .mutation(({ ctx, input }) => addPushSubscription(ctx, input)),

  removePushSubscription: procedure
    .meta(
      op('DELETE /notifications/push-subscriptions/{pushSubscriptionId}', {
        id: 'removePushSubscription',
        access: 'session',
        summary: 'Get no more notifications in a browser',
        description:
          'Removes one of your browsers by its id from listPushSubscriptions. A message that is on its way may still arrive.',
        statuses: [404],
        events: [],
      }),
    )
    .input(z.strictObject({ pushSubscriptionId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => removePushSubscription(ctx, input)),

  get: procedure
    .meta(
      op('GET /notifications/{notificationId}', {
        id: 'getNotification',
        access: 'session',
        summary: 'Get a notification',
        description:
          'Returns one notification with the ids of the todo, chat or approval that it is about. It stays unread: use updateNotification.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ notificationId: Id }))
    .output(Notification)
    .query(({ ctx, input }) => getNotification(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /notifications/{notificationId}', {
        id: 'updateNotification',
        access: 'session',
        summary: 'Mark a notification as read or unread',
        description:
          'Marks one notification as read, or as unread again. markNotificationsRead does it for all of them.',
        sample: { read: true },
        etag: true,
        statuses: [404],
        events: ['notification.updated'],
      }),
    )
    .input(NotificationChange)
    .output(Notification)
    .mutation(({ ctx, input }) => updateNotification(ctx, input)),
});
