import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/** Number of the last lines of a failed command's error output that the error message contains. */
const linesOfError = 25

/**
 * Runs the Docker client on the engine of DOCKER_HOST. Returns its output without the last line
 * end.
 * @throws Error with the last lines of the error output
 */
export async function docker(...args: string[]): Promise<string> {
  return run('docker', args)
}

/**
 * Runs a shell pipeline, such as `docker save "$1" | tar -x -C "$2"`. Fails if a command of the
 * pipeline fails. Returns the output of the pipeline.
 */
export async function pipeline(script: string, ...args: string[]): Promise<string> {
  return run('bash', ['-o', 'pipefail', '-c', script, 'bash', ...args])
}

/** True if a program is on the PATH of this machine. */
export async function hasProgram(name: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], {
    stdio: 'ignore',
    env: process.env,
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === 0
}

async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      // Selects the classic Docker builder, which each engine contains.
      env: { ...process.env, DOCKER_BUILDKIT: '0' },
      maxBuffer: 256 * 1024 * 1024,
    })
    return stdout.trimEnd()
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string }
    const lines = stderr.trimEnd().split('\n').slice(-linesOfError).join('\n')
    throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed: ${lines || String(cause)}`, {
      cause,
    })
  }
}
