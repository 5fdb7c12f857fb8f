import type { Operation } from '@posthorn/contracts/define'
import got, { type Method } from 'got'
import type { WorldAccess } from '../world.ts'

interface ApiResponse {
  status: number
  // Type any, because a bench reads the fields that it expects.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

interface CallInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean>
  body?: unknown
}

/**
 * Calls an API operation whose time or cost is measured. The request has no idempotency key, which
 * the typed client would add, so that figures are comparable with figures of earlier releases.
 */
export async function callApi(
  { url, token }: Pick<WorldAccess, 'url' | 'token'>,
  { method, path }: Operation,
  { params = {}, query = {}, body }: CallInput = {},
): Promise<ApiResponse> {
  const address = new URL(
    path.replace(/:([a-z]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    url,
  )
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value))
  const response = await got(address, {
    method: method.toUpperCase() as Method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { json: body }),
    throwHttpErrors: false,
    retry: { limit: 0 },
    timeout: { request: 90_000 },
  })
  return { status: response.statusCode, body: parse(response.body) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
