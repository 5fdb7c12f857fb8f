import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { MailApiModel } from '@posthorn/testkit/mail-api-model'
import type { RemoteCall, RemoteReply } from './model-sender.ts'

/** Moment of a call: `before` it takes effect, or `after`, when only its response is lost. */
export interface CallMoment {
  account: string
  method: keyof MailApi
  phase: 'before' | 'after'
}

export interface SenderProcessOptions {
  env: Record<string, string>
  models: ReadonlyMap<string, MailApiModel>
  /** Called around each call. True kills the process there. */
  kills: (moment: CallMoment) => boolean
}

/** Sender in a process of its own that works on models and a fake of this process. */
export class SenderProcess implements AsyncDisposable {
  readonly ended: Promise<unknown>
  readonly #child: ChildProcess
  readonly #options: SenderProcessOptions

  constructor(options: SenderProcessOptions) {
    this.#options = options
    this.#child = fork(join(import.meta.dirname, 'model-sender.ts'), {
      cwd: join(import.meta.dirname, '..'),
      env: options.env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Buffers stay buffers.
      serialization: 'advanced',
    })
    this.ended = once(this.#child, 'exit')
    this.#child.on('message', (call: RemoteCall) => void this.#answer(call))
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill()
    await this.ended
  }

  async #answer({ id, account, method, args }: RemoteCall): Promise<void> {
    const { kills, models } = this.#options
    if (kills({ account, method, phase: 'before' })) return this.kill()
    const reply = await execute(models.get(account), method, args)
    if (kills({ account, method, phase: 'after' })) return this.kill()
    if (this.#child.connected) this.#child.send({ id, ...reply }, () => undefined)
  }
}

async function execute(
  model: MailApiModel | undefined,
  method: keyof MailApi,
  args: unknown[],
): Promise<Omit<RemoteReply, 'id'>> {
  const api = model?.api as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  try {
    return { result: await api[method]?.(...args, new AbortController().signal) }
  } catch (error) {
    if (!isMailApiError(error)) throw error
    return { failure: { failure: error.failure, message: error.message } }
  }
}
