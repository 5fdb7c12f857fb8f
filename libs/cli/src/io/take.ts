/** Yields the first `count` values of a list that is read in parts, such as pages of the API. */
export async function* take<T>(values: AsyncIterable<T>, count = Infinity): AsyncGenerator<T> {
  let taken = 0
  if (count < 1) return
  for await (const value of values) {
    yield value
    taken += 1
    if (taken >= count) return
  }
}
