export { localTime } from './clock.ts';
export { type ConversationOptions, conversationOf } from './conversation.ts';
export { newNonce } from './data.ts';
export type { CaptureFacts, Named, SkillFacts, TodoFacts, TurnFacts } from './facts.ts';
export { promptOf, roomOfCaptures } from './system.ts';
