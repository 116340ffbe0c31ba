export * from './access.ts';
export * from './accounts.ts';
export * from './chats.ts';
export * from './oauth.ts';
export * from './todos.ts';
export * from './workspaces.ts';
