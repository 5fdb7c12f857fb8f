import type { ProviderRequest, ProviderResponse } from './requests.ts'
import type { SentResponse } from './validator.ts'

/**
 * Response that replaces the response of the provider fake. Without `delivery`, it is sent
 * completely and in one piece.
 */
export interface AlteredResponse extends SentResponse {
  delivery?: Extract<FaultAction, { kind: 'truncate' | 'drip' }>
}

/** Fault of a provider fake that applies to one request. */
export type FaultAction =
  /** Fault of a provider fake: responds without executing the request. */
  | { kind: 'reply'; response: ProviderResponse; unchecked?: true }
  /**
   * Fault of a provider fake: executes the request, sends the header and `bytes` bytes of the body,
   * then resets the connection.
   */
  | { kind: 'truncate'; bytes: number }
  /**
   * Fault of a provider fake: executes the request and sends another response instead of the
   * original response.
   */
  | { kind: 'alter'; alter: (response: SentResponse) => AlteredResponse }
  /**
   * Fault of a provider fake: executes the request and sends the body in `pieces` pieces, over
   * several turns of the event loop.
   */
  | { kind: 'drip'; pieces: number }
  /**
   * Fault of a provider fake: executes the request and sends the body at the pace that the gate
   * (set by the test) permits.
   */
  | { kind: 'hold'; gate: DeliveryGate }
  /** Fault of a provider fake: resets the connection before or after the request is executed. */
  | { kind: 'reset'; phase: 'before' | 'after' }

/**
 * Function that decides which fault applies to a request to the provider fake. With undefined, the
 * next fault decides, or the request is executed normally.
 */
export type ProviderFault = (request: ProviderRequest) => FaultAction | undefined

/** Limits a fault of a provider fake to the first `count` requests. */
export function times(count: number, fault: ProviderFault): ProviderFault {
  let left = count
  return (request) => (left-- > 0 ? fault(request) : undefined)
}

/** Applies a fault of a provider fake to all requests except the first `count` requests. */
export function after(count: number, fault: ProviderFault): ProviderFault {
  let left = count
  return (request) => (left-- > 0 ? undefined : fault(request))
}

/** Applies a fault of a provider fake to every request until the fault is removed. */
export function always(fault: ProviderFault): ProviderFault {
  return fault
}

export function replies(response: ProviderResponse): ProviderFault {
  return () => ({ kind: 'reply', response })
}

/**
 * Fault of a provider fake: sends a response that the API description does not permit, as the real
 * service has done.
 */
export function deviates(response: ProviderResponse): ProviderFault {
  return () => ({ kind: 'reply', response, unchecked: true })
}

/**
 * Fault of a provider fake: cuts the connection in the middle of the response body. The request
 * takes effect.
 */
export function truncatesAfter(bytes: number): ProviderFault {
  return () => ({ kind: 'truncate', bytes })
}

/**
 * Fault of a provider fake: sends another response, which the API description may not permit. The
 * request takes effect.
 */
export function alters(alter: (response: SentResponse) => AlteredResponse): ProviderFault {
  return () => ({ kind: 'alter', alter })
}

/**
 * Fault of a provider fake: sends the response body slowly, as the test permits with a gate. The
 * request takes effect.
 */
export function holds(gate: DeliveryGate): ProviderFault {
  return () => ({ kind: 'hold', gate })
}

/**
 * Fault of a provider fake: resets the connection without a response. With `after`, the request has
 * taken effect.
 */
export function resets(phase: 'before' | 'after' = 'before'): ProviderFault {
  return () => ({ kind: 'reset', phase })
}

/**
 * Gate with which a test controls how fast a provider fake sends response bodies. Initially no byte
 * passes.
 */
export class DeliveryGate {
  #permitted = 0
  #waiting = 0
  #changed = Promise.withResolvers<void>()

  /** Number of the provider fake's responses that wait until the gate permits more bytes. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Lets a provider fake send `bytes` more bytes of response bodies, counted over all bodies that
   * wait.
   */
  pass(bytes: number): void {
    this.#permitted += bytes
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Lets a provider fake send all bytes of response bodies without waiting. */
  open(): void {
    this.pass(Infinity)
  }

  /**
   * Takes the permission to send 1 to `bytes` bytes of a provider fake's response body. Waits until
   * some bytes are permitted.
   */
  async take(bytes: number): Promise<number> {
    this.#waiting++
    while (this.#permitted === 0) await this.#changed.promise
    this.#waiting--
    const taken = Math.min(bytes, this.#permitted)
    this.#permitted -= taken
    return taken
  }
}
