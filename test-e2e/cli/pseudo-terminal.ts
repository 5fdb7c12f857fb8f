import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '@posthorn/testkit'
import { programEnv, shellFunction } from './run-posthorn.ts'

/**
 * Shell command in a pseudo terminal (`script` of util-linux), which can call `posthorn`. Output
 * and errors arrive together, as on a screen.
 */
export class PseudoTerminal implements AsyncDisposable {
  screen = ''
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown[]>

  constructor(command: string, { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
    const args = [
      '--quiet',
      '--return',
      '--flush',
      '--command',
      `stty cols 120; ${shellFunction}; ${command}`,
    ]
    this.#child = spawn('script', [...args, '/dev/null'], {
      cwd,
      env: { ...programEnv(cwd), SHELL: '/bin/bash', TERM: 'xterm', ...env },
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.screen += chunk.toString()))
    this.#ended = once(this.#child, 'close')
  }

  /** Types a text in the pseudo terminal. */
  write(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Waits until a text is on the screen of the pseudo terminal. */
  async printed(text: string): Promise<void> {
    await eventually(() => {
      if (!this.screen.includes(text)) throw new Error(`not on the screen: ${this.screen}`)
      return true
    })
  }

  /** Waits for the end of the shell command in the pseudo terminal. Resolves with the exit code. */
  async ended(): Promise<number | null> {
    const [code] = await this.#ended
    return code as number | null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.kill('SIGTERM')
    await this.#ended
  }
}
