export * from './access.ts';
export * from './accounts.ts';
export * from './todos.ts';
export * from './workspaces.ts';
