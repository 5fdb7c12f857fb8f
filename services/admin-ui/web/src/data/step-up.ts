import { PosthornError } from '@posthorn/client/create-client'

/** Asks the person for a factor. Resolves with true when the server has accepted the factor. */
export type RequestFactor = () => Promise<boolean>

/** True if the server refused a call because the last factor of the session is too old. */
export function needsFactor(error: unknown): boolean {
  return error instanceof PosthornError && error.code === 'StepUpRequired'
}

/** True if the server refused a call with the status 401. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof PosthornError && error.status === 401
}

/**
 * Runs a call. If the server requires a factor first, asks for the factor and repeats the call
 * once.
 *
 * @throws the first error if the person cancels
 */
export async function callWithFactor<T>(call: () => Promise<T>, request: RequestFactor) {
  try {
    return await call()
  } catch (error) {
    if (!needsFactor(error) || !(await request())) throw error
    return await call()
  }
}

/** One request for a factor at a time: concurrent calls wait for the result of the first. */
export class FactorRequests {
  #open: ((accepted: boolean) => void) | undefined
  #pending: Promise<boolean> | undefined
  #listener: (() => void) | undefined

  /** True while the dialog must be shown. */
  readonly isOpen = () => this.#pending !== undefined

  readonly subscribe = (listener: () => void) => {
    this.#listener = listener
    return () => {
      this.#listener = undefined
    }
  }

  readonly request: RequestFactor = () => {
    this.#pending ??= new Promise((resolve) => {
      this.#open = resolve
    })
    this.#listener?.()
    return this.#pending
  }

  /** Ends the request. `accepted` is true if the server has accepted a factor. */
  readonly settle = (accepted: boolean) => {
    this.#open?.(accepted)
    this.#open = undefined
    this.#pending = undefined
    this.#listener?.()
  }
}
