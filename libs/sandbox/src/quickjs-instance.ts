import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Intrinsics, JSException, type JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi'
import { CpuTimer } from './cpu-timer.ts'
import { harnessSource } from './harness.ts'

/** Of the engine's own; beyond it a function is told that it nests too deeply. */
const maxStackSize = 256 * 1024
/** Free memory that a machine has from its start: a usual call needs no more, and so leaves the machine as large as it was. */
const spareBytes = 2 * 1024 * 1024
/** WASI's EBADF: there are no files, standard output included. */
const badFile = 8

/** Everything there is but what tells of the machine or of its garbage collector. */
const intrinsics =
  Intrinsics.DATE |
  Intrinsics.EVAL |
  Intrinsics.REGEXP |
  Intrinsics.JSON |
  Intrinsics.PROXY |
  Intrinsics.MAP_SET |
  Intrinsics.TYPED_ARRAYS |
  Intrinsics.PROMISE |
  Intrinsics.BIG_INT |
  Intrinsics.ATOB_BTOA

interface CpuLimit {
  /** Time of the processor for it. What it takes to have a machine is nobody's. */
  cpuMs: number
}

export type FunctionKind = 'filter' | 'map' | 'judge'

interface FunctionCall extends CpuLimit {
  kind: FunctionKind
  bytecode: Uint8Array
  inputs: readonly string[]
}

/** A call was ended, or its machine broke; what it would have answered is not known. */
export class CallEnded extends Error {}

/** The source is not the body of a function. */
export class SourceError extends Error {}

/** As much of it as is needed here; Node's types leave it out. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledModule> }
type CompiledModule = object
interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** Set up once: every machine begins as a copy of it. */
interface Template {
  module: CompiledModule
  snapshot: Snapshot
  ask: number
}

/** A machine that may be asked, and what its memory was before that. */
interface Instance {
  vm: QuickJS
  ask: JSValueHandle
  memory: WasmMemory
  bytes: number
  /** What calls may change and others would notice. Below it is the stack, which is empty between calls; between the two parts nothing is in use. */
  parts: { at: number; bytes: Uint8Array }[]
}

/**
 * A JavaScript engine in WebAssembly that forgets. Before each call its memory is made what it was before the first one, byte by byte:
 * there is nowhere that a call could leave anything for the next. A machine that grew, was stopped or broke is replaced.
 */
export class QuickJsInstance {
  readonly #options: EngineOptions
  readonly #base: Template
  #live: Instance | undefined

  private constructor(options: EngineOptions, base: Template) {
    this.#options = options
    this.#base = base
  }

