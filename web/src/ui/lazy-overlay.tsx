import { type ComponentType, Suspense, useEffect } from 'react';
import { failedPage, reloading } from './failed-page.tsx';
import { lazyPart } from './lazy-part.tsx';
import { useNotice } from './notice.tsx';
import { type TypedAhead, TypedAheadKeys } from './typed-ahead.tsx';

interface OverlayProps {
  close: () => void;
  /** Gets what is typed before it is loaded; without it that is dropped, except in a field. */
  ahead?: TypedAhead;
}

/**
 * A dialog or menu with a chunk of its own, loaded when it is first opened. Where that fails, it is closed and a notice
 * says so: the page, with what is typed in it, stays. It is loaded again when it is opened again.
 */
export function lazyOverlay<Props extends OverlayProps>(load: () => Promise<ComponentType<Props>>) {
  let Part: ComponentType<Props> | undefined;
  function NotLoaded({ close }: Props) {
    const notify = useNotice();
    // biome-ignore lint/correctness/useExhaustiveDependencies: once, it is closed then.
    useEffect(() => {
      Part = undefined;
      notify(failedPage(true).intro, reloading);
      close();
    }, []);
    return null;
  }
  return function LazyOverlay(props: Props) {
    Part ??= lazyPart(load, NotLoaded);
    const { ahead, close } = props;
    return (
      <Suspense fallback={<TypedAheadKeys into={ahead} onClose={close} />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

/** The dialog that asks before something is done. */
export const ConfirmDialog = lazyOverlay(() =>
  import('./confirm-dialog.tsx').then(({ ConfirmDialog }) => ConfirmDialog),
);
