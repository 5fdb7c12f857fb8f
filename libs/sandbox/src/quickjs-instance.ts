import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Intrinsics, JSException, type JSValueHandle, QuickJS, type Snapshot } from 'quickjs-wasi'
import { CpuTimer } from './cpu-timer.ts'
import { harnessSource } from './harness.ts'

/**
 * Stack size of QuickJS in bytes. A function that exceeds the stack fails with `nests too deeply`.
 */
const maxStackSize = 256 * 1024
/**
 * Free memory of a new QuickJS instance. A usual function call needs no more, so the instance does
 * not grow.
 */
const spareBytes = 2 * 1024 * 1024
/**
 * Error code EBADF of WASI: users' functions in QuickJS have no files, standard output included.
 */
const badFile = 8

/**
 * Built-in objects of QuickJS except those that reveal the state of the instance or of its garbage
 * collector.
 */
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
  /** CPU time limit of the function call in QuickJS. Preparing the instance does not count. */
  cpuMs: number
}

export type FunctionKind = 'filter' | 'map' | 'match'

interface FunctionCall extends CpuLimit {
  kind: FunctionKind
  bytecode: Uint8Array
  inputs: readonly string[]
}

/**
 * Error for the interruption of the call of a user's function, or for a failure of its QuickJS
 * instance. The result of the call is unknown.
 */
export class CallEnded extends Error {}

/** Error for the source of a user's function that is not the body of one function. */
export class SourceError extends Error {}

/** Type of WebAssembly, which is missing from Node's types; declares the used part only. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledModule> }
type CompiledModule = object
interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** State of a new QuickJS instance, created once. */
interface Template {
  module: CompiledModule
  snapshot: Snapshot
  /**
   * Exported handle of the harness (fixed code that calls the functions of users) in the QuickJS
   * instance.
   */
  harness: number
}

/** QuickJS instance with the state of its memory before the first call. */
interface LoadedInstance {
  vm: QuickJS
  harness: JSValueHandle
  memory: WasmMemory
  bytes: number
  /**
   * Parts of the QuickJS instance's memory that are in use: all memory except the stack, which is
   * empty between calls, and the spare memory.
   */
  parts: { at: number; bytes: Uint8Array }[]
}

/**
 * QuickJS engine in WebAssembly, reset before each function call: the memory is restored byte by
 * byte, so that a call leaves nothing for the next call. An instance that grew, failed or was
 * interrupted is replaced.
 */
export class QuickJsInstance {
  readonly #options: EngineOptions
  readonly #template: Template
  #loaded: LoadedInstance | undefined

  private constructor(options: EngineOptions, template: Template) {
    this.#options = options
    this.#template = template
  }

