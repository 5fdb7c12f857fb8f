import { type Client, createClient } from '@posthorn/client/create-client'
import { callWithProofs, isUnauthorized, type RequestProof } from './step-up.ts'

/**
 * Header that the server requires in every call. Forms and images of other pages cannot send this
 * header.
 */
const ownPageHeader = { 'X-SVC-Admin': '1' }

/** Origin and functions that an administration page provides for its calls to the server. */
export interface CallsOptions {
  /** Origin of the administration pages, such as `https://admin.example`. */
  origin: string
  fetch: typeof fetch
  /**
   * Called when the server has responded with 401: the session has ended, or an entered password or
   * code is wrong.
   */
  onUnauthorized: () => void
  requestProof: RequestProof
}

/** Functions with which the administration pages call the server. */
export interface Calls {
  /** Client of the Posthorn API, whose operations run as the signed-in person. */
  api: Client
  /** Calls an endpoint of admin-ui by method and path template: `GET /admin/people/{id}`. */
  admin: <T = undefined>(route: string, input?: object) => Promise<T>
  /** Reads a file from an endpoint of admin-ui. */
  readFile: (route: string, input?: object) => Promise<Blob>
}

/**
 * Creates the functions with which the pages call the server. A call is repeated only after the
 * person has given a required proof, such as a password: the lists repeat their calls themselves.
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
      // The status 401 of this request needs no handling: the request is the check that
      // `onUnauthorized` starts.
      return route === 'GET /admin/session' ? call() : guard(call)
    },
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
