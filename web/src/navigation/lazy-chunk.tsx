import { Component, type ReactNode, use } from 'react';
import { type Chunk, ChunkError } from './pages.ts';

/** The component of a chunk. Suspends until it is loaded. */
export function LazyChunk({ of }: { of: Chunk }) {
  const Loaded = of.component ?? use(of.load());
  return <Loaded />;
}

interface BoundaryProps {
  /** Another value shows the children again: what failed was of the last address. */
  at: string;
  /** Shown instead of the children. */
  failed: (isUnloaded: boolean) => ReactNode;
  children: ReactNode;
}

interface BoundaryState {
  error: unknown;
  at: string;
}

/** Catches what fails below it: a page that crashes, or whose code cannot be loaded. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error ?? new Error('unknown') };
  }

  static getDerivedStateFromProps({ at }: BoundaryProps, state: BoundaryState): Partial<BoundaryState> | null {
    return at === state.at ? null : { at, error: null };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : this.props.failed(error instanceof ChunkError);
  }
}
