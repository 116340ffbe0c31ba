/** What a notification carries: at most 7,999 bytes of payload. */
export interface Notification {
  channel: string;
  payload: string;
}

/** Where notifications are put to be sent. */
export interface Outgoing {
  add(notifications: readonly Notification[]): void;
}

/** The notifications of a transaction or a savepoint: kept until it is released, and lost when it is rolled back. */
export class HeldNotifications implements Outgoing {
  readonly #next: Outgoing;
  #held: Notification[] | undefined = [];

  constructor(next: Outgoing) {
    this.#next = next;
  }

  add(notifications: readonly Notification[]): void {
    if (this.#held) this.#held.push(...notifications);
    else this.#next.add(notifications);
  }

  /** Passes on what is held, and what is added later: after a statement that was sent together with the COMMIT. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#next.add(held);
  }
}

/** Notifications of one statement, and of all that wait for it. */
const maxPerStatement = 500;
const maxWaiting = 20_000;

/**
 * Sends notifications in batches, in the order given and equal ones once. Each batch is a transaction of its own: one
 * that notifies holds a lock of the whole server while it commits, so it must neither change rows nor wait for the
 * disk.
 */
const statement = `select set_config('synchronous_commit', 'off', true), pg_notify(n.channel, n.payload)
  from unnest($1::text[], $2::text[]) as n(channel, payload)`;

/**
 * Notifies the processes that listen of what this one has committed. A notification may be lost, with the process or
 * with its connection: whoever listens polls as well.
 */
export class Notifier implements Outgoing {
  readonly #send: (text: string, values: unknown[]) => Promise<unknown>;
  #waiting: Notification[] = [];
  #flushing: Promise<void> | undefined;

  constructor(send: (text: string, values: unknown[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Sends notifications soon. Never throws. */
  add(notifications: readonly Notification[]): void {
    if (notifications.length === 0 || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(...notifications);
    this.#flushing ??= this.#flush();
  }

  /** Resolves once all notifications have been sent, or were lost. */
  async idle(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // What is added in the same moment goes into one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxPerStatement);
      const byText = new Map(batch.map((each) => [`${each.channel} ${each.payload}`, each]));
      const unique = [...byText.values()];
      const values = [unique.map(({ channel }) => channel), unique.map(({ payload }) => payload)];
      const send = () => this.#send(statement, values);
      // A connection that was closed while nobody used it fails the first statement.
      await send()
        .catch(send)
        .catch(() => {});
    }
    this.#flushing = undefined;
  }
}
