import type { Operation } from '@posthorn/contracts/define'
import got, { type Method } from 'got'

export interface ApiResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  // Type any, because a test reads the fields that it expects. A wrong shape fails the assertions
  // of the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface CallInput {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean>
  body?: unknown
  headers?: Record<string, string>
}

/** API client as a customer would write it, based only on the contracts. */
export interface Client {
  call(operation: Operation, input?: CallInput): Promise<ApiResponse>
}

export function createClient(url: string, token?: string): Client {
  return {
    async call({ method, path }, { params = {}, query = {}, body, headers = {} } = {}) {
      const address = new URL(
        path.replace(/:([a-z]+)/gi, (_, name: string) => encodeURIComponent(params[name] ?? '')),
        url,
      )
      for (const [name, value] of Object.entries(query))
        address.searchParams.set(name, String(value))
      const response = await got(address, {
        method: method.toUpperCase() as Method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { json: body }),
        throwHttpErrors: false,
        retry: { limit: 0 },
        timeout: { request: 90_000 },
      })
      return { status: response.statusCode, headers: response.headers, body: parse(response.body) }
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
