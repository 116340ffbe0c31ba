import { reading } from './reading.ts';
import type { Task } from './task.ts';
import { todos } from './todos.ts';
import { work } from './work.ts';

/** Forty requests as people write them. */
export const tasks: readonly Task[] = [...reading, ...todos, ...work];
