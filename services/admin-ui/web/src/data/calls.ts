import { type Client, createClient } from '@posthorn/client/create-client'
import { callWithProofs, isUnauthorized, type RequestProof } from './step-up.ts'

/** Header that forms and images of other pages cannot send. The server requires this header. */
const ownPageHeader = { 'X-SVC-Admin': '1' }

export interface CallsOptions {
  /** Origin of the pages, such as `https://admin.example`. */
  origin: string
  fetch: typeof fetch
  /**
   * Called when a call got the status 401: the session has ended, or an entered password or code is
   * wrong.
   */
  onUnauthorized: () => void
  requestProof: RequestProof
}

/** Calls of the pages to the server. */
export interface Calls {
  /** Client of the API, whose operations run as the signed-in person. */
  api: Client
  /** Calls an endpoint of admin-ui by method and path template: `GET /admin/people/{id}`. */
  admin: <T = undefined>(route: string, input?: object) => Promise<T>
  /** Reads the content of a file from an endpoint of admin-ui. */
  readFile: (route: string, input?: object) => Promise<Blob>
}

/**
 * Creates the calls of the pages. No call is repeated automatically, except after a proof was
 * accepted: the lists repeat their calls themselves.
 */
export function createCalls({ origin, fetch, onUnauthorized, requestProof }: CallsOptions): Calls {
  const guard = async <T>(call: () => Promise<T>) => {
    try {
      return await callWithProofs(call, requestProof)
    } catch (error) {
      if (isUnauthorized(error)) onUnauthorized()
      throw error
    }
  }
  const options = { retryForMs: 0, headers: ownPageHeader, fetch }
  const forwarded = createClient({ ...options, url: `${origin}/admin/call` })
  const own = createClient({ ...options, url: origin })
  return {
    api: { call: (...args) => guard(() => forwarded.call(...args)) },
    readFile: (route: string, input?: object) => {
      const read = (response: Response) => response.blob()
      const operation = { name: route, route, isRepeatable: false, read }
      return guard(() => own.call(operation, input))
    },
    admin: <T>(route: string, input?: object) => {
      const operation = { name: route, route, isRepeatable: false, read: readJson<T> }
      const call = () => own.call(operation, input)
      // The answer 401 to this request is the result of the check that `onUnauthorized` starts.
      return route === 'GET /admin/session' ? call() : guard(call)
    },
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
