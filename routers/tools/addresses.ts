/** What the page of an object is found by. */
type Shown = Readonly<Record<string, unknown>>;

/** The path of the page of an object, by its type. A run is shown in its chat. */
const paths: Readonly<Record<string, (shown: Shown) => string>> = {
  todo: ({ id }) => `/todos/${id}`,
  todo_list: ({ id }) => `/lists/${id}`,
  todo_run: ({ chatId }) => `/chats/${chatId}`,
  chat: ({ id }) => `/chats/${id}`,
  capture: ({ id }) => `/captures/${id}`,
};

/** The address of the page of an object for people; undefined for an object that has none. */
export function addressOf(publicUrl: string, shown: Shown): string | undefined {
  const path = typeof shown.object === 'string' ? paths[shown.object] : undefined;
  return path && `${publicUrl}${path(shown)}`;
}
