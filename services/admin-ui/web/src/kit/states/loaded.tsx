import type { ReactNode } from 'react'
import { describeStale, type Load, viewOf } from '../../data/load-state.ts'
import { classNames } from '../class-names.ts'
import { Time } from '../content/time.tsx'
import { ErrorBox } from './error-box.tsx'
import { Skeleton } from './skeleton.tsx'
import css from './states.module.css'

export interface LoadedProps<T> {
  load: Load<T>
  children: (data: T) => ReactNode
  /** True if the loaded data has nothing to show. Then `empty` is shown. */
  isEmpty?: (data: T) => boolean
  empty?: ReactNode
  /** Number of gray lines that stand for the data while it is loaded. */
  lines?: number
}

/**
 * Component that shows loaded data in its state: loading, error, empty or ready. While the server
 * does not respond or live updates are interrupted, the data is shown with its age.
 */
export function Loaded<T>({ load, children, isEmpty, empty, lines = 5 }: LoadedProps<T>) {
  const view = viewOf(load)
  if (load.data === undefined)
    return view === 'error' ? (
      <ErrorBox error={load.error} retry={load.retry} isRetrying={load.isFetching} />
    ) : (
      <Skeleton lines={lines} />
    )
  const { data } = load
  return (
    <div className={css['stack']} aria-busy={load.isFetching}>
      {view === 'stale' && <Stale load={load} />}
      {isEmpty?.(data) === true ? <div className={css['box']}>{empty}</div> : children(data)}
    </div>
  )
}

function Stale<T>({ load }: { load: Load<T> }) {
  const { title, message } = describeStale(load)
  return (
    <div className={classNames(css['box'], css['stale'])} role="status">
      <p>
        <strong>{title}.</strong> {message} The data is from{' '}
        <Time value={new Date(load.updatedAt).toISOString()} />.
      </p>
    </div>
  )
}
