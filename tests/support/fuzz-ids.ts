/** How many ids of a kind are used: the latest, so that most of them are still there. */
const maxIds = 60;

/** Fields that take the ids of another name. */
const aliases: Record<string, string> = {
  ids: 'todoId',
  captureIds: 'captureId',
  assigneeId: 'assignees',
  upTo: 'notificationId',
};

/** Ids that requests of a fuzz can hit, by the name of the path parameter or field that takes them. */
export class FuzzIds {
  readonly #byName = new Map<string, { ids: string[]; added: number }>();

  /** Adds an id; of many the oldest is forgotten. */
  add(name: string, id: string): void {
    for (const each of [name, '']) {
      const known = this.#byName.get(each) ?? { ids: [], added: 0 };
      known.ids[known.added++ % (each === '' ? maxIds * 10 : maxIds)] = id;
      this.#byName.set(each, known);
    }
  }

  /** Adds what an answer of 201 or 202 made. */
  note(body: unknown): void {
    const { object, id, chatId, data } = (body ?? {}) as Record<string, unknown>;
    if (Array.isArray(data)) for (const each of data) this.note(each);
    if (typeof chatId === 'string') this.add('chatId', chatId);
    if (typeof object !== 'string' || typeof id !== 'string') return;
    this.add(`${object.replaceAll(/_(\w)/g, (_, initial: string) => initial.toUpperCase())}Id`, id);
    if (object === 'agent') this.add('assignees', id);
  }

  /** The ids for a field; of any kind when none are known for it. */
  readonly for = (name: string): readonly string[] =>
    (this.#byName.get(aliases[name] ?? name) ?? this.#byName.get(''))?.ids ?? [];
}
