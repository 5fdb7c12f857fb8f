/**
 * Waits for a promise or an abort signal, whichever comes first. Returns the result of `promise`,
 * or rejects with the reason of the signal. After an abort, the promise continues, and its later
 * rejection is ignored.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error as Error)
      },
    )
  })
}

/**
 * Iterates over items until an abort signal, then rejects with the reason of the signal. After an
 * abort, a wait of the iterator for its next item continues, and the iterator is closed after it.
 * An abort also ends the wait for the end of the iterator.
 */
export async function* abortableItems<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  let isIdle = true
  try {
    for (;;) {
      isIdle = false
      const next = await abortable(iterator.next(), signal)
      if (next.done) return
      isIdle = true
      yield next.value
    }
  } finally {
    const closed = iterator.return?.()
    if (closed && isIdle) await abortable(closed, signal)
    else closed?.catch(() => undefined)
  }
}