  static async create(memoryBytes: number): Promise<QuickJsInstance> {
    const options = { memoryBytes, timer: new CpuTimer() }
    const file = fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))
    const module = await WebAssembly.compile(readFileSync(file))
    const vm = await QuickJS.create({ ...engineOptions(module, options), intrinsics })
    const harness = vm.exportHandle(vm.evalCode(harnessSource, 'posthorn'))
    vm.evalCode(`new ArrayBuffer(${spareBytes}); 0`).dispose()
    return new QuickJsInstance(options, { module, snapshot: vm.snapshot(), harness })
  }

  /** Compiles the body of a user's function to bytecode. @throws SourceError, CallEnded */
  compile(source: string, limit: CpuLimit): Promise<Uint8Array> {
    return this.#run(limit, ({ vm }) => {
      try {
        return vm.compile(wrapSource(source), 'function')
      } catch (error) {
        throw new SourceError(error instanceof Error ? error.message : 'cannot be read')
      }
    })
  }

  /**
   * True if the source of a user's function is one function body. False if the source closes the
   * function and adds code.
   */
  async isBody(source: string, limit: CpuLimit): Promise<boolean> {
    const result = await this.#run(limit, ({ vm, harness }) => {
      const whole = wrapSource(source)
      const args = [vm.newString('same'), vm.evalCode(whole), vm.newString(whole.slice(1, -1))]
      return vm.callFunction(harness, vm.undefined, ...args).toString()
    })
    return result === 't'
  }

  /**
   * Calls a user's function through the harness (fixed code in QuickJS), in an instance whose
   * memory was restored to its initial state.
   *
   * @throws CallEnded
   */
  call(call: FunctionCall): Promise<{ result: string; logs: string }> {
    return this.#run(call, ({ vm, harness }) => {
      const invoke = (...args: JSValueHandle[]) => vm.callFunction(harness, vm.undefined, ...args)
      const fn = vm.evalBytecode(call.bytecode)
      invoke(vm.newString('seed'), vm.newNumber(randomInt(2 ** 32)))
      const inputs = call.inputs.map((input) => vm.newString(input))
      const result = invoke(vm.newString(call.kind), fn, ...inputs).toString()
      return { result, logs: invoke(vm.newString('logs')).toString() }
    })
  }

  async #run<T>({ cpuMs }: CpuLimit, work: (loaded: LoadedInstance) => T): Promise<T> {
    const loaded = await this.#reset()
    const { timer } = this.#options
    timer.start(cpuMs)
    try {
      return work(loaded)
    } catch (error) {
      // Discards the QuickJS instance after an interruption or without free memory, because the
      // state of the instance is undefined.
      this.#loaded = undefined
      if (error instanceof SourceError) throw error
      throw new CallEnded(reasonOf(error))
    } finally {
      timer.stop()
    }
  }

  /** Returns a QuickJS instance in its initial state. */
  async #reset(): Promise<LoadedInstance> {
    const loaded = this.#loaded
    if (!loaded || loaded.memory.buffer.byteLength !== loaded.bytes)
      return (this.#loaded = await this.#load())
    const all = new Uint8Array(loaded.memory.buffer)
    for (const { at, bytes } of loaded.parts) all.set(bytes, at)
    return loaded
  }

  async #load(): Promise<LoadedInstance> {
    const { module, snapshot, harness: exported } = this.#template
    let memory: WasmMemory | undefined
    const options = engineOptions(module, this.#options, (created) => (memory = created))
    const vm = await QuickJS.restore(snapshot, options)
    if (!memory) throw new Error('The QuickJS instance has no memory')
    // Accesses `undefined` in QuickJS, which the wrapper of QuickJS allocates on first use. The
    // allocation must precede the copy of the memory.
    void vm.undefined
    const harness = vm.importHandle(exported)
    const all = new Uint8Array(memory.buffer)
    return { vm, harness, memory, bytes: all.length, parts: partsOf(all, snapshot.stackPointer) }
  }
}

/**
 * Parts of a QuickJS instance's memory above the stack, without the spare memory. The first
 * sequence of zeros that is longer than anything in use is the spare memory.
 */
function partsOf(all: Uint8Array, begin: number): LoadedInstance['parts'] {
  const spare = findZeros(all, begin, spareBytes / 2)
  return [
    { at: begin, bytes: all.slice(begin, spare.begin) },
    { at: spare.end, bytes: all.slice(spare.end) },
  ]
}

/** Finds the first sequence of at least `length` zeros in the memory of a QuickJS instance. */
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
  timer: CpuTimer
}

function engineOptions(
  wasm: CompiledModule,
  { memoryBytes, timer }: EngineOptions,
  onMemory: (memory: WasmMemory) => void = () => undefined,
) {
  return {
    wasm,
    memoryLimit: memoryBytes,
    maxStackSize,
    interruptHandler: () => timer.isExpired(),
    timezoneOffset: 0,
    wasi(memory: WasmMemory) {
      onMemory(memory)
      return { fd_write: () => badFile, fd_close: () => badFile, fd_seek: () => badFile }
    },
  }
}

/**
 * Wraps the source of a user's function body into a function expression. Keeps the line numbers.
 */
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
