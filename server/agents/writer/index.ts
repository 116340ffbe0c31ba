export { builtInWriter } from './built-in.ts';
export { type ModelWriterParts, modelWriter } from './model.ts';
export type { Estimate, Line, RunFacts, WorkedTodo, Writer } from './writer.ts';
