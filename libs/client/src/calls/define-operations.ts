import type { CallOptions, Client } from './client.ts'
import { listAll, listPages, type PageFunctions } from './pages.ts'
import { resumeDownload } from './resume-download.ts'

/** Arguments of an API call: the input may be left out if all its members are optional. */
export type CallArguments<I> =
  Record<never, never> extends I
    ? [input?: I, options?: CallOptions]
    : [input: I, options?: CallOptions]

/** Arguments of a call to any API operation. */
type AnyArguments = [input?: object, options?: CallOptions]

/** Function that calls an API operation through a client. */
export type OperationFunction<I, R> = (client: Client, ...args: CallArguments<I>) => Promise<R>

/** Defines an API operation with a JSON response. */
export function defineOperation<I extends object, R>(
  name: string,
  route: string,
  isRepeatable = !route.startsWith('POST'),
): OperationFunction<I, R> {
  const read = (response: Response) => response.json() as Promise<R>
  const operation = { name, route, isRepeatable, read }
  return (client, ...args) => client.call(operation, ...(args as AnyArguments))
}

/** Defines an API operation that an idempotency key makes repeatable. */
export function defineSubmission<I extends object, R>(
  name: string,
  route: string,
): OperationFunction<I, R> {
  const read = (response: Response) => response.json() as Promise<R>
  const operation = { name, route, isRepeatable: true, hasIdempotencyKey: true, read }
  return (client, ...args) => client.call(operation, ...(args as AnyArguments))
}

/**
 * Defines an API operation that returns a page of a list. `entries` is the member with the entries
 * of the page.
 */
export function defineList<I extends object, R extends object, K extends keyof R & string>(
  name: string,
  route: string,
  entries: K,
): OperationFunction<I, R> & PageFunctions<I, R, K> {
  const call = defineOperation<I, R>(name, route, true)
  return Object.assign(call, {
    pages: listPages<I, R>(call),
    all: listAll<I, R, K>(call, entries),
  })
}

/** Defines an API operation that returns a text. */
export function defineTextOperation<I extends object>(
  name: string,
  route: string,
): OperationFunction<I, string> {
  const operation = {
    name,
    route,
    isRepeatable: true,
    read: (response: Response) => response.text(),
  }
  return (client, ...args) => client.call(operation, ...(args as AnyArguments))
}

/** Defines an API operation that returns a response whose body is a stream. */
export function defineDownload<I extends object>(
  name: string,
  route: string,
): OperationFunction<I, Response> {
  const operation = {
    name,
    route,
    isRepeatable: true,
    read: (response: Response) => Promise.resolve(response),
  }
  return (client, ...args) => client.call(operation, ...(args as AnyArguments))
}

/** Defines an API download that continues where its connection was cut. */
export function defineResumableDownload<I extends object>(
  name: string,
  route: string,
): OperationFunction<I, Response> {
  const call = defineDownload<I>(name, route)
  const download = call as (client: Client, ...args: AnyArguments) => Promise<Response>
  return async (client, ...args) => {
    const [input, options] = args as AnyArguments
    return resumeDownload(await download(client, input, options), {
      name,
      signal: options?.signal,
      readFrom: (range) => download(client, { ...input, ...range }, options),
    })
  }
}
