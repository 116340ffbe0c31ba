import { z } from 'zod';
import { CursorText, Id, Instant, Limit, listOf } from '../fields.ts';
import { letteredKinds, notificationKinds } from './kinds.ts';

const Kind = z.enum(notificationKinds);

export const Notification = z
  .object({
    object: z.literal('notification'),
    id: Id,
    kind: Kind.describe('What happened.'),
    title: z.string().meta({ examples: ['“Water the plants” is due'] }),
    text: z.string().meta({ examples: ['It was planned for Sunday, March 1, 2026 at 9:00 AM (Europe/Berlin).'] }),
    todoId: Id.nullable().describe('The todo it is about.'),
    chatId: Id.nullable().describe('The chat it is about.'),
    approvalId: Id.nullable().describe('The first of the approvals that an agent asks for.'),
    letterStatus: z
      .enum(['none', 'pending', 'sent', 'failed', 'suppressed'])
      .describe(
        'Of its letter. none: the service sends none of this kind. suppressed: you switched them off. failed: five tries did not get it out.',
      ),
    isRead: z.boolean(),
    readAt: Instant.nullable(),
    createdAt: Instant,
  })
  .meta({ id: 'Notification' });

export type NotificationAnswer = z.infer<typeof Notification>;

const unreadCount = z.int().meta({ description: 'Unread ones in all, whatever is listed.', examples: [3] });

export const NotificationPage = listOf(Notification, 'NotificationPage')
  .extend({ unreadCount })
  .meta({ id: 'NotificationPage' });

export const NotificationListing = z.strictObject({
  unread: z.boolean().default(false).describe('Only those that are not read.'),
  limit: Limit,
  cursor: CursorText,
});

export const NotificationChange = z
  .strictObject({ notificationId: Id, read: z.boolean().describe('False: unread again.') })
  .meta({ id: 'NotificationUpdateParams' });

export const ReadUpTo = z
  .strictObject({
    upTo: Id.optional().meta({
      description: 'The newest that you saw: later ones stay unread. Omitted: all of them.',
      examples: ['019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42'],
    }),
  })
  .meta({ id: 'NotificationReadParams' });

export const NotificationsRead = z
  .object({
    object: z.literal('notifications_read'),
    readCount: z.int().meta({ description: 'How many were unread and no longer are.', examples: [3] }),
    unreadCount: z.int().meta({ description: 'How many still are.', examples: [0] }),
  })
  .meta({ id: 'NotificationsRead' });

const inApp = z.boolean().describe('In your list of notifications.');
const Switches = z.object({ inApp, email: z.boolean().describe('By letter.') });
const SwitchesOfInvitations = z.object({ inApp });
const SwitchChange = z.strictObject({ inApp: inApp.optional(), email: z.boolean().optional().describe('By letter.') });

function byLetteredKind<Shape extends z.ZodType>(shape: Shape) {
  return Object.fromEntries(letteredKinds.map((kind) => [kind, shape])) as Record<
    Exclude<(typeof notificationKinds)[number], 'invited'>,
    Shape
  >;
}

export const NotificationSettings = z
  .object({
    object: z.literal('notification_settings'),
    id: Id.describe('Of the person, whose settings in this workspace they are.'),
    sendsLetters: z
      .boolean()
      .describe(
        'Whether this service sends letters. Where it does not, the switches of letters count for nothing yet.',
      ),
    kinds: z.object({ ...byLetteredKind(Switches), invited: SwitchesOfInvitations }),
  })
  .meta({ id: 'NotificationSettings' });

export type NotificationSettingsAnswer = z.infer<typeof NotificationSettings>;

export const NotificationSettingsChange = z
  .strictObject({
    kinds: z
      .strictObject({
        ...byLetteredKind(SwitchChange.optional()),
        invited: z.strictObject({ inApp: inApp.optional() }).optional(),
      })
      .meta({ examples: [{ todo_due: { email: false } }] }),
  })
  .meta({ id: 'NotificationSettingsUpdateParams' });

export type SwitchChanges = z.infer<typeof NotificationSettingsChange>['kinds'];
