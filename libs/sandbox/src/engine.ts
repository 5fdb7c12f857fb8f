import { LRUCache } from 'lru-cache'
import { threadMs } from './cpu-timer.ts'
import type {
  Bounds,
  FunctionProblem,
  Functions,
  FunctionInput,
  Job,
  JobResults,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'

import { CallEnded, QuickJsInstance, type FunctionKind, SourceError } from './quickjs-instance.ts'

/** Compiled functions that are kept, by their source. */
const maxCompiled = 500
const maxCompiledChars = 16 * 1024 * 1024
/** Compiling and checking are no calls: they may take longer, as they are rare. */
const compileFactor = 5
/** What larger payloads may take more, for each million characters. */
const cpuMsPerMillion = 100
const maxReason = 500
const maxLogs = 200

const first: Job = {
  kind: 'apply',
  functions: { filter: 'return true', map: 'return payload' },
  input: { payload: '{}', env: '{}' },
}

interface Answer {
  answer: string
  logs: string
}

/** Carries out jobs, one at a time; meant for a thread of its own. */
export class Engine {
  readonly #bounds: Bounds
  readonly #machine: QuickJsInstance
  readonly #compiled = new LRUCache<string, Uint8Array>({
    max: maxCompiled,
    maxSize: maxCompiledChars,
    sizeCalculation: (bytecode, source) => bytecode.length + source.length,
  })

  private constructor(bounds: Bounds, machine: QuickJsInstance) {
    this.#bounds = bounds
    this.#machine = machine
  }

  static async create(bounds: Bounds): Promise<Engine> {
    const engine = new Engine(bounds, await QuickJsInstance.create(bounds.memoryBytes))
    // The engine is translated for this processor as it is used: not on the time of the first function.
    await engine.run(first)
    return engine
  }

  /** Never rejects because of a function. */
  run(job: Job): Promise<JobResults[Job['kind']]> {
    if (job.kind === 'apply') return this.#apply(job.functions, job.input)
    if (job.kind === 'judge') return this.#judge(job.filter, job.event)
    return this.#check(job.source)
  }

  async #apply({ filter, map }: Functions, input: FunctionInput): Promise<FunctionResult> {
    const from = threadMs()
    const problems: FunctionProblem[] = []
    const logs: string[] = []
    const call = async (name: 'filter' | 'map', source: string): Promise<string> => {
      try {
        const said = await this.#ask(name, source, input)
        logs.push(...said.logs.split('\n').filter((line) => line !== ''))
        if (!said.answer.startsWith('e')) return said.answer
        problems.push({ function: name, reason: tidy(said.answer.slice(1)) })
      } catch (error) {
        problems.push({ function: name, reason: reasonOf(error) })
      }
      return ''
    }
    const applies = filter === null || (await call('filter', filter)) === 't'
    const made = applies && map !== null ? await call('map', map) : ''
    const body = made.startsWith('v') ? this.#bodyOf(made.slice(1), problems) : undefined
    const told = { problems, logs: logs.slice(0, maxLogs), usedMs: threadMs() - from }
    return body === undefined ? { applies, ...told } : { applies, body, ...told }
  }

  async #ask(
    question: FunctionKind,
    source: string,
    { payload, env }: FunctionInput,
  ): Promise<Answer> {
    const size = payload.length + env.length
    if (size > this.#bounds.inputChars)
      throw new CallEnded('was not asked: the payload is too large')
    const bytecode = await this.#compile(source)
    const cpuMs = this.#bounds.cpuMs + (cpuMsPerMillion * size) / 1e6
    return this.#machine.ask({ kind: question, bytecode, inputs: [payload, env], cpuMs })
  }

  async #judge(filter: string, event: string): Promise<StaticMatch> {
    try {
      const bytecode = await this.#compile(filter)
      const { cpuMs } = this.#bounds
      const asked = { kind: 'judge', bytecode, inputs: [event], cpuMs } as const
      const { answer } = await this.#machine.ask(asked)
      if (answer === 't') return 'always'
      return answer === 'f' ? 'never' : 'depends'
    } catch {
      return 'depends'
    }
  }

  async #check(source: string): Promise<string | null> {
    try {
      await this.#compile(source)
      const isBody = await this.#machine.isBody(source, this.#compiling())
      return isBody ? null : 'is more than the body of a function'
    } catch (error) {
      return reasonOf(error)
    }
  }

  async #compile(source: string): Promise<Uint8Array> {
    const known = this.#compiled.get(source)
    if (known) return known
    const bytecode = await this.#machine.compile(source, this.#compiling())
    this.#compiled.set(source, bytecode)
    return bytecode
  }

  #compiling() {
    return { cpuMs: compileFactor * this.#bounds.cpuMs }
  }

  /** What a map made, without what only functions see. It is read once more: whatever a function did, what leaves here is JSON. */
  #bodyOf(json: string, problems: FunctionProblem[]): string | undefined {
    try {
      if (json.length > this.#bounds.outputChars) throw new CallEnded('makes too much')
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
  if (error instanceof CallEnded || error instanceof SourceError) return tidy(error.message)
  return error instanceof RangeError ? 'nests too deeply' : 'could not be carried out'
}

function tidy(reason: string): string {
  return reason.replaceAll('\0', '').slice(0, maxReason).toWellFormed()
}
