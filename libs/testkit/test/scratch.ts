import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Temporary directory of a test file, and the processes that use the directory. */
export async function scratch(): Promise<{
  dir: string
  processes: () => string[]
  remove: () => Promise<void>
}> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-scratch-'))
  await chmod(dir, 0o755) // when the tests run as root, test servers run as another user
  return {
    dir,
    processes: () => commandsNaming(dir),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

/** Command lines and environments of processes that contain the name of a directory. */
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
    return '' // the process in /proc has ended, or belongs to another user
  }
}
