/**
 * Ends an asynchronous iteration without a reader, so that the iterator closes what it holds. A
 * generator that has not started would skip its `finally`; therefore one element is requested
 * first. Never rejects.
 */
export async function discard(iterable: AsyncIterable<unknown>): Promise<void> {
  const iterator = iterable[Symbol.asyncIterator]()
  try {
    await iterator.next()
    await iterator.return?.()
  } catch {
    // The iteration has failed and is closed.
  }
}
