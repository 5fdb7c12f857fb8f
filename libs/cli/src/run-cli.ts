import { setImmediate } from 'node:timers/promises'
import type { Posthorn } from '@posthorn/client'
import { resolveConnection } from './connection/connection.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { Output } from './io/output.ts'
import { printable } from './io/printable.ts'
import { Progress } from './io/progress.ts'
import { Prompt } from './io/prompt.ts'
import type { Terminal } from './io/terminal.ts'
import { buildProgram, isHelp, isWrongUsage } from './program/build-program.ts'
import type { CommandContext, JobSpec } from './program/command.ts'
import { describeError, isUnknownOperation, unknownOperation } from './program/describe-error.ts'
import { commands } from './commands/index.ts'

/** Options with which the command line program runs. */
export interface RunOptions {
  terminal: Terminal
  /** Release of the program that `--version` prints. */
  version: string
  jobs: readonly JobSpec[]
  /** Names of the services, for the help of the program. */
  services: readonly string[]
  /** Signal of the command line program that aborts at SIGINT and SIGTERM. */
  signal: AbortSignal
}

/**
 * Time for which API calls of a command are repeated by default, so that a restart of the server is
 * not an error.
 */
const retryForMs = 3_000

/** Runs the command line `args` (without the program name) and resolves with the exit code. */
export async function runCli(args: readonly string[], options: RunOptions): Promise<number> {
  const { terminal, version, jobs, services, signal } = options
  const { stdout, stderr } = terminal
  const closed = new AbortController()
  let outputError: Error | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // EPIPE means that the reader of the output pipe has ended, such as `head`: the remaining
    // output has no reader.
    if (error.code !== 'EPIPE') outputError ??= error
    closed.abort()
  })
  // Write errors of standard error are ignored: progress and error texts without a reader are not
  // needed.
  stderr.on('error', () => undefined)
  const ended = AbortSignal.any([signal, closed.signal])
  const progress = new Progress(stderr)
  let client: (() => Promise<Posthorn>) | undefined
  const program = buildProgram({
    version,
    commands,
    jobs,
    services,
    createContext: (values, { continuesUnread }) => {
      const context = createContext(values, {
        terminal,
        progress,
        jobs,
        signal: continuesUnread ? signal : ended,
        closed: closed.signal,
      })
      client = () => context.posthorn({ retryForMs: 0 })
      return context
    },
    write: (text) => void stdout.write(text),
    writeError: (text) => void stderr.write(text),
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    // The error of the last write to standard output is emitted in a later turn of the event loop.
    await setImmediate()
    if (outputError) throw outputFailure(outputError)
    return exitCodes.success
  } catch (cause) {
    const error = outputError && isAbort(cause) ? outputFailure(outputError) : cause
    if (isAbort(error)) return signal.aborted ? exitCodes.interrupted : exitCodes.success
    if (isHelp(error)) return exitCodes.success
    if (isWrongUsage(error)) return exitCodes.usage
    const { lines, exitCode } = describeError(await explain(error, { version, client }))
    progress.clear()
    stderr.write(
      lines.map((line, index) => `${index ? '' : 'posthorn: '}${printable(line)}\n`).join(''),
    )
    return exitCode
  } finally {
    progress.clear()
  }
}

function isAbort(error: unknown): boolean {
  return (error as Partial<Error> | undefined)?.name === 'AbortError'
}

function outputFailure({ message }: Error): CommandError {
  return new CommandError(`the output cannot be written: ${message}`)
}

/**
 * Replaces the error of an unknown API operation by an error that names the releases of server and
 * program.
 */
async function explain(
  error: unknown,
  { version, client }: { version: string; client: (() => Promise<Posthorn>) | undefined },
): Promise<unknown> {
  if (!client || !isUnknownOperation(error)) return error
  const stats = await (await client()).getStats().catch(() => undefined)
  return new CommandError(unknownOperation({ server: stats?.version, program: version }))
}

function createContext(
  values: Readonly<Record<string, unknown>>,
  {
    jobs,
    closed,
    ...surroundings
  }: Pick<CommandContext, 'terminal' | 'progress' | 'signal'> &
    Pick<RunOptions, 'jobs'> & { closed: AbortSignal },
): CommandContext {
  const { terminal, signal } = surroundings
  const { stdout } = terminal
  const connection = () =>
    resolveConnection(
      { url: values['url'] as string, tokenFile: values['tokenFile'] as string },
      { terminal, signal },
    )
  let resolved: ReturnType<typeof connection> | undefined
  const once = () => (resolved ??= connection())
  return {
    ...surroundings,
    program: { commands, jobs },
    output: new Output(stdout, { json: values['json'] === true, closed }),
    prompt: new Prompt(terminal, signal),
    connection: once,
    async posthorn(options = {}) {
      const { url, token } = await once()
      const { Posthorn } = await import('@posthorn/client')
      return new Posthorn({ url, token, retryForMs: options.retryForMs ?? retryForMs })
    },
  }
}
