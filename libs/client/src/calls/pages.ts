import type { CallOptions, Client } from './client.ts'

/** Input of an API operation without the position of the page. */
export type PagedInput<I> = Omit<I, 'page' | 'cursor'>

type PagedArguments<I> =
  Record<never, never> extends PagedInput<I>
    ? [input?: PagedInput<I>, options?: CallOptions]
    : [input: PagedInput<I>, options?: CallOptions]

type Entry<R, K extends keyof R> = R[K] extends readonly (infer E)[] ? E : never

/** Iterators over the pages that an API operation returns, and over the entries of all pages. */
export interface PageFunctions<I, R, K extends keyof R> {
  pages: (client: Client, ...args: PagedArguments<I>) => AsyncGenerator<R, void, undefined>
  all: (client: Client, ...args: PagedArguments<I>) => AsyncGenerator<Entry<R, K>, void, undefined>
}

type Call<R> = (client: Client, input: object, options?: CallOptions) => Promise<R>

/** Members of an API response's page that lead to the next page. */
interface PagePosition {
  page?: number
  pages?: number
  nextPageCursor?: string | null
  nextCursor?: string | null
}

export function listPages<I, R>(
  call: (client: Client, ...args: never) => Promise<R>,
): PageFunctions<I, R, never>['pages'] {
  return async function* pages(client, ...args) {
    const [input, options] = args as [input?: object, options?: CallOptions]
    let position: { cursor?: string; page?: number } | undefined = {}
    while (position) {
      const result: R = await (call as Call<R>)(client, { ...input, ...position }, options)
      yield result
      position = positionAfter(result as PagePosition)
    }
  }
}

export function listAll<I, R, K extends keyof R>(
  call: (client: Client, ...args: never) => Promise<R>,
  entries: K,
): PageFunctions<I, R, K>['all'] {
  const pages = listPages<I, R>(call)
  return async function* all(client, ...args) {
    for await (const page of pages(client, ...args)) yield* page[entries] as Entry<R, K>[]
  }
}

function positionAfter({ page, pages, nextPageCursor, nextCursor }: PagePosition) {
  const cursor = nextPageCursor ?? nextCursor
  if (typeof cursor === 'string') return { cursor }
  const isLast = nextPageCursor === null || page === undefined || page + 1 >= (pages ?? 0)
  return isLast ? undefined : { page: page + 1 }
}
