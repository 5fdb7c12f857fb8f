import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { eventually } from '@posthorn/testkit'

const children: ChildProcess[] = []

/**
 * Resolves when it serves. `begun` becomes true when it has a request in hand that it will not
 * finish.
 */
export async function startDying(url: string, ...what: 'shared'[]) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'dying-server.ts'), url, ...what],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  children.push(child)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (words: string) => (said += words))
  await eventually(() => said.includes('ready'))
  return { kill: () => child.kill('SIGKILL'), begun: () => said.includes('begun') }
}

export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}
