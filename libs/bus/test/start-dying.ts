import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { eventually } from '@posthorn/testkit'

const children: ChildProcess[] = []

/**
 * Starts an RPC responder process that never replies. `begun` is true once the process executes a
 * request, `acknowledged` once the process has sent its acknowledgement.
 */
export async function startDying(url: string, ...queue: 'shared'[]) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'dying-server.ts'), url, ...queue],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  children.push(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (words: string) => (output += words))
  await eventually(() => output.includes('ready'))
  return {
    kill: () => child.kill('SIGKILL'),
    begun: () => output.includes('begun'),
    acknowledged: () => output.includes('acknowledged'),
  }
}

export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}