  static async create(memoryBytes: number): Promise<QuickJsInstance> {
    const options = { memoryBytes, clock: new CpuTimer() }
    const file = fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))
    const module = await WebAssembly.compile(readFileSync(file))
    const vm = await QuickJS.create({ ...engineOptions(module, options), intrinsics })
    const call = vm.exportHandle(vm.evalCode(harnessSource, 'posthorn'))
    vm.evalCode(`new ArrayBuffer(${spareBytes}); 0`).dispose()
    return new QuickJsInstance(options, { module, snapshot: vm.snapshot(), ask: call })
  }

  /** Bytecode of a function with that body. @throws SourceFault, CallEnded */
  compile(source: string, call: CpuLimit): Promise<Uint8Array> {
    return this.#run(call, ({ vm }) => {
      try {
        return vm.compile(wrapSource(source), 'function')
      } catch (error) {
        throw new SourceError(error instanceof Error ? error.message : 'cannot be read')
      }
    })
  }

  /** Whether it is the body of one function, and no more: one that closes the function to do something beside it is not. */
  async isBody(source: string, call: CpuLimit): Promise<boolean> {
    const answer = await this.#run(call, ({ vm, ask }) => {
      const whole = wrapSource(source)
      const given = [vm.newString('same'), vm.evalCode(whole), vm.newString(whole.slice(1, -1))]
      return vm.callFunction(ask, vm.undefined, ...given).toString()
    })
    return answer === 't'
  }

  /** Has the harness ask a function. Nothing of an earlier call is there. @throws CallEnded */
  ask({
    kind: question,
    bytecode,
    inputs,
    cpuMs,
  }: FunctionCall): Promise<{ answer: string; logs: string }> {
    return this.#run({ cpuMs }, ({ vm, ask }) => {
      const say = (...given: JSValueHandle[]) => vm.callFunction(ask, vm.undefined, ...given)
      const fn = vm.evalBytecode(bytecode)
      say(vm.newString('seed'), vm.newNumber(randomInt(2 ** 32)))
      const given = inputs.map((input) => vm.newString(input))
      const answer = say(vm.newString(question), fn, ...given).toString()
      return { answer, logs: say(vm.newString('logs')).toString() }
    })
  }

  async #run<T>({ cpuMs }: CpuLimit, work: (live: Instance) => T): Promise<T> {
    const live = await this.#fresh()
    const { clock } = this.#options
    clock.start(cpuMs)
    try {
      return work(live)
    } catch (error) {
      // Stopped in the middle of anything, or out of memory: not to be used again.
      this.#live = undefined
      if (error instanceof SourceError) throw error
      throw new CallEnded(reasonOf(error))
    } finally {
      clock.stop()
    }
  }

  /** A machine that nobody has used. */
  async #fresh(): Promise<Instance> {
    const live = this.#live
    if (!live || live.memory.buffer.byteLength !== live.bytes)
      return (this.#live = await this.#make())
    const all = new Uint8Array(live.memory.buffer)
    for (const { at, bytes } of live.parts) all.set(bytes, at)
    return live
  }

  async #make(): Promise<Instance> {
    const { module, snapshot, ask: token } = this.#base
    let memory: WasmMemory | undefined
    const options = engineOptions(module, this.#options, (given) => (memory = given))
    const vm = await QuickJS.restore(snapshot, options)
    if (!memory) throw new Error('the machine has no memory')
    // Kept by the engine's wrapper from its first use on: it has to be there before the image is taken.
    void vm.undefined
    const ask = vm.importHandle(token)
    const all = new Uint8Array(memory.buffer)
    return { vm, ask, memory, bytes: all.length, parts: partsOf(all, snapshot.stackPointer) }
  }
}

/** All of the memory above the stack but the spare part, which is free and can be told by its size: nothing in use is that large. */
function partsOf(all: Uint8Array, begin: number): Instance['parts'] {
  const spare = findZeros(all, begin, spareBytes / 2)
  return [
    { at: begin, bytes: all.slice(begin, spare.begin) },
    { at: spare.end, bytes: all.slice(spare.end) },
  ]
}

/** The first run of so many zeros. */
function findZeros(all: Uint8Array, from: number, length: number): { begin: number; end: number } {
  for (let begin = from; begin < all.length; begin++) {
    let end = begin
    while (end < all.length && all[end] === 0) end++
    if (end - begin >= length) return { begin, end }
    begin = end
  }
  return { begin: all.length, end: all.length }
}

interface EngineOptions {
  memoryBytes: number
  clock: CpuTimer
}

function engineOptions(
  wasm: CompiledModule,
  { memoryBytes, clock }: EngineOptions,
  onMemory: (memory: WasmMemory) => void = () => undefined,
) {
  return {
    wasm,
    memoryLimit: memoryBytes,
    maxStackSize,
    interruptHandler: () => clock.isExpired(),
    timezoneOffset: 0,
    wasi(memory: WasmMemory) {
      onMemory(memory)
      return { fd_write: () => badFile, fd_close: () => badFile, fd_seek: () => badFile }
    },
  }
}

/** The source as an expression, its lines where they were. */
function wrapSource(source: string): string {
  return `(function (payload, logger, env) {${source}\n})`
}

function reasonOf(error: unknown): string {
  const reason = error instanceof JSException ? error.message : ''
  if (reason.includes('out of memory')) return 'takes too much memory'
  if (reason.includes('interrupted')) return 'takes too much time'
  if (error instanceof RangeError || reason.includes('stack')) return 'nests too deeply'
  return 'could not be carried out'
}
