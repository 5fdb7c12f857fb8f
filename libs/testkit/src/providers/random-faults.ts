import type { SeededRandom } from '../mail-api-model/random.ts'
import type { FaultAction } from './faults.ts'
import type { ProviderRequest } from './requests.ts'
import { breakResponse, type ResponseFaultKind } from './response-faults.ts'
import type { SentResponse } from './validator.ts'

/** Defects of the next responses of a fake. */
export interface FaultPlan {
  /** Kinds of defects. `reset`: the connection ends without a response. */
  kinds: readonly (ResponseFaultKind | 'reset')[]
  /** Probability that a response is broken. */
  probability: number
  /** Number of responses that are still to be broken. */
  count: number
}

/** Kinds of responses to requests that had no effect. */
const refusals: ReadonlySet<string> = new Set(['limit', 'refusal', 'refusal without JSON'])
const noResponse = { status: 500, contentType: '', headers: {}, bytes: Buffer.alloc(0) }

/**
 * Fault of a provider fake that breaks random responses while there is a plan: `fake.on('*',
 * faults.apply)`. Requests take effect, unless the connection ends before, or they are refused.
 */
export class RandomFaults {
  plan: FaultPlan | undefined
  /** Descriptions of the broken responses, for the report of a failed test. */
  readonly broken: string[] = []
  readonly #random: SeededRandom
  readonly #nullable: ((name: string) => boolean) | undefined
  readonly #earlier = new Map<string, SentResponse>()

  /** `nullable`: names of members that the provider sends as null, so that null is no defect. */
  constructor(random: SeededRandom, nullable?: (name: string) => boolean) {
    this.#random = random
    this.#nullable = nullable
  }

  readonly apply = (request: ProviderRequest): FaultAction | undefined => {
    const { plan } = this
    const isDue = plan !== undefined && plan.count > 0 && this.#random.happens(plan.probability)
    const kind = isDue ? plan.kinds[this.#random.below(plan.kinds.length)] : undefined
    if (kind === 'reset') return isPart(request) ? undefined : this.#reset(request)
    if (kind !== undefined && refusals.has(kind)) return this.#refuse(request, kind)
    return { kind: 'alter', alter: (response) => this.#alter(request, response, kind) }
  }

  #reset({ operation }: ProviderRequest): FaultAction {
    const phase = this.#random.happens(0.5) ? 'before' : 'after'
    this.#count(`${operation}: reset ${phase} the effect`)
    return { kind: 'reset', phase }
  }

  #refuse(request: ProviderRequest, kind: ResponseFaultKind): FaultAction {
    const { status, headers, bytes } = this.#alter(request, noResponse, kind)
    return { kind: 'reply', response: { status, headers, body: bytes }, unchecked: true }
  }

  #alter(request: ProviderRequest, response: SentResponse, kind?: ResponseFaultKind): SentResponse {
    const { operation } = request
    const earlier = this.#earlier.get(operation)
    if (response.status < 300) this.#earlier.set(operation, response)
    if (kind === undefined) return response
    const options = { kind, earlier, ...(this.#nullable && { nullable: this.#nullable }) }
    const broken = breakResponse(this.#random, response, options)
    // A part of a batch has no delivery of its own.
    if (!broken || (isPart(request) && broken.delivery)) return response
    const { description, ...altered } = broken
    this.#count(`${isPart(request) ? 'part ' : ''}${operation}: ${description}`)
    return isPart(request) ? withReadableType(altered) : altered
  }

  #count(description: string): void {
    if (this.plan) this.plan.count--
    this.broken.push(description)
  }
}

function isPart({ closed }: ProviderRequest): boolean {
  return closed === undefined
}

/** Part of a batch, which is embedded as JSON only if it is JSON. */
function withReadableType(response: SentResponse): SentResponse {
  try {
    JSON.parse(response.bytes.toString('utf8'))
    return response
  } catch {
    return { ...response, contentType: 'text/plain' }
  }
}
