import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/** Last lines of an error output that an error message repeats. */
const linesOfError = 25

/**
 * Runs the Docker client on the engine of DOCKER_HOST. Returns its output without the last newline.
 * @throws Error with the last lines of its error output.
 */
export async function docker(...args: string[]): Promise<string> {
  return run('docker', args)
}

/**
 * Runs a shell pipeline, such as `docker save "$1" | tar -x -C "$2"`, which fails if one of its
 * commands fails. Returns its output.
 */
export async function pipeline(script: string, ...args: string[]): Promise<string> {
  return run('bash', ['-o', 'pipefail', '-c', script, 'bash', ...args])
}

/** True if the program is on the PATH. */
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
      // Selects the classic builder, which is part of every engine.
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
