export * from './access.ts';
export * from './accounts.ts';
export * from './chats.ts';
export * from './notifications.ts';
export * from './oauth.ts';
export * from './schedules.ts';
export * from './todos.ts';
export * from './workspaces.ts';
