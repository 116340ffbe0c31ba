/** The values of a statement under construction; its text names them `$1`, `$2`, …. */
export class Bindings {
  readonly values: unknown[];

  /**
   * `workspaceId`: for a statement on one workspace, which is `$1`. Each subquery must name the workspace itself, not
   * only by a join to the query around it: Citus finds the node of a subquery by that parameter.
   */
  constructor(workspaceId?: string) {
    this.values = workspaceId === undefined ? [] : [workspaceId];
  }

  /** Adds a value and returns its name in the text. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
