import { AppError } from '@posthorn/errors'
import type { UnsealHeader, UnsealLogin } from '@posthorn/unseal'
import type { Header, OwnedHeaders, Target } from './target.ts'

/** A target with the login in its address and the values of its headers in the clear. */
export interface UnsealedTarget {
  name: string
  url: string
  headers: readonly Header[]
  /** Something in it is sealed, and no key opens it there: why nothing can be sent. */
  unsealError?: string
}

export interface Unsealers {
  openLogin: UnsealLogin
  openHeader: UnsealHeader
}

/** @throws AppError `unavailable` or `timeout` while what is sealed cannot be asked for */
export async function unsealTarget(
  { name, url, headers }: Target,
  { openLogin, openHeader }: Unsealers,
): Promise<UnsealedTarget> {
  const opened = await undefinedIfNoKey(openLogin(url))
  if (opened === undefined)
    return { name, url, headers: [], unsealError: 'The login in the address cannot be opened' }
  const values = await undefinedIfNoKey(unsealHeaders(headers, openHeader))
  if (values === undefined)
    return { name, url, headers: [], unsealError: 'The value of a custom header cannot be opened' }
  return { name, url: opened, headers: values }
}

async function unsealHeaders(
  owned: readonly OwnedHeaders[],
  openHeader: UnsealHeader,
): Promise<Header[]> {
  return Promise.all(
    owned.flatMap(({ owner, headers }) =>
      headers.map(async ({ key, value = '' }) => ({
        key,
        value: await openHeader({ owner, key, value }),
      })),
    ),
  )
}

/** Undefined for what no key opens, which asking again would not change. */
async function undefinedIfNoKey<T>(opened: Promise<T>): Promise<T | undefined> {
  try {
    return await opened
  } catch (error) {
    if (error instanceof AppError && error.kind === 'internal') return undefined
    throw error
  }
}
