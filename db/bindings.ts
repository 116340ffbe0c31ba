/** The values of a statement under construction; its text names them `$1`, `$2`, …. */
export class Bindings {
  readonly values: unknown[] = [];

  /** Adds a value and returns its name in the text. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
