/**
 * Ends an asynchronous iteration that has no reader, so that the iterator releases its resources.
 * Requests one element first, because a generator that has not started would skip its `finally`
 * block. Never rejects.
 */
export async function discard(iterable: AsyncIterable<unknown>): Promise<void> {
  const iterator = iterable[Symbol.asyncIterator]()
  try {
    await iterator.next()
    await iterator.return?.()
  } catch {
    // An error of the asynchronous iteration is ignored, because an iteration that has thrown an
    // error is already closed.
  }
}
