import { randomUUID } from 'node:crypto'
import { json } from 'node:stream/consumers'
import type { Operation } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import type { StreamedResponse } from '@posthorn/net/call'
import { forwardedHeaders } from '../forwarding/forward-headers.ts'
import type { GatewayClient } from '../forwarding/gateway-client.ts'
import type { Viewer, Viewers } from './viewers.ts'

/** Timeout in milliseconds of a call to api-gateway that reads a JSON response. */
const timeoutMs = 5_000
/** Maximum size in bytes of a JSON response of api-gateway. */
const maxBytes = 4 * 1024 * 1024

/** Call of an api-gateway operation that has no parameters in its path. */
export interface Read {
  operation: Operation
  /** Query of the call to api-gateway with its question mark. */
  search?: string
  headers?: Readonly<Record<string, string>>
}

/** Response other than 200 of api-gateway to a call with the credential of a tab. */
export class UnexpectedStatus extends AppError {
  readonly isRefusal: boolean

  constructor(operationId: string, status: number) {
    super('unavailable', `api-gateway responded to ${operationId} with the status ${status}`)
    this.isRefusal = status === 401 || status === 403
  }
}

/**
 * Calls of admin-ui to api-gateway for all browser tabs together. Each call has the credential of a
 * connected tab and ends when that tab disconnects.
 */
export class GatewayReads {
  readonly #gateway: GatewayClient
  readonly #viewers: Viewers

  constructor(gateway: GatewayClient, viewers: Viewers) {
    this.#gateway = gateway
    this.#viewers = viewers
  }

  /**
   * Reads a JSON response of api-gateway. If a browser tab disconnects or its credential is
   * refused, continues with another tab. Undefined if no connected tab may call the operation.
   *
   * @throws AppError `unavailable` or `timeout`; Error if `stop` aborts
   */
  async get<T>(read: Read, stop: AbortSignal): Promise<T | undefined> {
    const { id } = read.operation
    for (let viewer = this.#viewers.choose(id); viewer; viewer = this.#viewers.choose(id)) {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        using answer = await this.open(
          { ...read, maxBytes },
          viewer,
          AbortSignal.any([stop, timeout]),
        )
        return (await json(answer.body)) as T
      } catch (error) {
        if (stop.aborted || !this.mayContinue(error, viewer, id)) throw error
      }
    }
    return undefined
  }

  /**
   * Calls an operation of api-gateway with the credential of a browser tab. The call ends when the
   * tab disconnects.
   *
   * @throws UnexpectedStatus for a status other than 200; AppError `unavailable` or `timeout`
   */
  async open(
    { operation, search = '', headers = {}, maxBytes: max }: Read & { maxBytes?: number },
    viewer: Viewer,
    signal: AbortSignal,
  ): Promise<StreamedResponse> {
    const { credential, address } = viewer.signedIn
    const caller = { credential, address, requestId: randomUUID() }
    const answer = await this.#gateway.open(operation, {
      method: 'GET',
      url: operation.path + search,
      headers: forwardedHeaders(headers, caller),
      signal: AbortSignal.any([signal, viewer.signal]),
      ...(max !== undefined && { maxBytes: max }),
    })
    if (answer.status === 200) return answer
    answer[Symbol.dispose]()
    throw new UnexpectedStatus(operation.id, answer.status)
  }

  /**
   * True if a call to api-gateway that failed with the credential of a browser tab should continue
   * with another tab.
   */
  mayContinue(error: unknown, viewer: Viewer, operationId: string): boolean {
    if (viewer.signal.aborted) return true
    const isRefused = error instanceof UnexpectedStatus && error.isRefusal
    return isRefused && this.#viewers.refuse(viewer, operationId)
  }
}
