import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of one test file, and what still runs out of it. */
export async function scratch(): Promise<{
  dir: string
  processes: () => string[]
  remove: () => Promise<void>
}> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-scratch-'))
  await chmod(dir, 0o755) // servers may run as another user than we
  return {
    dir,
    processes: () => commandsNaming(dir),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

/** The command lines and working folders of this machine's processes that speak of a folder. */
function commandsNaming(dir: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && entry !== String(process.pid))
    .map((entry) => read(`/proc/${entry}/cmdline`) + read(`/proc/${entry}/environ`))
    .filter((text) => text.includes(dir))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // gone, or another user's
  }
}
