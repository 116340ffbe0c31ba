import { type ComponentType, lazy } from 'react';
import { Button } from './button.tsx';

function NotLoaded() {
  return (
    <div role="alert">
      <p>This part of the page could not be loaded.</p>
      <Button onPress={() => location.reload()}>Load the page again</Button>
    </div>
  );
}

/** A component with a chunk of its own, loaded when it is first rendered. Where that fails, a line says so in its place. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: NotLoaded }),
    ),
  );
}
