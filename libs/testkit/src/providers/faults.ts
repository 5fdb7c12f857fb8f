import type { ProviderRequest, ProviderResponse } from './requests.ts'
import type { SentResponse } from './validator.ts'

/** Response that replaces the response of the fake. Absent `delivery`: complete, in one piece. */
export interface AlteredResponse extends SentResponse {
  delivery?: Extract<FaultAction, { kind: 'truncate' | 'drip' }>
}

/** Irregular treatment of one request. */
export type FaultAction =
  /** The fake responds without executing the request. */
  | { kind: 'reply'; response: ProviderResponse; unchecked?: true }
  /** Executes the request, sends the header and this many bytes of the body, resets. */
  | { kind: 'truncate'; bytes: number }
  /** Executes the request, sends another response instead of the response to the request. */
  | { kind: 'alter'; alter: (response: SentResponse) => AlteredResponse }
  /** Executes the request, delivers the body in this many pieces, over several turns. */
  | { kind: 'drip'; pieces: number }
  /** Executes the request, delivers the body as the gate permits. */
  | { kind: 'hold'; gate: DeliveryGate }
  /** Resets the connection, before or after executing the request. */
  | { kind: 'reset'; phase: 'before' | 'after' }

/** Decides about a request. Undefined: the next fault decides, or the request is executed. */
export type ProviderFault = (request: ProviderRequest) => FaultAction | undefined

/** Applies the fault to the first `count` requests. */
export function times(count: number, fault: ProviderFault): ProviderFault {
  let left = count
  return (request) => (left-- > 0 ? fault(request) : undefined)
}

/** Applies the fault to all but the first `count` requests. */
export function after(count: number, fault: ProviderFault): ProviderFault {
  let left = count
  return (request) => (left-- > 0 ? undefined : fault(request))
}

/** Applies the fault to every request, until it is removed. */
export function always(fault: ProviderFault): ProviderFault {
  return fault
}

export function replies(response: ProviderResponse): ProviderFault {
  return () => ({ kind: 'reply', response })
}

/** Sends a response that the description does not permit, as the live service has done. */
export function deviates(response: ProviderResponse): ProviderFault {
  return () => ({ kind: 'reply', response, unchecked: true })
}

/** Cuts the connection in the middle of the body. The request takes effect. */
export function truncatesAfter(bytes: number): ProviderFault {
  return () => ({ kind: 'truncate', bytes })
}

/** Sends another response, which the description may not permit. The request takes effect. */
export function alters(alter: (response: SentResponse) => AlteredResponse): ProviderFault {
  return () => ({ kind: 'alter', alter })
}

/** Delivers slowly, at the pace of the test. The request takes effect. */
export function holds(gate: DeliveryGate): ProviderFault {
  return () => ({ kind: 'hold', gate })
}

/** Resets the connection without a response. After `after`, the request has taken effect. */
export function resets(phase: 'before' | 'after' = 'before'): ProviderFault {
  return () => ({ kind: 'reset', phase })
}

/** Control over the delivery of held bodies. Initially no byte passes. */
export class DeliveryGate {
  #permitted = 0
  #waiting = 0
  #changed = Promise.withResolvers<void>()

  /** Number of responses that wait for permission. */
  get waiting(): number {
    return this.#waiting
  }

  /** Lets `bytes` more bytes pass, of all held bodies together. */
  pass(bytes: number): void {
    this.#permitted += bytes
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** Lets all bytes pass. */
  open(): void {
    this.pass(Infinity)
  }

  /** Takes permission for 1 to `bytes` bytes. Waits until there is some. */
  async take(bytes: number): Promise<number> {
    this.#waiting++
    while (this.#permitted === 0) await this.#changed.promise
    this.#waiting--
    const taken = Math.min(bytes, this.#permitted)
    this.#permitted -= taken
    return taken
  }
}
