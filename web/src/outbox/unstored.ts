import type { WriteStore } from './queue.ts';
import type { Write } from './write.ts';

/** The writes of a window whose browser stores nothing. */
export class UnstoredWrites implements WriteStore {
  readonly #writes = new Map<string, Write>();

  async all(): Promise<Write[]> {
    return [...this.#writes.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async put(write: Write): Promise<void> {
    this.#writes.set(write.id, write);
  }

  async update(id: string, changes: Partial<Write>): Promise<void> {
    const found = this.#writes.get(id);
    if (found) this.#writes.set(id, { ...found, ...changes });
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#writes.delete(id);
  }
}
