import { type ComponentType, lazy } from 'react';
import { Button } from './button.tsx';
import { reloading } from './failed-page.tsx';

function NotLoaded() {
  return (
    <div role="alert">
      <p>This part of the page could not be loaded.</p>
      <Button onPress={reloading.onPress}>{reloading.label}</Button>
    </div>
  );
}

/**
 * A component with a chunk of its own, loaded when it is first rendered. Where that fails, a line says so in its place,
 * or `Instead` is there.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Instead: ComponentType<Props> = NotLoaded,
) {
  return lazy<ComponentType<Props>>(() =>
    load()
      .catch(() => Instead)
      .then((part) => ({ default: part })),
  );
}
