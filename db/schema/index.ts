export * from './access.ts';
export * from './todos.ts';
export * from './workspaces.ts';
