import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { CallResult, CallRun } from './run-call.ts'

/**
 * Python program that runs calls of reference pages, one at a time. Each call runs in a fork of an
 * interpreter that has loaded the modules already. After its call, a fork leaves the loop and ends
 * as an interpreter does.
 */
const program = `
import json, os, runpy, signal, sys, urllib.request
for line in sys.stdin:
  call = json.loads(line)
  child = os.fork()
  if child == 0:
    os.chdir(call["dir"])
    for descriptor, name in enumerate(["/dev/null", "stdout", "stderr"]):
      os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), descriptor)
    signal.setitimer(signal.ITIMER_REAL, call["seconds"])
    runpy.run_path("call.py", run_name="__main__")
    break
  _, status = os.waitpid(child, 0)
  print(os.waitstatus_to_exitcode(status), flush=True)
`

/**
 * Python interpreter for the calls of many reference pages. An interpreter per call would take
 * most of the CPU time of a call.
 */
export class PythonInterpreter implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #codes: Interface
  /** Rejects when the Python interpreter exits. */
  readonly #exited: Promise<never>

  /**
   * Starts the Python interpreter with the environment variables that the calls of reference pages
   * may use.
   */
  constructor(variables: CallRun['variables']) {
    const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...variables }
    const stdio = ['pipe', 'pipe', 'inherit'] as const
    this.#child = spawn('python3', ['-c', program], { env, stdio: [...stdio] })
    this.#exited = once(this.#child, 'exit').then(() => {
      throw new Error('the Python interpreter has exited')
    })
    this.#exited.catch(() => undefined)
    const { stdout } = this.#child
    if (!stdout) throw new Error('the output of the interpreter is missing')
    this.#codes = createInterface(stdout)
  }

  /**
   * Runs the Python call of a reference page. The calls of an interpreter run one after the other.
   */
  async run(code: string, { dir, timeoutMs }: Omit<CallRun, 'variables'>): Promise<CallResult> {
    await mkdir(dir, { recursive: true })
    await writeFile(join(dir, 'call.py'), code)
    const ended = Promise.race([once(this.#codes, 'line'), this.#exited])
    this.#child.stdin?.write(`${JSON.stringify({ dir, seconds: timeoutMs / 1_000 })}\n`)
    const [line] = (await ended) as [string]
    const exitCode = Number(line)
    const read = (name: string) => readFile(join(dir, name), 'utf8')
    return {
      // A signal that ended the call is a negative exit code. The timeout of a call ends the call
      // by a signal.
      code: exitCode < 0 ? null : exitCode,
      stdout: await read('stdout'),
      stderr: await read('stderr'),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}
