import {
  hashKey,
  keepPreviousData,
  useMutation,
  useQuery,
  type UseQueryResult,
  useQueryClient,
} from '@tanstack/react-query'
import type { LiveTopic } from '@posthorn/contracts/admin/live'
import { useRef } from 'react'
import { useLive } from './live/use-live.ts'
import { isTemporary, lastFailure, type Load, type LoadFailure } from './load-state.ts'

/** Conditions under which a page loads data. */
export interface LoadOptions<T = unknown> {
  /**
   * Interval of the automatic refresh in milliseconds. Absent: the data is loaded again only after
   * a failure.
   */
  everyMs?: number
  /**
   * Topic of the live updates that change the data. While they arrive, the data is loaded once per
   * minute instead of every `everyMs`, for changes without a live update.
   */
  topic?: LiveTopic
  enabled?: boolean
  /**
   * True for calls that wait at the server for a mail server. A failed call is then shown without
   * immediate repetitions, which would take minutes.
   */
  isSlow?: boolean
  /** True if the data does not change any more. The automatic refresh then ends. */
  isFinal?: (data: T) => boolean
}

/** Interval after which a list repeats a load that failed because of an outage. */
const reconnectMs = 5_000
/** Interval at which data with live updates is loaded again. */
const liveMs = 60_000

/**
 * Loads data from the server, and keeps the old data while newer data is loaded. The error of a
 * load without data stays until the data arrives.
 */
export function useLoad<T>(
  key: readonly unknown[],
  load: () => Promise<T>,
  { everyMs, topic, enabled = true, isSlow = false, isFinal }: LoadOptions<T> = {},
): Load<T> {
  const live = useLive(enabled ? topic : undefined)
  const usualMs = live === 'live' ? liveMs : (everyMs ?? false)
  const query = useQuery({
    queryKey: key,
    queryFn: load,
    enabled,
    placeholderData: keepPreviousData,
    ...(isSlow && { retry: false }),
    refetchInterval: ({ state: { data, error } }) => {
      if (isTemporary(error)) return reconnectMs
      return data !== undefined && isFinal?.(data) === true ? false : usualMs
    },
  })
  return {
    ...useShown(key, query),
    updatedAt: query.dataUpdatedAt,
    isFetching: query.isFetching,
    isPrevious: query.isPlaceholderData,
    isDisconnected: live === 'disconnected',
    retry: () => void query.refetch(),
  }
}

/**
 * Returns the data of a query to the server, or the last error of its cache key until data of the
 * key arrives.
 */
function useShown<T>(
  key: readonly unknown[],
  { data, error, isPlaceholderData }: UseQueryResult<T>,
): Pick<Load<T>, 'data' | 'error'> {
  const failure = useRef<LoadFailure>(undefined)
  const hasData = data !== undefined && !isPlaceholderData
  failure.current = lastFailure(failure.current, { key: hashKey(key), error, hasData })
  // While a failed load is repeated, data of the previous cache key must not replace the error.
  const isHidden = failure.current !== undefined && !hasData
  return { data: isHidden ? undefined : data, error: failure.current?.error ?? null }
}

/** Returns a function that loads cached data again, by cache keys. */
export function useRefresh(): (keys: readonly (readonly unknown[])[]) => void {
  const client = useQueryClient()
  return (keys) => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey })
  }
}

/** State of a change that a person has started, with its error. */
export interface Action<I, R> {
  run: (input: I) => void
  /**
   * Result of the change that a person has started. Undefined before the end of a run, and after a
   * failed run.
   */
  result: R | undefined
  isRunning: boolean
  /** True after a successful run of the change. */
  isDone: boolean
  error: Error | null
  reset: () => void
}

/** Steps that follow a change at the server that a person has started. */
export interface ActionOptions<I, R> {
  /** Cache keys of the data that the change makes stale. */
  refresh?: readonly (readonly unknown[])[]
  onDone?: (result: R, input: I) => void
}

/** Runs a change at the server, and then loads the data again that depends on the change. */
export function useAction<I, R>(
  change: (input: I) => Promise<R>,
  { refresh = [], onDone }: ActionOptions<I, R> = {},
): Action<I, R> {
  const client = useQueryClient()
  const mutation = useMutation({
    mutationFn: change,
    onSuccess: (result, input) => onDone?.(result, input),
    onSettled: () => Promise.all(refresh.map((key) => client.invalidateQueries({ queryKey: key }))),
  })
  return {
    run: (input) => mutation.mutate(input),
    result: mutation.data,
    isRunning: mutation.isPending,
    isDone: mutation.isSuccess,
    error: mutation.error,
    reset: mutation.reset,
  }
}
