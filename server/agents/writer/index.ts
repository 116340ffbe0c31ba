export { builtInWriter } from './built-in.ts';
export type { Asking, CaptureDigest, CaptureMaterial, SuggestedTodo } from './captures/shapes.ts';
export { type ModelWriterParts, modelWriter } from './model.ts';
export type { Estimate, Line, RunFacts, WorkedTodo, Writer } from './writer.ts';
