import type { NotifiedWork } from '../../../domain/jobs.ts';

/** What every claim has. `attempt` is the fence: what was claimed is saved only while the row has the same number. */
export interface LeasedRow {
  workspaceId: string;
  attempt: number;
}

/** A table whose rows are work. Its SQL calls the row `t`. */
export interface WorkTable<Claim extends LeasedRow> {
  name: string;
  /** Columns of the primary key beside `workspace_id`, with the properties of a claim that hold them. */
  key: readonly { column: string; type: 'uuid' | 'text'; property: keyof Claim & string }[];
  /** From this instant on a worker may claim the row; a claim moves it to the end of the lease. */
  due: string;
  attempt: string;
  /** Rows that are never due later than a lease or a short pause from now: see `recall`. None when missing. */
  isSoon?: string;
  /** Whether there is anything left to do. A partial index on (workspace_id, due) has the same condition. */
  open: string;
  /** What must hold beside that for a row to be claimed. */
  eligible?: string;
  /** Whether the row is held by the worker with its number; that it is `open` when missing. */
  held?: string;
  /** Assignments with a claim; `$2` is the id of the worker. */
  onClaim?: string;
  /** Assignments when the row is given back, and when its work was not tried to the end. */
  onRelease?: string;
  onHandBack?: string;
  /** The select list of a claim, and the joins that it needs. */
  columns: string;
  joins?: string;
  /** The kind of work that is notified when a row is handed back. */
  notifies?: NotifiedWork;
  /** Instead of `leaseSeconds`. */
  leaseSeconds?: number;
}

/** How many places of a process one workspace may have. */
export interface Share {
  most: number;
  /** The workspaces of the claims that the process holds, one for each. */
  held: readonly string[];
}

/** Rows that were claimed, and how many were there to be claimed. */
export interface Claimed<Claim> {
  claims: Claim[];
  /** More than were claimed when other processes claimed some at the same time, or hold locks on them. */
  found: number;
  /** The last workspace that was looked at, when there may be others with work that is due; else null. */
  reached: string | null;
}
