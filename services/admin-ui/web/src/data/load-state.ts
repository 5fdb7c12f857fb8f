import { PosthornConnectionError, PosthornError } from '@posthorn/client/create-client'

/** State of data that a page loads and shows. */
export interface Load<T> {
  data: T | undefined
  error: Error | null
  /** Time at which the data was last received (ms). 0: never. */
  updatedAt: number
  isFetching: boolean
  /** True while the data belongs to the previous input, such as other filters or another page. */
  isPrevious?: boolean
  /** True while live updates of the data are interrupted, so that the data may be old. */
  isDisconnected?: boolean
  retry: () => void
}

/**
 * Form in which a page shows loaded data. `stale`: the old data stays visible because the newer
 * request failed, or because live updates are interrupted.
 *
 * | view | data | error |
 * |---|---|---|
 * | loading | no | no |
 * | error | no | yes |
 * | ready | yes | no |
 * | stale | yes | yes, or disconnected |
 */
export type LoadView = 'loading' | 'error' | 'ready' | 'stale'

/** Decides in which form a page shows loaded data: loading, error, ready or stale. */
export function viewOf({
  data,
  error,
  isDisconnected = false,
}: Pick<Load<unknown>, 'data' | 'error' | 'isDisconnected'>): LoadView {
  if (data === undefined) return error ? 'error' : 'loading'
  return error || isDisconnected ? 'stale' : 'ready'
}

/** Describes why loaded data may be old. */
export function describeStale({ error }: Pick<Load<unknown>, 'error'>): ShownError {
  if (error) return describeError(error)
  return {
    title: 'Disconnected',
    message: 'Live updates are interrupted and continue automatically.',
  }
}

/**
 * True if loaded data or its error is present, so that its place on the page has its final size.
 */
export function isSettled({ data, error }: Pick<Load<unknown>, 'data' | 'error'>): boolean {
  return data !== undefined || error !== null
}

/**
 * Number of the entries that match the filters of a list. Undefined until the list is loaded, also
 * while the page shows the entries of other filters.
 */
export function matchingTotal({
  data,
  isPrevious = false,
}: Pick<Load<{ total: number }>, 'data' | 'isPrevious'>): number | undefined {
  return isPrevious ? undefined : data?.total
}

/** Error of the last attempt to load the data of a cache key. */
export interface LoadFailure {
  key: string
  error: Error
}

/** State of an attempt to load the data of a cache key. */
export interface LoadAttempt {
  key: string
  /**
   * Error of the last load of the data. TanStack Query drops the error when it repeats a load
   * without data.
   */
  error: Error | null
  /** True if the data of this cache key was loaded, not only the data of an earlier key. */
  hasData: boolean
}

/**
 * Failure that a page shows instead of its data: the last error of a cache key, until data of the
 * key is loaded.
 */
export function lastFailure(
  before: LoadFailure | undefined,
  { key, error, hasData }: LoadAttempt,
): LoadFailure | undefined {
  if (error) return { key, error }
  return hasData || before?.key !== key ? undefined : before
}

/** Error of an action that fails in the browser, because of an input or the state of the data. */
export class InputError extends Error {}

/** Error of a call, as the pages show it. */
export interface ShownError {
  title: string
  message: string
  code?: string
  requestId?: string
}

/** Describes the error of a call to the person who uses the pages. */
export function describeError(error: unknown): ShownError {
  if (error instanceof PosthornConnectionError)
    return {
      title: 'Disconnected',
      message: 'The server does not respond. Lists are loaded again automatically.',
    }
  if (error instanceof InputError) return { title: 'Not possible', message: error.message }
  if (!(error instanceof PosthornError))
    return { title: 'Unexpected error', message: String(error) }
  const { status, code, message, requestId, problem } = error
  const { requiredRole } = problem as { requiredRole?: string }
  return {
    title: titleOf(status),
    message: requiredRole ? `${message} (role ${requiredRole})` : message,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId }),
  }
}

function titleOf(status: number): string {
  if (status === 403) return 'Not permitted'
  if (status === 404) return 'Not found'
  if (status === 429) return 'Too many requests'
  return status >= 500 ? 'The server cannot answer' : 'The request was refused'
}

/** True if a list should repeat a failed call without an action of the person. */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof PosthornConnectionError ||
    (error instanceof PosthornError && error.status >= 500)
  )
}
