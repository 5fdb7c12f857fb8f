import { Posthorn, PosthornError } from '@posthorn/client'

/** API client that records which operations succeeded, and with which error codes calls failed. */
export interface ExercisedClient {
  posthorn: Posthorn
  /** Names of the API operations that succeeded. */
  operations: Set<string>
  /** Error codes of failed API calls. */
  codes: Set<string>
}

type AnyFunction = (...args: unknown[]) => unknown

export function createExercisedClient(options: ConstructorParameters<typeof Posthorn>[0]) {
  const posthorn = new Posthorn(options)
  const operations = new Set<string>()
  const codes = new Set<string>()
  for (const [name, call] of Object.entries(posthorn) as [string, AnyFunction][]) {
    if (name === 'changes') continue
    const recorded = async (...args: unknown[]) => {
      try {
        const result = await call(...args)
        operations.add(name)
        return result
      } catch (error) {
        if (error instanceof PosthornError && error.code !== undefined) codes.add(error.code)
        throw error
      }
    }
    const iterators = Object.entries(call).map(([iterator, iterate]) => [
      iterator,
      async function* record(...args: unknown[]) {
        yield* (iterate as (...args: unknown[]) => AsyncIterable<unknown>)(...args)
        operations.add(name)
      },
    ])
    Object.assign(recorded, Object.fromEntries(iterators))
    Object.assign(posthorn, { [name]: recorded })
  }
  return { posthorn, operations, codes } satisfies ExercisedClient
}
