import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '@posthorn/testkit'
import { type PosthornRun, programEnv } from './run-posthorn.ts'

/**
 * Process of `posthorn` that runs until it gets a signal. Its parent is the test process, without a
 * shell.
 */
export class PosthornProcess implements AsyncDisposable {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  readonly #ended: Promise<unknown[]>

  constructor(args: readonly string[], { cwd, env }: PosthornRun) {
    const base = programEnv(cwd)
    this.child = spawn(base.POSTHORN_NODE, [base.POSTHORN_PROGRAM, ...args], {
      cwd,
      env: { ...base, ...env },
    })
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.#ended = once(this.child, 'close')
  }

  /** Waits until `posthorn` has printed a text to its standard output or standard error. */
  async printed(text: string): Promise<void> {
    await eventually(() => {
      if (this.child.exitCode !== null) throw new Error(`the program has ended: ${this.stderr}`)
      return this.stderr.includes(text) || this.stdout.includes(text)
    })
  }

  /**
   * Sends a signal to the process of `posthorn` and waits for its end. Resolves with the exit code,
   * null after SIGKILL.
   */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal)
    const [code] = await this.#ended
    return code as number | null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.end('SIGTERM')
  }
}
