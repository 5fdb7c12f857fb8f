import { SeededRandom } from '../mail-api-model/random.ts'
import type { FaultAction } from './faults.ts'
import type { ProviderRequest } from './requests.ts'
import { breakResponse, type ResponseFaultKind } from './response-faults.ts'
import type { SentResponse } from './validator.ts'

/** Plan of the faults of the next responses of a provider fake. */
export interface FaultPlan {
  /**
   * Kinds of faults in responses of a provider fake. `reset` ends the connection without a
   * response.
   */
  readonly kinds: readonly (ResponseFaultKind | 'reset')[]
  /** Probability that a response of a provider fake is broken. */
  readonly probability: number
  /** Maximum broken responses of a provider fake to one request and its repeats. */
  readonly repeats: number
  /**
   * Maximum broken responses to all requests to a provider fake together. If absent, there is no
   * maximum.
   */
  readonly total?: number
}

/** Request to a provider fake whose response may be broken, with its own random numbers. */
interface Chance {
  readonly request: ProviderRequest
  readonly random: SeededRandom
  readonly kind: FaultPlan['kinds'][number] | undefined
}

/** Kinds of faulty responses of a provider fake for which the request is not executed. */
const refusals: ReadonlySet<string> = new Set(['limit', 'refusal', 'refusal without JSON'])
const noResponse = { status: 500, contentType: '', headers: {}, bytes: Buffer.alloc(0) }

/**
 * Fault of a provider fake that breaks random responses while there is a plan: `fake.on('*',
 * faults.apply)`. Requests take effect, unless the connection ends before, or they are refused.
 *
 * The fault of a response depends on the seed, the number of the plan, the method and path of the
 * request, and the number of its repeats. The order of concurrent requests to different paths has
 * no influence, so that a run can be repeated with its seed.
 */
export class RandomFaults {
  /**
   * Descriptions of the broken responses of a provider fake. Used in the report of a failed test.
   */
  readonly broken: string[] = []
  readonly #seed: number
  readonly #nullable: ((name: string) => boolean) | undefined
  readonly #earlier = new Map<string, SentResponse>()
  /**
   * Number of requests to the provider fake since the plan of faults was started, by method and
   * path.
   */
  readonly #requests = new Map<string, number>()
  #plan: FaultPlan | undefined
  #plans = 0
  #left = 0

  /** `nullable` returns true for names of members that may be null in responses of the provider. */
  constructor(seed: number, nullable?: (name: string) => boolean) {
    this.#seed = seed
    this.#nullable = nullable
  }

  /**
   * Breaks responses of a provider fake by the given plan of faults from now on. Replaces an
   * earlier plan.
   */
  start(plan: FaultPlan): void {
    this.#plan = plan
    this.#plans++
    this.#left = plan.total ?? Infinity
    this.#requests.clear()
    this.broken.length = 0
  }

  stop(): void {
    this.#plan = undefined
  }

  readonly apply = (request: ProviderRequest): FaultAction | undefined => {
    const chance = this.#chanceOf(request)
    const { kind } = chance
    if (kind === 'reset') return isPart(request) ? undefined : this.#reset(chance)
    if (kind !== undefined && refusals.has(kind)) return this.#refuse(chance, kind)
    return { kind: 'alter', alter: (response) => this.#alter(chance, response, kind) }
  }

  #chanceOf(request: ProviderRequest): Chance {
    const key = `${request.method} ${request.path}`
    const count = this.#requests.get(key) ?? 0
    this.#requests.set(key, count + 1)
    const random = new SeededRandom(hashOf(`${this.#seed} ${this.#plans} ${key} ${count}`))
    const plan = this.#plan
    const mayBreak = plan !== undefined && count < plan.repeats && this.#left > 0
    const isDue = mayBreak && random.happens(plan.probability)
    return {
      request,
      random,
      kind: isDue ? plan.kinds[random.below(plan.kinds.length)] : undefined,
    }
  }

  #reset({ request, random }: Chance): FaultAction {
    const phase = random.happens(0.5) ? 'before' : 'after'
    this.#record(request, `reset ${phase} the effect`)
    return { kind: 'reset', phase }
  }

  #refuse(chance: Chance, kind: ResponseFaultKind): FaultAction {
    const { status, headers, bytes } = this.#alter(chance, noResponse, kind)
    return { kind: 'reply', response: { status, headers, body: bytes }, unchecked: true }
  }

  #alter({ request, random }: Chance, response: SentResponse, kind?: ResponseFaultKind) {
    const { operation } = request
    const earlier = this.#earlier.get(operation)
    if (response.status < 300) this.#earlier.set(operation, response)
    if (kind === undefined) return response
    const options = { kind, earlier, ...(this.#nullable && { nullable: this.#nullable }) }
    const broken = breakResponse(random, response, options)
    // A fault in the delivery of a response cannot apply to a part of a batch, whose response is
    // not sent separately.
    if (!broken || (isPart(request) && broken.delivery)) return response
    const { description, ...altered } = broken
    this.#record(request, description)
    return isPart(request) ? withReadableType(altered) : altered
  }

  #record(request: ProviderRequest, description: string): void {
    this.#left--
    this.broken.push(`${isPart(request) ? 'part ' : ''}${request.operation}: ${description}`)
  }
}

/** Number of 32 bits that depends on all characters of a text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

function isPart({ closed }: ProviderRequest): boolean {
  return closed === undefined
}

/**
 * Response of a provider fake to a part of a batch. A body that is no valid JSON is marked as text,
 * because it cannot be embedded as JSON.
 */
function withReadableType(response: SentResponse): SentResponse {
  try {
    JSON.parse(response.bytes.toString('utf8'))
    return response
  } catch {
    return { ...response, contentType: 'text/plain' }
  }
}
