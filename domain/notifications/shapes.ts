import { z } from 'zod';
import { CursorText, Id, Instant, Limit, listOf } from '../fields.ts';

/** What people are notified of. */
export const notificationKinds = [
  'todo_due',
  'approval_requested',
  'run_failed',
  'invited',
  'minutes_exhausted',
  'webhook_disabled',
  'mentioned',
  'todo_reminder',
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** Kinds that emails are sent for. An invitation has an email of its own, which nobody can switch off. */
const emailedKinds = notificationKinds.filter((kind) => kind !== 'invited');

/** Whether notifications of this kind are also sent by email. */
export function hasEmails(kind: NotificationKind): boolean {
  return emailedKinds.some((each) => each === kind);
}

/** Kinds that are also sent to the browsers of a person. */
const pushedKinds = ['approval_requested', 'mentioned'] as const satisfies readonly NotificationKind[];

/** Whether notifications of this kind are also sent to browsers. */
export function isPushed(kind: NotificationKind): boolean {
  return pushedKinds.some((each) => each === kind);
}

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
    url: z
      .string()
      .nullable()
      .meta({
        description: 'The page of what it is about; null where there is none.',
        examples: ['https://tandem.example.com/todos/019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42'],
      }),
    letterStatus: z
      .enum(['none', 'pending', 'sent', 'failed', 'suppressed'])
      .describe(
        'Status of its email. none: the service sends none of this kind. suppressed: you switched them off, or have yet to confirm your address. failed: it could not be sent in five tries.',
      ),
    isRead: z.boolean(),
    readAt: Instant.nullable(),
    createdAt: Instant,
  })
  .meta({ id: 'Notification' });

export type NotificationAnswer = z.infer<typeof Notification>;

const unreadCount = z
  .int()
  .meta({ description: 'All unread ones that are not snoozed, independent of the filter.', examples: [3] });

export const NotificationPage = listOf(Notification, 'NotificationPage')
  .extend({ unreadCount })
  .meta({ id: 'NotificationPage' });

export const NotificationListing = z.strictObject({
  unread: z.boolean().default(false).describe('Only those that are not read.'),
  limit: Limit,
  cursor: CursorText,
});

export type NotificationQuery = z.infer<typeof NotificationListing>;

export const NotificationChange = z
  .strictObject({ notificationId: Id, read: z.boolean().describe('False: unread again.') })
  .meta({ id: 'NotificationUpdateParams' });

export const ReadUpTo = z
  .strictObject({
    upTo: Id.optional().meta({
      description: 'The newest notification that you saw: later ones stay unread. Omitted: all of them.',
      examples: ['019ca8c7-da00-7ba5-8e1f-5a0c3d9b7e42'],
    }),
  })
  .meta({ id: 'NotificationReadParams' });

export const NotificationsRead = z
  .object({
    object: z.literal('notifications_read'),
    readCount: z.int().meta({ description: 'How many were marked as read.', examples: [3] }),
    unreadCount: z.int().meta({ description: 'How many remain unread, without snoozed ones.', examples: [0] }),
  })
  .meta({ id: 'NotificationsRead' });

const inApp = z.boolean().describe('In your list of notifications.');
const push = z.boolean().describe('In browsers that you added with addPushSubscription.');
const Switches = z.object({ inApp, email: z.boolean().describe('By email.') });
const PushedSwitches = Switches.extend({ push });
const SwitchesOfInvitations = z.object({ inApp });
const SwitchChange = z.strictObject({ inApp: inApp.optional(), email: z.boolean().optional().describe('By email.') });
const PushedChange = SwitchChange.extend({ push: push.optional() });

function byPushedKind<Shape extends z.ZodType>(shape: Shape) {
  return Object.fromEntries(pushedKinds.map((kind) => [kind, shape])) as Record<(typeof pushedKinds)[number], Shape>;
}

function byEmailedKind<Shape extends z.ZodType>(shape: Shape) {
  return Object.fromEntries(emailedKinds.map((kind) => [kind, shape])) as Record<
    Exclude<(typeof notificationKinds)[number], 'invited'>,
    Shape
  >;
}

export const NotificationSettings = z
  .object({
    object: z.literal('notification_settings'),
    id: Id.describe('The person whose settings in this workspace these are.'),
    sendsLetters: z
      .boolean()
      .describe('Whether this service sends emails. Where it does not, the `email` switches have no effect yet.'),
    kinds: z.object({
      ...byEmailedKind(Switches),
      ...byPushedKind(PushedSwitches),
      invited: SwitchesOfInvitations,
    }),
  })
  .meta({ id: 'NotificationSettings' });

export type NotificationSettingsAnswer = z.infer<typeof NotificationSettings>;

export const NotificationSettingsChange = z
  .strictObject({
    kinds: z
      .strictObject({
        ...byEmailedKind(SwitchChange.optional()),
        ...byPushedKind(PushedChange.optional()),
        invited: z.strictObject({ inApp: inApp.optional() }).optional(),
      })
      .meta({ examples: [{ todo_due: { email: false } }] }),
  })
  .meta({ id: 'NotificationSettingsUpdateParams' });

export type NotificationSettingsPatch = z.infer<typeof NotificationSettingsChange>;
