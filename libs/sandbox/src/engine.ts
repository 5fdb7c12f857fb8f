import { TtlCache } from '@posthorn/flow'
import { threadCpuMs } from './cpu-timer.ts'
import type {
  CallLimits,
  FunctionProblem,
  Functions,
  FunctionInput,
  Job,
  JobResults,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'
import { CallEnded, QuickJsInstance, type FunctionKind, SourceError } from './quickjs-instance.ts'

/** Limits of the cache of compiled user functions, keyed by source. */
const maxCompiled = 500
const maxCompiledChars = 16 * 1024 * 1024
/**
 * CPU time limit for compiling and checking a user's function, as a multiple of the limit of a
 * call. Functions are compiled and checked rarely.
 */
const compileFactor = 5
/** Additional CPU time of a call of a user's function per million characters of input. */
const cpuMsPerMillion = 100
const maxReason = 500
const maxLogs = 200

const first: Job = {
  kind: 'apply',
  functions: { filter: 'return true', map: 'return payload' },
  input: { payload: '{}', env: '{}' },
}

interface CallOutput {
  result: string
  logs: string
}

/** Runs filter and map functions of users (jobs), one at a time, in a worker thread. */
export class Engine {
  readonly #limits: CallLimits
  readonly #instance: QuickJsInstance
  readonly #compiled = new TtlCache<string, Uint8Array>({
    max: maxCompiled,
    maxSize: maxCompiledChars,
    sizeOf: (bytecode, source) => bytecode.length + source.length,
  })

  private constructor(limits: CallLimits, instance: QuickJsInstance) {
    this.#limits = limits
    this.#instance = instance
  }

  static async create(limits: CallLimits): Promise<Engine> {
    const engine = new Engine(limits, await QuickJsInstance.create(limits.memoryBytes))
    // Warm-up of the script engine: WebAssembly is compiled to machine code on first use, and this
    // time must not count against the time limit of a user's function.
    await engine.run(first)
    return engine
  }

  /**
   * Runs a job of the sandbox, such as a call of a filter and a map function. Never rejects because
   * of these functions.
   */
  run(job: Job): Promise<JobResults[Job['kind']]> {
    if (job.kind === 'apply') return this.#apply(job.functions, job.input)
    if (job.kind === 'match') return this.#match(job.filter, job.event)
    return this.#check(job.source)
  }

  async #apply({ filter, map }: Functions, input: FunctionInput): Promise<FunctionResult> {
    const start = threadCpuMs()
    const problems: FunctionProblem[] = []
    const logs: string[] = []
    const call = async (name: 'filter' | 'map', source: string): Promise<string> => {
      try {
        const output = await this.#call(name, source, input)
        logs.push(...output.logs.split('\n').filter((line) => line !== ''))
        if (!output.result.startsWith('e')) return output.result
        problems.push({ function: name, reason: storable(output.result.slice(1)) })
      } catch (error) {
        problems.push({ function: name, reason: reasonOf(error) })
      }
      return ''
    }
    const applies = filter === null || (await call('filter', filter)) === 't'
    const mapped = applies && map !== null ? await call('map', map) : ''
    const body = mapped.startsWith('v') ? this.#bodyOf(mapped.slice(1), problems) : undefined
    const common = { problems, logs: logs.slice(0, maxLogs), usedMs: threadCpuMs() - start }
    return body === undefined ? { applies, ...common } : { applies, body, ...common }
  }

  async #call(
    kind: FunctionKind,
    source: string,
    { payload, env }: FunctionInput,
  ): Promise<CallOutput> {
    const size = payload.length + env.length
    if (size > this.#limits.inputChars)
      throw new CallEnded('was not called: the payload is too large')
    const bytecode = await this.#compile(source)
    const cpuMs = this.#limits.cpuMs + (cpuMsPerMillion * size) / 1e6
    return this.#instance.call({ kind, bytecode, inputs: [payload, env], cpuMs })
  }

  async #match(filter: string, event: string): Promise<StaticMatch> {
    try {
      const bytecode = await this.#compile(filter)
      const { cpuMs } = this.#limits
      const call = { kind: 'match', bytecode, inputs: [event], cpuMs } as const
      const { result } = await this.#instance.call(call)
      if (result === 't') return 'always'
      return result === 'f' ? 'never' : 'depends'
    } catch {
      return 'depends'
    }
  }

  async #check(source: string): Promise<string | null> {
    try {
      await this.#compile(source)
      const isBody = await this.#instance.isBody(source, this.#compiling())
      return isBody ? null : 'is more than the body of a function'
    } catch (error) {
      return reasonOf(error)
    }
  }

  async #compile(source: string): Promise<Uint8Array> {
    const cached = this.#compiled.get(source)
    if (cached) return cached
    const bytecode = await this.#instance.compile(source, this.#compiling())
    this.#compiled.set(source, bytecode)
    return bytecode
  }

  #compiling() {
    return { cpuMs: compileFactor * this.#limits.cpuMs }
  }

  /**
   * Webhook body from the output of a map function, without `eventId` and `_route`. The output is
   * parsed, so that the body is valid JSON.
   */
  #bodyOf(json: string, problems: FunctionProblem[]): string | undefined {
    try {
      if (json.length > this.#limits.outputChars) throw new CallEnded('makes too much')
      const value: unknown = JSON.parse(json)
      if (!isObject(value) || !('eventId' in value || '_route' in value)) return json
      const { eventId: _eventId, _route, ...rest } = value
      return JSON.stringify(rest)
    } catch (error) {
      problems.push({ function: 'map', reason: reasonOf(error) })
      return undefined
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function reasonOf(error: unknown): string {
  if (error instanceof CallEnded || error instanceof SourceError) return storable(error.message)
  return error instanceof RangeError ? 'nests too deeply' : 'could not be carried out'
}

function storable(reason: string): string {
  return reason.replaceAll('\0', '').slice(0, maxReason).toWellFormed()
}
